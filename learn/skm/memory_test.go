package skm

import (
	"errors"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// What a training allocates stays within its budget, and working rows that it has no
// room for are an error.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("collects garbage all the time")
	}
	p := problem(t, dataset.PelegMeir(500, 0.2, 3), gram.RBFSigma(0.5))
	for _, tr := range []learn.Trainer{Trainer{C: 0.01}, L1SVM{C: 10}, L0SVM{C: 10}, LPSVC{C: 100}} {
		p.Memory = tr.EstimateMemory(p.N, p.D) + 4<<20
		var err error
		peak := testutil.PeakHeap(t, func() { _, err = tr.Train(t.Context(), p) })
		if err != nil || peak > p.Memory || peak < int64(p.N)*200*8 {
			t.Errorf("%s: %d bytes at most, the budget is %d, error %v", tr.Name(), peak, p.Memory, err)
		}
		p.Memory = tr.EstimateMemory(p.N, p.D)
		var budget *learn.BudgetError
		if _, err := tr.Train(t.Context(), p); !errors.As(err, &budget) || budget.Need <= p.Memory {
			t.Errorf("%s with the memory of 256 working rows: error %v, want a BudgetError", tr.Name(), err)
		}
	}
}
