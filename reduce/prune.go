package reduce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// defaultLambda is the λ of Kobayashi and Otsu (2009), section 2.1.
const defaultLambda = 1e-3

// Options of Prune. The zero value is the paper's: λ = 0.001, τ = 0.025.
type Options struct {
	Lambda float64 // ridge of the kernel matrix, greater than 0; 0 means 0.001
	Stop   []Rule  // where to stop; none means Tau(0.025)
	// Algorithm1 removes by the criterion of the paper's Algorithm 1, ε of eq. (5), which leaves λ‖β‖² out. Ordering n
	// vectors then takes about 4n³/3 operations, in steps that are bound by memory.
	Algorithm1 bool
	// Validation has the samples for MaxLoss and for the report's comparison; nil means the data of Prune. They may lack
	// labels.
	Validation *dataset.Set
	// Refit says whether coefficients and biases of the remaining vectors are fitted again, by least squares to the
	// given model's decision values on the data. The paper does not do this.
	Refit RefitRule
	// OneWidth is for Move: one width for all features, as formats without kernel weights (LIBSVM's) need;
	// else each feature has its own.
	OneWidth bool
	// Latency measures the microseconds of a prediction for the report. TargetLatency implies it.
	Latency bool
	learn.Resources
}

// estimateMemory returns a lower bound on the bytes that Prune needs for n distinct vectors on so many threads.
func estimateMemory(n, threads int) int64 {
	return 8 * int64(n) * (2*int64(n) + chunk*int64(parallel.Workers(threads)))
}

// errDensity: coefficients that are fitted again have both signs and a sum other than 1.
var errDensity = errors.New("reduce: a density cannot be reduced: the result would be no density; " +
	"skde with a smaller c has fewer vectors")

// errExtra: reductions compare and move vectors.
var errExtra = errors.New("reduce: the model has a plane or steps: train it with a smaller max_sv")

// errLatent: log odds are a function of a mean and a variance.
var errLatent = errors.New("reduce: a classifier of Gaussian processes, whose decisions are no sums over vectors; " +
	"package distill and sparsekm distill make small models that follow its probabilities")

// sums returns an error unless decision values are sums over vectors with one kernel.
func sums(p *model.Parts) error {
	switch {
	case p.Latent != nil:
		return errLatent
	case !p.Simple():
		return errExtra
	}
	if i := slices.IndexFunc(p.Submodels, func(m learn.Submodel) bool { return m.Kernel != nil }); i >= 0 {
		return fmt.Errorf("reduce: submodel %d has a kernel of its own, want submodels that share one", i)
	}
	return nil
}

// Prune removes support vectors by Algorithm 2 of Kobayashi and Otsu (2009), or Algorithm 1, until a rule stops it. It
// measures the hinge loss on data, usually the training data, with raw features as the model takes them. A sample
// without a label has the class that the given model predicts. data may be nil when all rules are budgets.
//
// For regression the loss is the root of the mean square error; see [Tau] and [MaxLoss]. For several classes the hinge
// loss is the mean over all submodels and the samples of their two classes. The result never has more vectors than the
// given model, and is the given model when no vector can be removed. It does not depend on the number of threads.
//
// Errors are for unusable input (a model without vectors, data of other features or labels, a kernel matrix that λ does
// not make positive definite, too little memory) and for the end of the context.
func Prune(ctx context.Context, c *model.Classifier, data *dataset.Set, o Options) (*Result, error) {
	if c.Task() == learn.Density {
		return nil, errDensity
	}
	if c.Sparse() {
		in, sets, err := newNumbered(c, data, o.Validation)
		if err != nil {
			return nil, err
		}
		o.Validation = sets[1]
		return in.result(Prune(ctx, in.inner, sets[0], o))
	}
	if o.Lambda == 0 {
		o.Lambda = defaultLambda
	}
	if len(o.Stop) == 0 {
		o.Stop = []Rule{Tau(defaultTau)}
	}
	if err := o.validate(data); err != nil {
		return nil, err
	}
	q, err := newPool(c)
	if err != nil {
		return nil, err
	}
	method := "kobayashi"
	if o.Algorithm1 {
		method = "kobayashi-1"
	}
	r := &Result{Report: Report{Method: method, SVBefore: c.NumVectors(), Lambda: o.Lambda, Tau: o.tau()}}
	if o.already(c, r, "removed") {
		return r, nil
	}
	if err := o.Budget("reduce", q.n, q.d).Take(estimateMemory(q.n, o.Threads)); err != nil {
		return nil, err
	}
	j := &job{given: c, opt: o, result: r, throttle: o.Throttle()}
	if err := j.load(data); err != nil {
		return nil, err
	}
	return r, j.prune(ctx, q)
}

func (o *Options) validate(data *dataset.Set) error {
	if !(o.Lambda > 0) || math.IsInf(o.Lambda, 0) {
		return fmt.Errorf("reduce: λ is %v, want a finite number greater than 0", o.Lambda)
	}
	for _, rule := range o.Stop {
		if err := rule.validate(); err != nil {
			return err
		}
		if data == nil && (rule.kind == ruleTau || rule.kind == ruleLoss && o.Validation == nil) {
			return fmt.Errorf("reduce: %s needs data to measure it on", rule)
		}
		o.Latency = o.Latency || rule.kind == ruleLatency
	}
	if data == nil && o.Refit == Refit {
		return errors.New("reduce: a refit needs data")
	}
	return nil
}

// tau returns the smallest τ of the rules, 0 for none.
func (o *Options) tau() float64 {
	smallest := math.Inf(1)
	for _, rule := range o.Stop {
		if rule.kind == ruleTau {
			smallest = min(smallest, rule.value)
		}
	}
	if math.IsInf(smallest, 1) {
		return 0
	}
	return smallest
}

// already reports whether all rules are sizes that the given model keeps. The result is that model then.
func (o *Options) already(c *model.Classifier, r *Result, done string) bool {
	for _, rule := range o.Stop {
		if rule.kind != ruleSize || float64(r.SVBefore) > rule.value {
			return false
		}
		r.Stopped = rule.String()
	}
	r.Classifier, r.SVAfter = c, r.SVBefore
	r.Message = fmt.Sprintf("nothing %s: the model has %d vectors", done, r.SVBefore)
	return true
}

// job is a reduction in progress.
type job struct {
	given      *model.Classifier
	opt        Options
	result     *Result
	data       *evaluated // nil without data
	validation *evaluated // the data itself without validation data
	throttle   func(func() learn.Event)
}

// load scales the data and finds its classes.
func (j *job) load(data *dataset.Set) (err error) {
	parts := j.given.Parts()
	if data != nil {
		if j.data, err = load(&parts, data, "data"); err != nil {
			return err
		}
	}
	j.validation = j.data
	if j.opt.Validation != nil {
		j.validation, err = load(&parts, j.opt.Validation, "validation data")
	}
	return err
}

func load(p *model.Parts, s *dataset.Set, what string) (*evaluated, error) {
	if s.D != p.D {
		return nil, fmt.Errorf("reduce: %s of %d features, the model has %d", what, s.D, p.D)
	}
	if s.N == 0 {
		return nil, fmt.Errorf("reduce: %s without samples", what)
	}
	s, err := s.Dense(model.MaxBytes)
	if err != nil {
		return nil, err
	}
	for i, v := range s.X[:s.N*s.D] {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("reduce: feature %d of sample %d of the %s is %v", i%s.D+1, i/s.D, what, v)
		}
	}
	e := &evaluated{x: s.X, n: s.N}
	if p.Scaling != nil {
		e.x = p.Scaling.Apply(s).X
	}
	if e.values = s.Targets; p.Task == learn.Regress {
		return e, nil
	}
	if s.Y != nil {
		e.y = s.ClassOf(p.Labels)
		if i := slices.Index(e.y, -1); i >= 0 {
			return nil, fmt.Errorf("reduce: sample %d of the %s has the label %q, which the model does not know (it has %q)",
				i, what, s.Labels[s.Y[i]], p.Labels)
		}
	}
	return e, nil
}

// progress returns a function that reports progress within a phase.
func (j *job) progress(phase string) func(done float64) {
	return func(done float64) {
		j.throttle(func() learn.Event { return learn.Event{Phase: phase, Done: done} })
	}
}

// prune orders, evaluates, stops and builds.
func (j *job) prune(ctx context.Context, q *pool) error {
	j.progress("order")(-1)
	p, err := newPath(ctx, q, j.opt.Lambda, j.opt.Algorithm1, parallel.Workers(j.opt.Threads))
	if err != nil {
		return err
	}
	for _, e := range []*evaluated{j.data, j.validation} {
		if e != nil && j.given.Task() == learn.Regress {
			if _, _, err = j.outcomes(ctx, j.given, e); err != nil {
				return err
			}
		}
	}
	var data, validation *curve
	if j.data != nil {
		if data, err = p.scan(ctx, *j.data, j.progress("scan")); err != nil {
			return err
		}
	}
	validation = data
	if j.validation != j.data {
		if validation, err = p.scan(ctx, *j.validation, j.progress("validation")); err != nil {
			return err
		}
	}
	var times *latency
	if j.opt.Latency {
		if times, err = p.measure(ctx); err != nil {
			return err
		}
		if err = times.attainable(j.opt.Stop); err != nil {
			return err
		}
	}
	s, by, missed := stop(j.opt.Stop, p.n, data, validation, times.at)
	j.describe(p, s, by, missed, data, validation, times)
	return j.build(ctx, p, s)
}

// describe fills the report, except for what depends on the new model.
func (j *job) describe(p *path, s int, by, missed *Rule, data, validation *curve, times *latency) {
	r := j.result
	r.SVAfter, r.Merged = s, len(p.merged)
	r.Order = slices.Clone(p.merged)
	for i := p.n - 1; i >= s; i-- {
		r.Order = append(r.Order, p.from[p.rank[i]])
	}
	if data != nil {
		r.HingeIncrease = make([]float64, len(p.merged))
		for i := p.n - 1; i >= s; i-- {
			r.HingeIncrease = append(r.HingeIncrease, data.meanHinge(i)-data.meanHinge(p.n))
		}
		r.HingeBefore, r.HingeAfter = data.meanHinge(p.n), data.meanHinge(s)
	}
	if validation != nil {
		for i := p.n; i >= 1; i-- {
			stage := Point{SV: i, Micros: times.at(i)}
			if data != nil {
				stage.HingeIncrease = data.meanHinge(i) - data.meanHinge(p.n)
			}
			stage.Error, stage.Agreement = validation.fractions(i)
			r.Curve = append(r.Curve, stage)
		}
	}
	r.Stopped = "one vector is left"
	if by != nil {
		r.Stopped = by.of(j.given.Task() == learn.Regress)
	}
	switch {
	case missed != nil:
		r.Message = fmt.Sprintf("%s cannot be met", missed)
		if by != missed && by != nil {
			r.Message += fmt.Sprintf(" within %s", by)
		}
	case len(r.Order) == 0:
		r.Message = "nothing can be removed within " + r.Stopped
	}
}

// build makes the model with s remaining vectors, compares it with the given one, and times both.
func (j *job) build(ctx context.Context, p *path, s int) error {
	r := j.result
	r.Classifier = j.given
	if len(r.Order) > 0 {
		idx, coef, err := p.keep(ctx, s)
		if err != nil {
			return err
		}
		if r.Classifier, err = p.classifier(idx, coef, p.bias()); err != nil {
			return err
		}
		if j.opt.Refit != NoRefit && j.data != nil && s < p.n {
			if err = j.fitAgain(ctx, p, idx, coef); err != nil {
				return err
			}
		}
		r.PlattStale = r.Classifier.Parts().PlattStale
	}
	if err := j.judge(ctx); err != nil {
		return err
	}
	if r.Refit != "" {
		var err error
		if r.HingeAfter, err = j.hinge(ctx, r.Classifier); err != nil {
			return err
		}
	}
	if j.opt.Latency {
		r.MicrosBefore, r.MicrosAfter = Microseconds(j.given), Microseconds(r.Classifier)
	}
	return ctx.Err()
}
