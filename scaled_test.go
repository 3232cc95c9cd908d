package sparsekm

import (
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// A density per unit of scaled features is one per unit of raw ones: by the raw width of the interval of a min-max
// scaling, whatever that interval is. A constant feature has no unit.
func TestDensityOfIntervals(t *testing.T) {
	set := &dataset.Set{N: 3, D: 3, X: []float64{1, 5, 10, 3, 5, 20, 2, 5, 50}}
	for _, tt := range []struct{ lo, hi, want float64 }{{0, 1, 1. / 80}, {-1, 1, 4. / 80}, {0, 10, 100. / 80}} {
		s, err := dataset.FitMinMax(set, tt.lo, tt.hi)
		if err != nil {
			t.Fatal(err)
		}
		e := learn.Expansion{Coef: []float64{1, 3}}
		(&task{task: learn.Density, scaling: s}).scaled(&e)
		testutil.NearAll(t, "coefficients", e.Coef, []float64{tt.want, 3 * tt.want}, 1e-12)
	}
}
