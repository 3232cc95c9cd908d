package reduce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

const (
	moveSteps     = 400  // most of one search
	moveTolerance = 1e-6 // of the gradient, see centres.Fitter.Fit
	moveNorm      = 0.1  // weight of the norm against the loss of as many samples as are given: 1/C of classes
	movePrice     = 0.01 // of the widths' logarithms
	// Of values the weight of the norm is against the mean loss of a model of the given one's norm: it pays for it
	// what a miss of 0.039 at every sample costs.
	valueNorm, valuePrice = 3e-3, 1

	moveSeed = 1
	// The first model is the best of several searches, of as many as have together so many products of samples,
	// vectors and features in a step: with few vectors each ends elsewhere.
	moveStarts   = 8
	moveProducts = 1 << 21
)

// Move builds vectors instead of the classifier's: fewer, at places of their own, and with a width for each
// feature (one for all with OneWidth). It is for one RBF kernel that all models share; see [Movable].
//
// With F the decisions of the given models, vectors, widths and coefficients minimise over the samples of data
// the squared hinge to F's side (Wu, Schölkopf and Bakır 2006; "distillation"), each sample by 0.1 + min(1, |F|), since
// near F = 0 either side will do; where F is on the wrong side of a label, by 0.1 and to the label's. Beside the
// samples stand seven times as many, drawn on the lines between them, where F is known as well. Without data the
// samples are the classifier's own vectors, and it is F itself that is followed: (f − F)² where |F| ≤ 1, the squared
// hinge beyond. The vectors are a local optimum, of several the best; the coefficients are the best for them. With a
// [Options.Teacher] F is the teacher's decision over the mean of their sizes, known at the samples of data alone, so
// that none are drawn. Of a model of values it is F that is followed, by (f − F)², with data and without; a teacher's
// F are its values, as they are.
//
// Of the rules of o it takes [MaxSV] and [MaxLoss]: K vectors at once, or ever more until the loss on the validation
// data is within its bound, each number begun at the vectors of the last and where it misses most. The result
// never has more vectors than the given model, unless a teacher is followed. Lambda and Refit have no meaning here.
// Errors are as for [Prune].
func Move(ctx context.Context, c *model.Classifier, data *dataset.Set, o Options) (*Result, error) {
	o.Lambda = DefaultLambda
	if err := o.validate(data); err != nil {
		return nil, err
	}
	v, err := newMover(c, data, o)
	if err != nil {
		return nil, err
	}
	if within := o.already(c.NumVectors()); within != nil && o.Teacher == nil {
		v.result.Classifier, v.result.SVAfter, v.result.Stopped = c, c.NumVectors(), within.String()
		v.result.Message = fmt.Sprintf("nothing moved: the model has %d vectors", c.NumVectors())
		return v.result, nil
	}
	if err = v.run(ctx); err != nil {
		return nil, err
	}
	return v.result, v.build(ctx)
}

// Movable reports why [Move] cannot take the classifier; nil if it can.
func Movable(c *model.Classifier) error {
	if c.Task() == learn.Density {
		return errDensity
	}
	if c.Sparse() {
		return errors.New("reduce: sparse vectors do not move, they would in every feature (Classifier.Dense stores these)")
	}
	if !c.Kernel().Gaussian() {
		return fmt.Errorf("reduce: vectors move with the rbf kernel only, the model has %v", c.Kernel().Kind)
	}
	for i, m := range c.Parts().Submodels {
		if m.Kernel != nil {
			return fmt.Errorf("reduce: model %d has a kernel of its own, want models that share one", i)
		}
	}
	return nil
}

// mover is one such reduction under way.
type mover struct {
	job
	pool    *pool
	values  bool
	problem *centres.Problem
	fitter  *centres.Fitter
	class   []int   // of the problem's samples
	size    int     // K asked for, 0 for none
	loss    float64 // most percentage points of more error; infinite without a rule
	rule    *Rule   // that of size
	rng     *rand.Rand
	machine *centres.Model // nil until there is one
	teacher []float64      // decisions at the data's samples, their mean size 1, or values; nil without
}

func newMover(c *model.Classifier, data *dataset.Set, o Options) (*mover, error) {
	if err := Movable(c); err != nil {
		return nil, err
	}
	q, err := newPool(c)
	if err != nil {
		return nil, err
	}
	v := &mover{pool: q, values: c.Task() == learn.Regress, loss: math.Inf(1), rng: rand.New(rand.NewPCG(moveSeed, 0))}
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
	if err = v.load(data); err != nil {
		return nil, err
	}
	return v, v.heed()
}

// run finds the model.
func (v *mover) run(ctx context.Context) error {
	most := v.pool.n
	if math.IsInf(v.loss, 1) {
		if most = min(most, v.size); v.teacher != nil {
			most = v.size
		}
	}
	err := v.state(ctx, most)
	if err != nil {
		return err
	}
	if v.fitter, err = centres.NewFitter(ctx, v.problem); err != nil {
		return fmt.Errorf("reduce: %w", err)
	}
	if math.IsInf(v.loss, 1) {
		v.result.Stopped = v.rule.String()
		return v.stage(ctx, most)
	}
	return v.until(ctx)
}

// stage makes the model of k vectors: from the one before, or else the best of several.
func (v *mover) stage(ctx context.Context, k int) error {
	starts := 1
	if v.machine == nil {
		starts = max(1, min(moveStarts, moveProducts/(v.problem.N*k*max(1, v.problem.D))))
	}
	var best *centres.Model
	least := math.Inf(1)
	for i := range starts {
		v.progress("move")(float64(i) / float64(starts))
		m, err := v.start(ctx, k)
		if err != nil {
			return err
		}
		found := v.fitter.Fit(ctx, m, moveSteps, moveTolerance, nil)
		if best == nil || found.Objective < least {
			best, least = m, found.Objective
		}
	}
	v.machine = best
	_, err := centres.Refit(ctx, v.problem, best)
	return err
}

// start is a model of k vectors, those of the last if there is one among them, with the best coefficients.
func (v *mover) start(ctx context.Context, k int) (*centres.Model, error) {
	m := v.problem.NewModel(v.begin(ctx, k))
	if last := v.machine; last != nil {
		for o := range v.problem.Outputs {
			copy(m.Coef[o*m.K:], last.Coef[o*last.K:(o+1)*last.K])
		}
		copy(m.Bias, last.Bias)
		m.Kernel = last.Kernel
	}
	_, err := centres.Refit(ctx, v.problem, m)
	return m, err
}

// begin returns the vectors of the last model and new ones, in the proportions of the classes: where the model
// misses most, and at first anywhere.
func (v *mover) begin(ctx context.Context, k int) []float64 {
	p := v.problem
	var vectors []float64
	chance := make([]float64, p.N)
	if v.machine != nil {
		vectors = slices.Clone(v.machine.Vectors)
		k -= v.machine.K
	}
	for o := range p.Outputs {
		miss := p.Weight[o*p.N : (o+1)*p.N]
		if v.machine != nil {
			miss = p.Slopes(v.machine.Decisions(p, o), o)
		}
		for i, t := range miss {
			chance[i] += t * t
		}
	}
	sizes := make([]float64, max(1, len(v.pool.parts.Labels)))
	for i, c := range v.class {
		sizes[c] += chance[i]
	}
	for c, count := range centres.Shares(k, sizes) {
		vectors = append(vectors, v.fitter.Centres(ctx, count, func(i int) float64 {
			if v.class[i] == c {
				return chance[i]
			}
			return 0
		}, v.rng)...)
	}
	return vectors
}

// build makes the classifier of the model, compares it with the given one and times both.
func (v *mover) build(ctx context.Context) error {
	r := v.result
	r.Classifier = v.given
	if v.machine != nil {
		c, err := v.classifier()
		if err != nil {
			return err
		}
		r.Classifier, r.PlattStale = c, c.Parts().PlattStale
	}
	r.SVAfter = r.Classifier.NumVectors()
	slices.SortStableFunc(r.Curve, func(a, b Point) int { return b.SV - a.SV })
	if err := v.judge(ctx); err != nil {
		return err
	}
	if v.data != nil {
		var err error
		if r.HingeBefore, err = hinge(ctx, v.given, v.given, *v.data, v.opt.Threads); err != nil {
			return err
		}
		if r.HingeAfter, err = hinge(ctx, r.Classifier, v.given, *v.data, v.opt.Threads); err != nil {
			return err
		}
	}
	if v.teacher != nil {
		if err := v.examine(ctx); err != nil {
			return err
		}
	}
	if v.opt.Latency {
		r.MicrosBefore, r.MicrosAfter = Microseconds(v.given), Microseconds(r.Classifier)
	}
	return ctx.Err()
}

// classifier is the given one with the model's kernel, vectors and coefficients.
func (v *mover) classifier() (*model.Classifier, error) {
	p, m := v.pool.parts, v.machine
	p.Kernel, p.N, p.Vectors, p.Rows = m.Kernel, m.K, m.Vectors, nil
	all := make([]int, m.K)
	for j := range all {
		all[j] = j
	}
	p.Submodels = make([]learn.Submodel, v.pool.m)
	for o, given := range v.pool.parts.Submodels {
		p.Submodels[o] = learn.Submodel{Pos: given.Pos, Neg: given.Neg,
			Expansion: learn.Expansion{Support: all, Coef: m.Coef[o*m.K : (o+1)*m.K], Bias: m.Bias[o]}}
	}
	p.PlattStale, p.Posterior = len(p.Platt) > 0, nil
	return model.New(p)
}
