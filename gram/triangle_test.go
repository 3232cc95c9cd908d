package gram

import "testing"

// Counted in order, triangle walks through the squares on and above the diagonal, row by row.
func TestTriangle(t *testing.T) {
	for _, side := range []int{1, 2, 7, 300} {
		b := 0
		for i := range side {
			for j := i; j < side; j++ {
				if gi, gj := triangle(b, side); gi != i || gj != j {
					t.Fatalf("square %d is at (%d, %d), want (%d, %d)", b, gi, gj, i, j)
				}
				b++
			}
		}
	}
}
