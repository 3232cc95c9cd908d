package bayes

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// RVM is the method "rvm" with its parameters: the relevance vector machine of Tipping (2001), for regression (section
// 2) and two classes (section 3).
type RVM struct {
	learn.Named[RVM]
	NoBias  bool // the model has no bias
	MaxIter int  // limit on re-estimations; 0 means 10000
}

// EstimateMemory implements [learn.Trainer]: the kernel matrix and the Hessian.
func (RVM) EstimateMemory(n, d int) int64 { return taskBytes(n, d, 1, 0) }

// Figures are the figures of a report of a relevance vector machine, in units of the model's basis functions.
type Figures struct {
	Evidence  []float64 `json:"log_evidence"`         // ln p(t|α) after each accepted step, by Laplace's approximation for classes
	Alpha     []float64 `json:"alpha"`                // prior precisions, one per coefficient
	AlphaBias float64   `json:"alpha_bias,omitempty"` // prior precision of the bias, if there is one
	Noise     float64   `json:"noise,omitempty"`      // standard deviation of the noise, in regression
	// Gradient is the largest component of the log posterior's gradient, recomputed from the model. In regression its
	// unit is the largest target over the noise variance, both in units of the targets' standard deviation.
	Gradient float64 `json:"gradient"`
	Merged   int     `json:"merged"` // samples that repeat another's features and share its coefficient
}

// Train implements [learn.Trainer]. The report's Objective is minus the log marginal likelihood, by Laplace's
// approximation for classes; its Figures are a [Figures]. Status is Optimal if no change of a precision raises the
// marginal likelihood.
func (t RVM) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	task, err := newTask(ctx, p, t.Name(), !t.NoBias, 1, learn.Classify, learn.Regress)
	if err != nil {
		return nil, err
	}
	q := newPosterior(task.likelihoodOf(), task.n, task.cols, task.Threads)
	q.phi = task.phi // the posterior owns it from now on
	if q.noise != nil && task.budget.Take(productsBytes(task.cols)) == nil {
		q.products = newProducts(task.cols)
	}
	start := 1 / float64(task.n*task.n)
	for j := range task.cols {
		q.at = append(q.at, j)
		q.alpha = append(q.alpha, max(start, leastRate))
		q.w = append(q.w, 0)
	}
	q.keep(func(s int) bool { return task.scale[q.at[s]] > 0 })
	c := newClimber(q, task.heaviest(), p.Resources, task.cols)
	if err = q.fit(ctx, c.unit); err != nil && ctx.Err() != nil {
		return nil, learn.Nothing(ctx, t.Name())
	} else if err != nil {
		return nil, fmt.Errorf("rvm: %w", err)
	}
	st := c.climb(ctx, t.MaxIter)
	return task.result(ctx, c, st), nil
}

// heaviest is the largest sample weight, at least 1.
func (t *task) heaviest() float64 {
	most := 1.0
	for i := range t.n {
		most = max(most, t.pos[i]+t.neg[i])
	}
	return most
}

// result makes the model at the climber's mode, and its report.
func (t *task) result(ctx context.Context, c *climber, st status.Status) *learn.Result {
	r, figures := new(learn.Result), Figures{Evidence: c.history, Merged: t.merged}
	if c.noise != nil {
		c.noise.inUnits(c, t.target)
		figures.Noise = t.target / math.Sqrt(c.noise.beta)
	}
	r.Expansion, figures.Alpha, figures.AlphaBias = t.expansion(c.at, c.w, c.alpha)
	r.Report = learn.Report{
		Status: st, Objective: -c.evidence, Iterations: len(c.history), InnerIterations: c.steps, KernelEvals: t.evals(),
	}
	t.say(r)
	if c.noise != nil {
		r.Posterior = t.certainty(ctx, c)
	}
	if !r.Report.Unjudged(ctx) {
		t.judge(ctx, c, r, &figures)
	}
	r.Report.Figures = figures
	r.Report.Seconds = t.seconds()
	return r
}

// say adds messages about empty models and repeated samples.
func (t *task) say(r *learn.Result) {
	switch {
	case len(r.Coef) == 0 && r.Bias == 0:
		r.Report.AddMessage("no basis function explains the targets well enough: the model is f = 0")
	case len(r.Coef) == 0:
		r.Report.AddMessage("no kernel column explains the targets well enough: the model is its bias alone")
	}
	r.Report.AddMessage(learn.Repeats(t.merged))
}

// judge recomputes the gradient of the log posterior from the returned model, and fits the slope of its probabilities.
func (t *task) judge(ctx context.Context, c *climber, r *learn.Result, figures *Figures) {
	f := t.p.Decisions(ctx, &r.Expansion, t.first)
	times(f, 1/t.target)
	slope, curvature, v := make([]float64, t.n), make([]float64, t.n), make([]float64, t.n)
	c.eval(f, slope, curvature)
	var most float64
	for s, g := range t.p.Sums(ctx, t.first, r.Support, slope) {
		most = max(most, math.Abs(g-figures.Alpha[s]*r.Coef[s]*t.target)/t.scale[slices.Index(t.first, r.Support[s])])
	}
	if figures.AlphaBias > 0 {
		most = max(most, math.Abs(dense.Sum(slope)-figures.AlphaBias*r.Bias*t.target))
	}
	most /= c.unitOf(1)
	if figures.Gradient = most; r.Report.Unjudged(ctx) {
		return
	}
	if l, classes := c.likelihood.(chances); classes {
		if c.spread(ctx, v) != nil {
			return
		}
		for i := range v {
			v[i] = l.average(f[i], v[i])
		}
		slopeOf := t.slopeOf(f, v)
		r.Report.Slope = &slopeOf
	}
	if !(most <= 1e-8*c.unit) && r.Report.Status == status.Optimal {
		r.Report.Status = status.Numerical
		r.Report.AddMessage(fmt.Sprintf("the gradient of the log posterior is %.2g; optimal means at most %.2g", most,
			1e-8*c.unit))
	}
}
