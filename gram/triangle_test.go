package gram

import "testing"

// Counted in order, groups and their squares walk through the squares on and above the diagonal row by row.
func TestAt(t *testing.T) {
	for _, side := range []int{1, 2, 7, 53, 300} {
		for _, g := range []int{1, 2, 3, 6, 7, 100, 400} {
			b := 0
			for top := 0; top < side; top += g {
				for left := top; left < side; left += g {
					for i := top; i < min(top+g, side); i++ {
						for j := max(i, left); j < min(left+g, side); j++ {
							if gi, gj := at(b, side, g); gi != i || gj != j {
								t.Fatalf("square %d of %d in groups of %d is at (%d, %d), want (%d, %d)", b, side, g, gi, gj, i, j)
							}
							b++
						}
					}
				}
			}
			if b != side*(side+1)/2 {
				t.Fatalf("%d squares of %d", b, side)
			}
		}
	}
}
