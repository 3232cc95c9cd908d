package skm

import (
	"context"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/status"
)

// TestLinearisationsEnd: a program whose costs are another model's is no optimum of the l0-norm SVM.
func TestLinearisationsEnd(t *testing.T) {
	p := problem(t, dataset.PelegMeir(120, 0.2, 5), gram.RBFSigma(1.5))
	for _, limit := range []int{1, 2} {
		r, err := L0SVM{C: 10, MaxIter: limit}.Train(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if r.Report.Status != status.IterationLimit || r.Report.Iterations != limit || len(r.Support) == 0 {
			t.Errorf("%v after %d linearisations of %d, with %d support vectors",
				r.Report.Status, r.Report.Iterations, limit, len(r.Support))
		}
	}
}
