package greedy

import (
	"context"
	"time"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/leastsq"
	"github.com/sparsekm/sparsekm/status"
)

// Figures is the Report.Figures of this package's methods.
type Figures struct {
	J []float64 `json:"j"` // objective of eq. (11) of Abe (2008) after each support vector
}

// chooser makes the choice of support vectors. The selection may be empty.
type chooser func(ctx context.Context, t *leastsq.Task) (*forward, status.Status, error)

// declareLimits declares what every forward selection has.
func declareLimits(p *learn.Params, eta *float64, maxSV, candidates *int, draws int, seed *uint64) {
	p.Eta(eta, 1e-4)
	p.MaxSV(maxSV)
	p.Candidates(candidates, draws)
	p.Seed(seed)
}

// search is the chooser of a forward selection.
func search(cr criterion, lim limits) chooser {
	return func(ctx context.Context, t *leastsq.Task) (*forward, status.Status, error) {
		if err := t.Budget.Take(forwardBytes(t.N, t.D, cr.ridge)); err != nil {
			return nil, status.Unknown, err
		}
		f := newForward(t, cr, lim)
		return f, f.run(ctx), nil
	}
}

// choose runs one selection; method is for its errors.
func choose(ctx context.Context, p *learn.Problem, method string, by chooser) (*Selection, *leastsq.Task, error) {
	start := time.Now()
	t, err := leastsq.New(method, p)
	if err != nil {
		return nil, nil, err
	}
	f, st, err := by(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	if len(f.kept) == 0 && ctx.Err() != nil {
		return nil, nil, learn.Nothing(ctx, method)
	}
	s := f.selection(st)
	s.Seconds = time.Since(start).Seconds()
	return s, t, nil
}

// train selects, and fits with the penalty ½‖v‖²/c beside the selection's own.
func train(ctx context.Context, p *learn.Problem, method string, by chooser, c float64) (*learn.Result, error) {
	s, t, err := choose(ctx, p, method, by)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	r := &learn.Result{Expansion: s.Solve(len(s.Support), c)}
	left := residual(t, s, &r.Expansion, c)
	r.Report = learn.Report{
		Status: s.Status, Message: s.Message, Objective: s.objective(r.Coef, c), Residual: &left,
		Iterations: len(s.Support), KernelEvals: s.KernelEvals, Figures: Figures{s.J},
	}
	if len(s.Support) == 0 && s.Status == status.Optimal {
		r.Report.Message = "no kernel column varies over the points: the machine is its bias alone"
	}
	r.Report.Seconds.Solve = s.Seconds + time.Since(start).Seconds()
	return r, nil
}
