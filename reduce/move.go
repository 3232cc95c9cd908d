package reduce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

const (
	moveSteps     = 400  // most of one search
	moveTolerance = 1e-6 // of the gradient, see centres.Fitter.Fit
	moveNorm      = 0.1  // weight of the norm against the loss of all samples, 1/C: classes
	movePenalty   = 0.01 // weight of the widths' logarithms
	// For regression the weight of the norm is relative: the norm of the given model costs as much as a residual of 0.039
	// at every sample.
	valueNorm, valuePenalty = 3e-3, 1

	moveSeed = 1
	// The first model is the best of several searches, since with few vectors each ends in another optimum. There are as
	// many as have together moveProducts products of samples, vectors and features in a step, at most moveStarts.
	moveStarts   = 8
	moveProducts = 1 << 21
)

// Move trains centres that replace the support vectors: fewer vectors, which are no samples, and a width for each
// feature (one for all with OneWidth). All submodels must share a kernel with slopes, such as RBF; see [Movable].
//
// With F the decision values of the given model, it minimises over vectors, widths and coefficients the squared hinge
// loss of the samples of data with the signs of F as labels (Wu, Schölkopf and Bakır 2006; "distillation"). A sample's
// weight is 0.1 + min(1, |F|), since near F = 0 the sign matters little. A sample whose label contradicts F has its
// label and the weight 0.1. To the samples come seven times as many, drawn on the lines between them, for which F is
// computed. Without data the samples are the given model's vectors, and the loss is (f − F)² if |F| ≤ 1, else the
// squared hinge. The vectors are the best of several local optima; the coefficients are optimal for them. For
// regression the loss is (f − F)², with data and without.
//
// It takes the rules [MaxSV] and [MaxLoss]. The first trains K vectors. The second trains ever more vectors until the
// loss on the validation data is within its bound; each number begins at the last vectors and at the samples of largest
// loss. The result never has more vectors than the given model. Lambda and Refit have no effect. Errors are as for
// [Prune].
func Move(ctx context.Context, c *model.Classifier, data *dataset.Set, o Options) (*Result, error) {
	o.Lambda = defaultLambda
	if err := o.validate(data); err != nil {
		return nil, err
	}
	v, err := newMover(c, data, o)
	if err != nil {
		return nil, err
	}
	if o.already(c, v.result, "moved") {
		return v.result, nil
	}
	if err = v.run(ctx); err != nil {
		return nil, err
	}
	return v.result, v.build(ctx)
}

// Movable returns an error if [Move] cannot take the model.
func Movable(c *model.Classifier) error {
	if c.Task() == learn.Density {
		return errDensity
	}
	p := c.Parts()
	if err := sums(&p); err != nil {
		return err
	}
	if c.Sparse() {
		return errors.New("reduce: sparse vectors do not move, they would in every feature (Classifier.Dense stores these)")
	}
	if err := c.Kernel().ValidateSlopes(); err != nil {
		return fmt.Errorf("reduce: vectors do not move: %w", err)
	}
	return nil
}

// mover is a run of Move in progress.
type mover struct {
	job
	pool    *pool
	values  bool
	problem *centres.Problem
	fitter  *centres.Fitter
	class   []int   // of the problem's samples
	size    int     // K of the rule, 0 for none
	loss    float64 // bound on the increase of the error, in percentage points; infinite without a rule
	rule    *Rule   // the rule of size
	rng     *rand.Rand
	current *centres.Model // nil before the first

	unit, mean float64 // of the problem's targets, where they are values
}

func newMover(c *model.Classifier, data *dataset.Set, o Options) (*mover, error) {
	if err := Movable(c); err != nil {
		return nil, err
	}
	q, err := newPool(c)
	if err != nil {
		return nil, err
	}
	v := &mover{pool: q, unit: 1, values: c.Task() == learn.Regress, loss: math.Inf(1), rng: rand.New(rand.NewPCG(moveSeed, 0))}
	v.job = job{given: c, opt: o, throttle: o.Throttle(),
		result: &Result{Report: Report{Method: "move", SVBefore: c.NumVectors(), Merged: len(q.merged)}}}
	for i := range o.Stop {
		switch r := &o.Stop[i]; r.kind {
		case ruleSize:
			if v.rule == nil || int(r.value) < v.size {
				v.size, v.rule = int(r.value), r
			}
		case ruleLoss:
			v.loss = min(v.loss, r.value)
		default:
			return nil, fmt.Errorf("reduce: trained centres stop at a number of vectors or an error, not at %s", r)
		}
	}
	if len(o.Stop) == 0 {
		return nil, errors.New("reduce: trained centres need a number of vectors or an error to stop at")
	}
	return v, v.load(data)
}

// run finds the model.
func (v *mover) run(ctx context.Context) error {
	largest := v.pool.n
	if math.IsInf(v.loss, 1) {
		largest = min(largest, v.size)
	}
	err := v.state(ctx, largest)
	if err != nil {
		return err
	}
	if v.fitter, err = centres.NewFitter(ctx, v.problem); err != nil {
		return fmt.Errorf("reduce: %w", err)
	}
	if math.IsInf(v.loss, 1) {
		v.result.Stopped = v.rule.String()
		return v.stage(ctx, largest)
	}
	return v.until(ctx)
}

// stage trains k vectors: from the last model, or the best of several searches.
func (v *mover) stage(ctx context.Context, k int) error {
	starts := 1
	if v.current == nil {
		starts = max(1, min(moveStarts, moveProducts/(v.problem.N*k*max(1, v.problem.D))))
	}
	var best *centres.Model
	smallest := math.Inf(1)
	for i := range starts {
		v.progress("move")(float64(i) / float64(starts))
		m, err := v.start(ctx, k)
		if err != nil {
			return err
		}
		fit := v.fitter.Fit(ctx, m, moveSteps, moveTolerance, nil)
		if best == nil || fit.Objective < smallest {
			best, smallest = m, fit.Objective
		}
	}
	v.current = best
	_, err := centres.Refit(ctx, v.problem, best)
	return err
}

// start returns a model of k vectors with optimal coefficients: those of the last model, and new ones in the
// proportions of the classes, with a chance that grows with the model's slope of the loss, or without a model with the
// sample's weight.
func (v *mover) start(ctx context.Context, k int) (*centres.Model, error) {
	p := v.problem
	s := centres.Start{Last: v.current, Vectors: k, Class: v.class, Classes: max(1, len(v.pool.parts.Labels)),
		Chance: make([]float64, p.N), Rand: v.rng, Solve: func(m *centres.Model) error {
			_, err := centres.Refit(ctx, p, m)
			return err
		}}
	if v.current != nil {
		s.Vectors -= v.current.K
	}
	for o := range p.Outputs {
		slopes := p.Weight[o*p.N : (o+1)*p.N]
		if v.current != nil {
			slopes = p.Slopes(v.current.Decisions(p, o), o)
		}
		for i, t := range slopes {
			s.Chance[i] += t * t
		}
	}
	return v.fitter.Begin(ctx, s)
}

// build makes the classifier of the model, compares it with the given one and times both.
func (v *mover) build(ctx context.Context) error {
	r := v.result
	r.Classifier = v.given
	if v.current != nil {
		c, err := v.classifier()
		if err != nil {
			return err
		}
		r.Classifier, r.PlattStale = c, c.Parts().PlattStale
	}
	r.SVAfter = r.Classifier.NumVectors()
	deal.Sort(r.Curve, func(a, b Point) int { return b.SV - a.SV })
	if err := v.judge(ctx); err != nil {
		return err
	}
	if v.data != nil {
		if err := v.losses(ctx); err != nil {
			return err
		}
	}
	if v.opt.Latency {
		r.MicrosBefore, r.MicrosAfter = Microseconds(v.given), Microseconds(r.Classifier)
	}
	return ctx.Err()
}

// classifier returns the given model with the trained kernel, vectors and coefficients.
func (v *mover) classifier() (*model.Classifier, error) {
	p, m := v.pool.parts, v.current
	p.Kernel, p.N, p.Vectors, p.Rows = m.Kernel, m.K, m.Vectors, nil
	all := deal.All(m.K)
	p.Submodels = make([]learn.Submodel, v.pool.m)
	for o, given := range v.pool.parts.Submodels {
		p.Submodels[o] = learn.Submodel{Pos: given.Pos, Neg: given.Neg,
			Expansion: learn.Expansion{Support: all, Coef: make([]float64, m.K), Bias: v.mean + v.unit*m.Bias[o]}}
		for j, a := range m.Coef[o*m.K : (o+1)*m.K] {
			p.Submodels[o].Coef[j] = v.unit * a
		}
	}
	p.PlattStale, p.Posterior, p.Conformal, p.Marks = len(p.Platt) > 0, nil, nil, nil
	return model.New(p)
}

// until trains ever larger models until the error is within the bound.
func (v *mover) until(ctx context.Context) error {
	before, err := v.count(ctx)
	if err != nil {
		return err
	}
	var wrong float64
	for k := 1; k < v.pool.n; k = max(k+1, k*4/3) {
		last := 0
		if v.current != nil {
			last = v.current.K
		}
		if err = v.stage(ctx, k); err != nil {
			return err
		}
		if v.current.K == last { // there are no more different samples
			break
		}
		if wrong, err = v.count(ctx); err != nil {
			return err
		}
		if wrong-before <= v.loss/100*float64(v.validation.n) {
			v.result.Stopped = MaxLoss(v.loss).of(v.values)
			if v.size > 0 && v.current.K > v.size {
				v.result.Message = fmt.Sprintf("%s cannot be met within %s", v.rule, v.result.Stopped)
			}
			return nil
		}
	}
	v.current = nil
	v.result.Stopped = MaxLoss(v.loss).of(v.values)
	v.result.Message = "nothing moved: no smaller number of vectors keeps within " + v.result.Stopped
	return nil
}

// count returns the number of errors of the current model on the validation data, for regression the error in standard
// deviations times the number of samples, and adds the stage to the curve. Before the first model it counts for the
// given one.
func (v *mover) count(ctx context.Context) (wrong float64, err error) {
	c := v.given
	if v.current != nil {
		if c, err = v.classifier(); err != nil {
			return 0, err
		}
	}
	m, err := v.compare(ctx, c, v.validation)
	if err != nil {
		return 0, err
	}
	stage := Point{SV: c.NumVectors(), Error: m.ErrorAfter, Agreement: m.Agreement}
	if v.data != nil {
		var loss float64
		if loss, err = v.hinge(ctx, c); err != nil {
			return 0, err
		}
		if v.current == nil {
			v.result.HingeBefore = loss
		}
		stage.HingeIncrease = loss - v.result.HingeBefore
	}
	if v.opt.Latency {
		stage.Micros = Microseconds(c)
	}
	v.result.Curve = append(v.result.Curve, stage)
	if wrong = m.ErrorAfter * float64(v.validation.n); !v.values {
		wrong = math.Round(wrong)
	}
	return wrong, nil
}
