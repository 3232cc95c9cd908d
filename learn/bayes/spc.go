package bayes

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// SPC is the method "spc" with its parameters: the sparse probit classifier of Figueiredo (2003), a comparison method
// of Huang et al. (2010), section 3.5.2. It maximises
//
//	Σ w_i ln Φ(y_i f(x_i)) − Σ ln |β_j|
//
// over the non-zero coefficients, by expectation maximisation from a ridge regression.
type SPC struct {
	learn.Named[SPC]
	NoBias  bool // the model has no bias
	MaxIter int  // limit on steps; 0 means 10000
}

// EstimateMemory implements [learn.Trainer]: the kernel matrix, its square and the matrix of a step.
func (SPC) EstimateMemory(n, d int) int64 { return taskBytes(n, d, 2, 0) }

// SPCFigures are the figures of a report of the sparse probit classifier.
type SPCFigures struct {
	// Posterior is Σ w ln Φ(y f) − Σ ln |β_j| over the remaining coefficients, after each step. A step lowers it only
	// if it drops a coefficient, which removes a term of the second sum.
	Posterior []float64 `json:"log_posterior"`
	// FixedPoint is the largest |β_j ∂/∂β_j Σ w ln Φ(y f) − 1|, which is 0 at a fixed point.
	FixedPoint float64 `json:"fixed_point"`
	Merged     int     `json:"merged"` // samples that repeat another's features and share its coefficient
}

// Train implements [learn.Trainer]. The report's Objective is Σ ln |β_j| − Σ w ln Φ(y f), its Figures are an
// [SPCFigures]. Status is Optimal at a fixed point of the steps.
func (t SPC) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	begin := time.Now()
	task, err := newTask(ctx, p, t.Name(), !t.NoBias, 2)
	if err != nil {
		return nil, err
	}
	e, err := newEM(ctx, task)
	if err != nil && ctx.Err() != nil {
		return nil, learn.Nothing(ctx, t.Name())
	} else if err != nil {
		return nil, fmt.Errorf("spc: initial ridge regression: %w", err)
	}
	st := e.run(ctx, t.MaxIter)
	r := new(learn.Result)
	r.Expansion, _, _ = task.expansion(e.at, e.beta, make([]float64, len(e.at)))
	figures := SPCFigures{Posterior: e.history, FixedPoint: e.fixedPoint(), Merged: task.merged}
	r.Report = learn.Report{Status: st, Iterations: len(e.history), KernelEvals: task.evals()}
	if n := len(e.history); n > 0 {
		r.Report.Objective = -e.history[n-1]
	}
	task.say(r)
	if st == status.Numerical {
		r.Report.AddMessage("rounding keeps the steps from a fixed point: weights or kernel values differ by too much")
	}
	if !r.Report.Unjudged(ctx) {
		e.judge(ctx, r, &figures)
	}
	r.Report.Figures = figures
	r.Report.Seconds = learn.Seconds{Gram: task.gram.Seconds(), Solve: (time.Since(begin) - task.gram).Seconds()}
	return r, nil
}

// judge recomputes objective and fixed point from the returned model, and fits the slope of its probabilities.
func (e *em) judge(ctx context.Context, r *learn.Result, figures *SPCFigures) {
	f := e.p.Decisions(ctx, &r.Expansion, e.first)
	value := e.eval(f, e.slope, e.curvature)
	figures.FixedPoint = 0
	for s, g := range e.p.Sums(ctx, e.first, r.Support, e.slope) {
		figures.FixedPoint = max(figures.FixedPoint, math.Abs(r.Coef[s]*g-1))
		value -= math.Log(math.Abs(r.Coef[s]))
	}
	if r.Bias != 0 {
		var sum float64
		for _, g := range e.slope {
			sum += g
		}
		figures.FixedPoint = max(figures.FixedPoint, math.Abs(r.Bias*sum-1))
		value -= math.Log(math.Abs(r.Bias))
	}
	if r.Report.Unjudged(ctx) {
		return
	}
	r.Report.Objective = -value
	p := make([]float64, e.n)
	for i, v := range f {
		p[i] = e.average(v, 0)
	}
	slope := e.slopeOf(f, p)
	r.Report.Slope = &slope
	if !(figures.FixedPoint <= fixed) && r.Report.Status == status.Optimal {
		r.Report.Status = status.Numerical
		r.Report.AddMessage(fmt.Sprintf("the model is %.2g from a fixed point; optimal means at most %v",
			figures.FixedPoint, fixed))
	}
}
