package bayes

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/deal"
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
	// Starts is 1 for the initial model of the paper alone, all basis functions. From 2 on, so many of [Fast] are tried
	// too, and the best result stays. 0 means 2.
	Starts int
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
// approximation for classes; its Figures are a [Figures]. Status is LocalOptimum if no step raises the marginal
// likelihood, neither a change of the precisions nor one more basis function; FixedPoint if the last is not known of
// basis functions that were dropped.
//
// If ctx ends in the first fit of all basis functions, the model is that of a few of them, evenly spaced, after at most
// some 40 Newton steps. Before the kernel values are known there is none.
func (t RVM) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	task, err := newTask(ctx, p, t.Name(), !t.NoBias, 1, learn.Classify, learn.Regress)
	if err != nil {
		return nil, err
	}
	c, st, few, err := task.best(ctx, t.Starts, t.MaxIter)
	switch {
	case c == nil && ctx.Err() != nil:
		return nil, learn.Nothing(ctx, t.Name())
	case c == nil:
		return nil, fmt.Errorf("rvm: %w", err)
	}
	r := task.result(ctx, c, st)
	if few {
		r.Report.AddMessage(fmt.Sprintf("the first fit had no time: vectors are chosen among %d basis functions of %d",
			len(c.variance), task.cols))
	}
	return r, nil
}

// best returns the best result of the starts, or the error of all basis functions; after the end of ctx in the first
// fit of these, the result of a few of them, which few reports.
func (t *task) best(ctx context.Context, starts, limit int) (c *climber, st status.Status, few bool, err error) {
	if starts > 1 {
		if s, of, failed := t.search(ctx, starts, limit); failed == nil && s.climber != nil && s.size() > 0 {
			c, st = s.climber, of
		}
	}
	all := t.everything(ctx)
	entered := all.size()
	err = all.fit(ctx, all.unit)
	switch {
	case err == nil:
		of := all.climb(ctx, limit)
		if all.size() == entered {
			all.ends = status.LocalOptimum
		}
		if c == nil || st.Limit() || all.evidence >= c.evidence {
			c, st = all, of
		}
	case ctx.Err() != nil && c == nil:
		c, st = t.ended(ctx, all.posterior)
		few = true
	case ctx.Err() != nil:
		st = status.FromContext(ctx)
	}
	return c, st, few, err
}

// everything starts from all basis functions. It owns the task's phi.
func (t *task) everything(ctx context.Context) *climber {
	q := newPosterior(ctx, t.likelihoodOf(), t.n, t.cols, t.Threads)
	q.phi = t.phi
	if q.noise != nil && t.budget.Take(productsBytes(t.cols)) == nil {
		q.products = newProducts(t.cols)
	}
	q.basis, q.w = deal.All(t.cols), make([]float64, t.cols)
	q.alpha = slices.Repeat([]float64{t.firstRate()}, t.cols)
	q.keep(func(s int) bool { return t.scale[q.basis[s]] > 0 })
	return newClimber(q, t.heaviest(), t.Resources, t.cols)
}

// firstRate is the precision with which coefficients begin.
func (t *task) firstRate() float64 { return max(1/float64(t.n*t.n), minRate) }

// heaviest is the largest sample weight, at least 1.
func (t *task) heaviest() float64 {
	largest := 1.0
	for i := range t.n {
		largest = max(largest, t.pos[i]+t.neg[i])
	}
	return largest
}

// result makes the model at the climber's mode, and its report.
func (t *task) result(ctx context.Context, c *climber, st status.Status) *learn.Result {
	r, figures := new(learn.Result), Figures{Evidence: c.history, Merged: t.merged}
	if c.noise != nil {
		c.noise.inUnits(c, t.target)
		figures.Noise = t.target / math.Sqrt(c.noise.beta)
	}
	r.Expansion, figures.Alpha, figures.AlphaBias = t.expansion(c.basis, c.w, c.alpha)
	r.Report = learn.Report{
		Status: st, Objective: -c.evidence, Iterations: len(c.history), InnerIterations: c.steps, KernelEvals: t.evals(),
	}
	t.addMessages(r)
	if c.noise != nil {
		r.Posterior = t.certainty(ctx, c)
	}
	if !r.Report.Unjudged(ctx) {
		t.recompute(ctx, c, r, &figures)
		r.Report.EndAt(c.ends)
	}
	r.Report.Figures = figures
	r.Report.Seconds = t.seconds()
	return r
}

// addMessages adds messages about empty models and repeated samples.
func (t *task) addMessages(r *learn.Result) {
	switch {
	case len(r.Coef) == 0 && r.Bias == 0:
		r.Report.AddMessage("no basis function explains the targets well enough: the model is f = 0")
	case len(r.Coef) == 0:
		r.Report.AddMessage("no kernel column explains the targets well enough: the model is its bias alone")
	}
	r.Report.AddMessage(learn.Repeats(t.merged))
}

// recompute computes the gradient of the log posterior from the returned model, and fits the slope of its
// probabilities.
func (t *task) recompute(ctx context.Context, c *climber, r *learn.Result, figures *Figures) {
	f := t.p.Decisions(ctx, &r.Expansion, t.first)
	times(f, 1/t.target)
	slope, curvature, v := make([]float64, t.n), make([]float64, t.n), make([]float64, t.n)
	c.eval(f, slope, curvature)
	var largest float64
	for s, g := range t.p.Sums(ctx, t.first, r.Support, slope) {
		largest = max(largest, math.Abs(g-figures.Alpha[s]*r.Coef[s]*t.target)/t.scale[slices.Index(t.first, r.Support[s])])
	}
	if figures.AlphaBias > 0 {
		largest = max(largest, math.Abs(dense.Sum(slope)-figures.AlphaBias*r.Bias*t.target))
	}
	largest /= c.unitOf(1)
	if figures.Gradient = largest; r.Report.Unjudged(ctx) {
		return
	}
	if l, classes := c.likelihood.(chances); classes {
		if c.spread(ctx, v) != nil {
			return
		}
		for i := range v {
			v[i] = l.average(f[i], v[i])
		}
		r.Report.Slope = new(t.slopeOf(f, v))
	}
	if !(largest <= 1e-8*c.unit) && r.Report.Status == status.Optimal {
		r.Report.Status = status.Numerical
		r.Report.AddMessage(fmt.Sprintf("the gradient of the log posterior is %.2g; optimal means at most %.2g", largest,
			1e-8*c.unit))
	}
}

// climber raises the evidence of a posterior by changing all precisions at once.
type climber struct {
	*posterior
	unit     float64   // unit of gradients: the largest sample weight, at least 1
	history  []float64 // evidence after each accepted step
	progress func(func() learn.Event)

	before   saved
	variance []float64 // diagonal of H⁻¹
	c        []float64 // correction computed by drift
	step     []float64 // change of ln α; +Inf to drop
	leaves   []bool
	exact    bool          // MacKay's step has failed
	ends     status.Status // what the end of the steps proves
}

// saved is a state that a failed step returns to.
type saved struct {
	alpha, w []float64
	evidence float64
	beta     float64 // of the noise
}

const (
	minGain = 1e-4  // least gain of evidence: a factor of 1.0001
	minRate = 1e-10 // bounds of the precisions for basis functions of size 1
	maxRate = 1e14  // in units of the noise precision
	gone    = 1e-3  // a basis function with a smaller γ may be dropped at once
)

func newClimber(q *posterior, unit float64, r learn.Resources, limit int) *climber {
	return &climber{
		posterior: q, unit: unit, progress: r.Throttle(),
		variance: make([]float64, limit), c: make([]float64, limit), ends: status.FixedPoint,
	}
}

// climb re-estimates until the evidence does not rise any more. No accepted step lowers it.
func (c *climber) climb(ctx context.Context, limit int) status.Status {
	for c.size() > 0 {
		if len(c.history) >= limit {
			return status.IterationLimit
		}
		rose, err := c.round(ctx)
		if err != nil {
			return c.failure(ctx)
		}
		if !rose {
			break
		}
		c.record("round")
	}
	return status.Optimal
}

// record adds the evidence of an accepted step to the history, and reports it.
func (c *climber) record(phase string) {
	c.history = append(c.history, c.evidence)
	c.progress(func() learn.Event {
		return learn.Event{Phase: phase, Done: -1, Step: len(c.history), Vectors: c.size(), Violation: c.gradient}
	})
}

// failure goes back to the last accepted step after an error of [posterior.fit], and returns the status.
func (c *climber) failure(ctx context.Context) status.Status {
	c.back()
	if st := status.FromContext(ctx); st != status.Unknown {
		return st
	}
	return status.Numerical
}

// round takes one step and reports whether the evidence rose. It first tries the step of MacKay (1992), α ← γ/w²
// (Tipping 2001, eq. 16), which ignores that the mode changes with α and may lower the evidence. Then it takes the
// direction that accounts for the mode, which is one of ascent, and shortens the step until the evidence rises.
func (c *climber) round(ctx context.Context) (rose bool, err error) {
	c.save()
	if err = c.variances(ctx, c.variance[:c.size()]); err != nil {
		return false, err
	}
	if clear(c.c); !c.exact {
		if rose, err = c.try(ctx, 1, true); err != nil || rose {
			return rose, err
		}
		c.exact = true
	}
	if err = c.drift(ctx, c.c[:c.size()], make([]float64, c.n)); err != nil {
		return false, err
	}
	for t := 1.0; t > 1e-4; t /= 4 {
		if rose, err = c.try(ctx, t, t == 1); err != nil || rose {
			return rose, err
		}
	}
	return false, nil
}

func (c *climber) save() {
	c.before = saved{append(c.before.alpha[:0], c.alpha...), append(c.before.w[:0], c.w...), c.evidence, 1}
	if c.noise != nil {
		c.before.beta = c.noise.beta
	}
}

// back restores the saved state; the basis functions must be the same.
func (c *climber) back() {
	copy(c.alpha, c.before.alpha)
	copy(c.w, c.before.w)
	if c.evidence = c.before.evidence; c.noise != nil {
		c.noise.beta = c.before.beta
	}
}

// better reports whether the evidence exceeds the saved one by more than rounding.
func (c *climber) better() bool {
	return c.evidence-c.before.evidence > max(minGain, 1e-12*math.Abs(c.before.evidence))
}

// try moves t times the step and reports whether the evidence is better at the new mode; otherwise it goes back.
func (c *climber) try(ctx context.Context, t float64, leave bool) (better bool, err error) {
	c.direction(leave)
	left, largest := 0, maxRate*c.rate()
	c.leaves = c.leaves[:0]
	for s, d := range c.step {
		c.alpha[s] = max(minRate, min(largest, c.alpha[s]*math.Exp(t*d)))
		if c.leaves = append(c.leaves, c.alpha[s] == largest); c.leaves[s] {
			left++
		}
	}
	if err = c.fit(ctx, c.unit); err != nil {
		return false, err
	}
	if c.better() || left > 0 && c.evidence >= c.before.evidence {
		if left > 0 {
			c.keep(func(s int) bool { return !c.leaves[s] })
			c.save()
			err = c.fit(ctx, c.unit)
		}
		return err == nil, err
	}
	c.back()
	return false, c.fit(ctx, c.unit)
}

// direction sets the change of ln α to the one that solves γ = α w (w − c), limited to a factor of 100. If w² is less
// than γ Σ_jj, the best precision with all else fixed is infinite (Faul & Tipping 2002). If w (w − c) is not positive,
// the evidence rises with α.
func (c *climber) direction(leave bool) {
	const maxStep = 4.6
	c.step = c.step[:0]
	for s, a := range c.alpha {
		gamma := max(0, 1-a*c.variance[s])
		w2 := c.w[s] * (c.w[s] - c.c[s])
		d := math.Log(gamma/w2) - math.Log(a)
		if !(w2 > 0) || !(gamma > 0) || d > 0 && w2 < gamma*c.variance[s] {
			if d = maxStep; leave && gamma < gone {
				d = math.Inf(1)
			}
		}
		c.step = append(c.step, max(-maxStep, d))
		if !math.IsInf(d, 1) {
			c.step[s] = min(maxStep, c.step[s])
		}
	}
}
