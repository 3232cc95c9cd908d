package reduce_test

import (
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/reduce"
)

// TestWeights: one vector a model, and the same decisions on raw samples; models that have as few stay as they are.
func TestWeights(t *testing.T) {
	two, three := dataset.Twonorm(60, 1), dataset.Waveform(60, 1)
	for _, scheme := range []model.Scheme{model.OneVsRest, model.OneVsOne} {
		for submodels, set := range map[int]*dataset.Set{1: two, 3: three} {
			o := sparsekm.Options{Trainer: svc.Trainer{C: 1}, Kernel: gram.Linear(), Scale: dataset.ScaleZ, Scheme: scheme,
				Calibrate: 2}
			clf, _, err := sparsekm.Train(t.Context(), set, o)
			if err != nil {
				t.Fatal(err)
			}
			w, err := reduce.Weights(clf)
			if err != nil || w.NumVectors() != submodels || w.NumVectors() >= clf.NumVectors() || w.Calibrated() != nil {
				t.Fatalf("%d vectors of %d, %v, %v", w.NumVectors(), clf.NumVectors(), err, w.Calibrated())
			}
			a, b := make([]float64, set.N*submodels), make([]float64, set.N*submodels)
			clf.DecideBatch(a, set.X, set.N, 1)
			w.DecideBatch(b, set.X, set.N, 1)
			testutil.NearAll(t, "decisions", b, a, 1e-9)
			if again, err := reduce.Weights(w); again != w || err != nil {
				t.Errorf("again: %v", err)
			}
		}
	}
	clf, _, err := sparsekm.Train(t.Context(), two, sparsekm.Options{Trainer: svc.Trainer{C: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = reduce.Weights(clf); err == nil {
		t.Error("an RBF kernel has weights")
	}
}
