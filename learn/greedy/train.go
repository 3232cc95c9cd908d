package greedy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// Figures is the Report.Figures of this package's forward selections.
type Figures struct {
	J []float64 `json:"j"` // objective of eq. (11) of Abe (2008) after each support vector
}

// chooser selects support vectors. The selection may be empty.
type chooser func(ctx context.Context, t *samples.LeastSquares) (*Selection, error)

// rule is a forward selection: its criterion and its limits.
type rule struct {
	criterion
	limits
	c float64 // C of the fit; +Inf if the criterion has the only penalty
}

// choose is the rule's chooser.
func (r rule) choose(ctx context.Context, t *samples.LeastSquares) (*Selection, error) {
	if err := t.Budget.Take(r.bytes(t.N, t.D)); err != nil {
		return nil, err
	}
	f := newForward(t, r.criterion, r.limits)
	return f.selection(f.run(ctx)), nil
}

// selecting is a method that is a forward selection. Its parameters are complete when rule is called.
type selecting interface {
	learn.Trainer
	rule() rule
}

// estimate is the least memory of a method's training, or 0 if its parameters are invalid, which Train reports.
func estimate[T selecting](t T, n, d int) int64 {
	if learn.Complete(&t) != nil {
		return 0
	}
	return samples.LeastSquaresBytes(n, d) + t.rule().bytes(n, d)
}

// trainBy is a method's Train.
func trainBy[T selecting](ctx context.Context, p *learn.Problem, t T) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	r := t.rule()
	return train(ctx, p, t.Name(), r.choose, r.c)
}

// bytes is the memory of a forward selection without the task: vectors over the samples, the workers' columns, the
// first block of support vectors and, unless candidates are drawn, the panels' sums. Stored kernel values are not
// included.
func (r rule) bytes(n, d int) int64 {
	b := 8 * (32*int64(n) + int64(stripsLen(n)) + int64(storeBlockLen(n, shortRows(r.ridge+r.scatter), 0)))
	if r.candidates <= 0 {
		b += gram.Bytes[float64](n, d) + 8*int64(sumsLen(n))
	}
	return b
}

// choose runs one selection; method is named in its errors.
func choose(
	ctx context.Context, p *learn.Problem, method string, by chooser,
) (*Selection, *samples.LeastSquares, error) {
	start := time.Now()
	t, err := samples.NewLeastSquares(method, p)
	if err != nil {
		return nil, nil, err
	}
	s, err := by(ctx, t)
	if errors.Is(err, learn.ErrIndefinite) {
		err = fmt.Errorf("%s: %w", method, err)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(s.Support) == 0 && ctx.Err() != nil {
		return nil, nil, learn.Nothing(ctx, method)
	}
	s.Seconds = time.Since(start).Seconds()
	return s, t, nil
}

// solvedSoon is the number of samples whose coefficients are found within some 50 ms of the end of a context.
const solvedSoon = 512

// train selects, and fits with the penalty ½‖v‖²/c in addition to the selection's own.
func train(ctx context.Context, p *learn.Problem, method string, by chooser, c float64) (*learn.Result, error) {
	s, t, err := choose(ctx, p, method, by)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	in := ctx
	if ctx.Err() != nil { // the selection was cut short; fit what was selected
		in = context.WithoutCancel(ctx)
	}
	n := len(s.Support)
	m, err := s.solve(in, n, c)
	if err != nil { // the context ended here
		n = min(n, solvedSoon)
		if m, err = s.solve(context.WithoutCancel(ctx), n, c); err != nil {
			return nil, learn.Nothing(ctx, method)
		}
		s.Status = status.FromContext(ctx)
	}
	if !math.IsInf(c, 1) {
		m.objective *= c
	}
	r := &learn.Result{Expansion: learn.Expansion{Support: s.Support[:n], Coef: m.coef, Bias: m.bias}}
	r.Report = learn.Report{
		Status: s.Status, Message: s.Message, Objective: m.objective,
		Iterations: n, KernelEvals: s.KernelEvals, Figures: Figures{s.J[:min(n, len(s.J))]},
	}
	if len(s.Support) == 0 && s.Status == status.Optimal {
		r.Report.Message = "no kernel column varies enough over the samples: the model is its bias alone"
	}
	recompute(ctx, t, s, m, r, c)
	r.Report.Seconds.Solve = s.Seconds + time.Since(start).Seconds()
	return r, nil
}
