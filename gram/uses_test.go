package gram

import (
	"slices"
	"testing"
)

// What a kernel uses is what changes its value: every feature of which some x has another one.
func TestUses(t *testing.T) {
	z := []float64{1, 0, 2, 0, 3, 0, 0, 0} // two vectors of four features
	inner, all := []bool{true, false, true, false}, []bool{true, true, true, true}
	custom := Custom(func(x, z []float64) float64 { return x[0] })
	for _, tt := range []struct {
		k    Kernel
		want []bool
	}{
		{Linear(), inner}, {Poly(2, 1, 1), inner}, {Sigmoid(0.1, 0.2), inner}, {RBF(0.1), all}, {Laplacian(0.1), all},
		{WeightedRBF(0.1, []float64{1, 0, 0, 2}), []bool{true, false, false, true}}, {custom, all},
	} {
		used := make([]bool, 4)
		tt.k.Uses(used, nil)
		if slices.Contains(used, true) {
			t.Errorf("%v without vectors: %v", tt.k, used)
		}
		if tt.k.Uses(used, z); !slices.Equal(used, tt.want) {
			t.Errorf("%v: %v, want %v", tt.k, used, tt.want)
		}
		for f, use := range used {
			x := []float64{0.3, 0.4, 0.5, 0.6}
			a, b := tt.k.Eval(x, z[:4]), tt.k.Eval(x, z[4:])
			x[f] += 0.5
			if c, d := tt.k.Eval(x, z[:4]), tt.k.Eval(x, z[4:]); (a != c || b != d) && !use {
				t.Errorf("%v: feature %d changes its values", tt.k, f)
			}
		}
	}
}
