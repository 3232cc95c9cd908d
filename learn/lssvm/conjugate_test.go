package lssvm

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Both solvers find the solution of one system, with weights, repeated samples and values too.
func TestConjugateIsTheInverse(t *testing.T) {
	for seed := range uint64(6) {
		p := ref.Clouds(seed, 60, 3)
		p.Weight = ref.Ones(p.N)
		for i := range p.Weight {
			p.Weight[i] = float64(i%3) / 2
		}
		copy(p.X[:9], p.X[9:18])
		if seed%2 == 1 {
			p.Task = learn.Regress
			for i := range p.Y {
				p.Y[i] += float64(i) / 10
			}
		}
		for _, gamma := range []float64{0.1, 10, 1e4} {
			want, err := Dual{GammaReg: gamma}.Train(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Dual{GammaReg: gamma, Solver: byConjugate}.Train(t.Context(), p)
			if err != nil || got.Report.Status != status.Optimal {
				t.Fatalf("%v, %v", got, err)
			}
			testutil.Near(t, "bias", got.Bias, want.Bias, 1e-5)
			f, g := p.Decisions(t.Context(), &got.Expansion, p.Present()), p.Decisions(t.Context(), &want.Expansion, p.Present())
			testutil.NearAll(t, "decisions", f, g, 1e-5)
			testutil.Near(t, "objective", got.Report.Objective, want.Report.Objective, 1e-6*max(1, want.Report.Objective))
		}
	}
}

// A budget with no room for the matrix is enough, a limit keeps the steps so far, and what has no solution is refused.
func TestConjugateEnds(t *testing.T) {
	p := ref.Clouds(1, 400, 3)
	p.Memory = 600 << 10 // the matrix takes 1.3 MB
	r, err := Dual{Solver: byConjugate}.Train(t.Context(), p)
	if err != nil || r.Report.Status != status.Optimal {
		t.Fatalf("%v, %v", r, err)
	}
	if _, err = (Dual{}).Train(t.Context(), p); !errors.As(err, new(*learn.BudgetError)) {
		t.Errorf("the inverse in 600 kB: %v", err)
	}
	r, err = Dual{Solver: byConjugate, MaxIter: 3}.Train(t.Context(), p)
	if err != nil || r.Report.Status != status.IterationLimit || r.Report.Iterations != 6 || r.Report.Residual == nil {
		t.Errorf("after three steps a system: %v, %v", r, err)
	}
	if _, err = (Dual{Solver: byConjugate, Grid: []float64{1}}).Train(t.Context(), p); err == nil {
		t.Error("a grid without leave-one-out errors")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err = (Dual{Solver: byConjugate}).Train(ended, p); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v, %v", r, err)
	}
	half, stop := context.WithCancel(t.Context())
	p.Progress = func(learn.Event) { stop() } // in the first of two systems
	if r, err = (Dual{Solver: byConjugate}).Train(half, p); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("after half of the way: %v, %v", r, err)
	}
	p.Progress, p.Kernel = nil, gram.Sigmoid(1, -3)
	if _, err = (Dual{Solver: byConjugate, GammaReg: 1e6}).Train(t.Context(), p); err == nil ||
		!strings.Contains(err.Error(), "not positive definite") {
		t.Errorf("an indefinite kernel: %v", err)
	}
}
