package prepare_test

import (
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/prepare"
)

// TestGammaOfEqualValues: the variance of equal values is 0, whatever rounding makes of it; so is that of values that
// differ by rounding only.
func TestGammaOfEqualValues(t *testing.T) {
	for _, v := range []float64{3, 0.1, 1e300} {
		set := &dataset.Set{N: 7, D: 3}
		for range set.N * set.D {
			set.X = append(set.X, v)
		}
		if got := prepare.GammaScale(set); got != 1 {
			t.Errorf("%v everywhere: γ = %v, want 1", v, got)
		}
		set.X[5] *= 1 + 1e-15
		if got := prepare.GammaScale(set); got != 1 {
			t.Errorf("%v everywhere up to rounding: γ = %v, want 1", v, got)
		}
	}
}
