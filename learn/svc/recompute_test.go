package svc

import (
	"testing"

	judges "github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// TestLostSteps trains where a step to the bound is 1e17 in units of f: what is returned is not called
// optimal, or it is.
func TestLostSteps(t *testing.T) {
	h := judges.NewProblem(judges.Wild, 4084)
	p := &learn.Problem{X: h.X, N: h.N, D: h.D, Y: []float64{-1, 1, 1}, Kernel: h.Kernel}
	r := mustTrain(t, Trainer{C: h.C}, p)
	v := judges.New(p).Machine(Trainer{C: h.C}, r)
	if doubts := v.Doubts(Trainer{C: h.C}, &r.Report); r.Report.Status == status.Optimal && len(doubts) > 0 {
		t.Errorf("%s: optimal, but %v", h.Name, doubts)
	}
}
