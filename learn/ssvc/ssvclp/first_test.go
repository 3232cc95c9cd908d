package ssvclp

import (
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	_ "github.com/sparsekm/sparsekm/learn/ssvc" // does the first rounds
	"github.com/sparsekm/sparsekm/status"
)

// noisy is a problem whose first linear program takes many pivots.
func noisy(n int) *learn.Problem {
	set := dataset.Waveform(n, 11)
	return &learn.Problem{X: set.X, N: n, D: set.D, Y: set.RestSigns(0), Kernel: gram.RBF(0.047),
		Resources: learn.Resources{Threads: 1}}
}

// TestFirstRounds: where the first program is long, the training goes on from quadratic programs. It ends at a fixed
// point about as good as the paper's, after fewer pivots.
func TestFirstRounds(t *testing.T) {
	p := noisy(1300)
	for _, at := range []func(exact bool) learn.Trainer{
		func(exact bool) learn.Trainer { return B{C: 10, ExactRounds: exact} },
		func(exact bool) learn.Trainer { return W{C: 10, ExactRounds: exact} },
	} {
		exact, r := ref.Train(t, at(true), p), ref.Train(t, at(false), p)
		for _, r := range []*learn.Result{exact, r} {
			judge(t, "waveform", at(false), p, r)
			checkLinear(t, p, 10, r)
		}
		if 2*r.Report.InnerIterations > exact.Report.InnerIterations {
			t.Errorf("%d pivots, with exact rounds %d", r.Report.InnerIterations, exact.Report.InnerIterations)
		}
		if n, want := len(r.Support), len(exact.Support); 10*n > 11*want || 10*n < 9*want {
			t.Errorf("%d support vectors, with exact rounds %d", n, want)
		}
		if first, want := r.Report.Rounds[0].Objective, exact.Report.Rounds[0].Objective; !(first < want) {
			t.Errorf("the first program's objective is %g, that of exact rounds %g", first, want)
		}
	}
}

// TestFirstRoundsEnd: a training that ends anywhere, or that has no memory for quadratic programs, has a model.
func TestFirstRoundsEnd(t *testing.T) {
	p := noisy(1300)
	tr, ended := B{C: 10}, false
	for looks := 0; !ended; looks = 2*looks + 1 {
		r, err := tr.Train(testutil.EndAfter(t.Context(), looks), p)
		if err != nil {
			continue // nothing was learnt yet
		}
		if ended = r.Report.Status == status.FixedPoint; !ended && r.Report.Status != status.Cancelled {
			t.Fatal(r.Report.Status)
		}
	}
	least := tr.EstimateMemory(p.N, p.D)
	for _, memory := range []int64{least, 2 * least, 4 * least} {
		p.Memory = memory
		if r := ref.Train(t, tr, p); len(r.Support) == 0 {
			t.Error(r.Report.Status, r.Report.Message)
		}
	}
}
