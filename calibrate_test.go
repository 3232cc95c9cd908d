package sparsekm_test

import (
	"math"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
)

// TestFewToCalibrateOn: classes of fewer samples than folds have probabilities, by either scheme, with weights too; the
// only sample of a class is never left out.
func TestFewToCalibrateOn(t *testing.T) {
	for _, scheme := range []model.Scheme{model.OneVsRest, model.OneVsOne} {
		for name, y := range map[string][]int{
			"one": {0, 1, 1, 1, 2}, "pair": {0, 1}, "two": {0, 0, 1, 1}, "three": {0, 0, 0, 1, 1, 1}, "all one": {0, 1, 2},
		} {
			classes := y[len(y)-1] + 1
			set := &dataset.Set{N: len(y), D: 2, Y: y, Labels: []string{"a", "b", "c"}[:classes]}
			for i, k := range y {
				set.X = append(set.X, float64(3*k)+0.1*float64(i), float64(i%2))
			}
			weight := make([]float64, set.N)
			for i := range weight {
				weight[i] = 1 + float64(i)
			}
			for _, w := range [][]float64{nil, weight} {
				c, _, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.Trainer{C: 10}, Kernel: gram.RBF(1),
					Scheme: scheme, Calibrate: 5, SampleWeight: w})
				if err != nil {
					t.Errorf("%s, %v: %v", name, scheme, err)
					continue
				}
				p := make([]float64, classes)
				for i := range y {
					sum := 0.0
					c.Probabilities(p, set.X[2*i:2*i+2])
					for _, v := range p {
						sum += v
					}
					if !(math.Abs(sum-1) <= 1e-9) {
						t.Errorf("%s, %v: probabilities %v", name, scheme, p)
					}
				}
			}
		}
	}
}
