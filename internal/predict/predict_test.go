package predict_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/predict"
	"github.com/sparsekm/sparsekm/learn/svc"
)

// TestSet: sparse samples have the predictions of dense ones, which are the classifier's own, and what overflows is cut
// off with the number of its row.
func TestSet(t *testing.T) {
	set := dataset.Ringnorm(100, 1)
	clf, _, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.Poly(3, 1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	dense, err := predict.Set(t.Context(), clf, set, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	stored := &dataset.Set{N: set.N, D: set.D, Sparse: csr.FromDense(set.X, set.N, set.D)}
	sparse, err := predict.Set(t.Context(), clf, stored, 2, false)
	if err != nil {
		t.Fatal(err)
	}
	want, err := clf.ClassifyBatch(set.X, set.N, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(dense.Labels(), want) || !slices.Equal(sparse.Labels(), want) || dense.Finite(0) != nil {
		t.Errorf("other labels than those of ClassifyBatch, or %v", dense.Finite(0))
	}
	dense.Decisions[7] = math.Inf(1)
	if err = dense.Finite(10); err == nil || !strings.Contains(err.Error(), "+Inf for row 17 (from 0)") {
		t.Errorf("error %v", err)
	}
	lines := predict.Lines{Form: "text"}
	text, err := lines.Of(dense, 10)
	if err != nil || dense.N != 7 || string(text) != strings.Join(want[:7], "\n")+"\n" {
		t.Errorf("%d rows, %q, %v", dense.N, text, err)
	}
}
