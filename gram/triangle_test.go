package gram

import "testing"

// Counted in order, triangle walks through the squares on and above the diagonal, column by column.
func TestTriangle(t *testing.T) {
	b := 0
	for j := range 300 {
		for i := range j + 1 {
			if gi, gj := triangle(b); gi != i || gj != j {
				t.Fatalf("square %d is at (%d, %d), want (%d, %d)", b, gi, gj, i, j)
			}
			b++
		}
	}
}
