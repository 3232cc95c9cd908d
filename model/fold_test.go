package model

import (
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestFoldScaling wants the decisions of the scaled model from the folded one, of raw features.
func TestFoldScaling(t *testing.T) {
	rnd := dataset.NewRand(21)
	one := func(kind dataset.ScaleKind) *dataset.Scaling {
		return &dataset.Scaling{Kind: kind, Lo: -1, Hi: 3, Center: []float64{5, -2, .5}, Spread: []float64{1.5, 1.5, 1.5}}
	}
	for name, tt := range map[string]struct {
		kernel  gram.Kernel
		scaling *dataset.Scaling // nil: randomParts'
		fails   string
	}{
		"linear":               {kernel: gram.Linear()},
		"linear, interval":     {kernel: gram.Linear(), scaling: one(dataset.ScaleMinMax)},
		"RBF, one factor":      {kernel: gram.RBF(0.3), scaling: one(dataset.ScaleZ)},
		"RBF, one interval":    {kernel: gram.RBF(0.3), scaling: one(dataset.ScaleMinMax)},
		"RBF, constant":        {kernel: gram.RBF(0.3), fails: "feature 1 was constant"},
		"polynomial":           {kernel: gram.Poly(2, 1, 1), fails: "vectors of a poly kernel"},
		"weighted":             {kernel: gram.WeightedRBF(1, []float64{1, 2, 3}), fails: "vectors of a rbf kernel"},
		"RBF, several factors": {kernel: gram.RBF(0.3), scaling: &dataset.Scaling{Kind: dataset.ScaleZ, Center: make([]float64, 3), Spread: []float64{1, 2, 1}}, fails: "the factor 1 for feature 1 and 0.5 for feature 2"},
	} {
		for _, scheme := range schemes {
			p := randomParts(rnd, scheme, tt.kernel, 5, 3)
			if tt.scaling != nil {
				p.Scaling = tt.scaling
			} else {
				for i := range p.N { // a feature that was constant is 0 in every vector
					p.Vectors[i*p.D] = 0
				}
			}
			c := mustNew(t, p)
			folded, err := c.FoldScaling()
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("%s: %v, want %s", name, err, tt.fails)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			x := randomRows(rnd, 20, 3)
			want, got := make([]float64, 20*c.NumSubmodels()), make([]float64, 20*c.NumSubmodels())
			c.DecideBatch(want, x, 20, 1)
			folded.DecideBatch(got, x, 20, 1)
			testutil.NearAll(t, name, got, want, 1e-12)
			if folded.Parts().Scaling != nil {
				t.Errorf("%s: has its scaling still", name)
			}
		}
	}
}
