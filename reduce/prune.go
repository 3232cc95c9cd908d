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

// DefaultLambda is the λ of Kobayashi and Otsu (2009), section 2.1.
const DefaultLambda = 1e-3

// Options of Prune. The zero value is the paper's: λ = 0.001, τ = 0.025.
type Options struct {
	Lambda float64 // ridge of the kernel matrix, greater than 0; 0 means DefaultLambda
	Stop   []Rule  // where to stop; none means Tau(DefaultTau)
	// Validation is what MaxLoss and the report's comparison look at; nil means the
	// data that Prune is given. Its points may lack labels.
	Validation *dataset.Set
	// Refit says whether coefficients and biases of the survivors are fitted once more, by least squares to
	// the given model's decisions on the data. The paper does not.
	Refit RefitRule
	// OneWidth is for Move: one width for all features, as formats without kernel weights (LIBSVM's) need;
	// else each has its own.
	OneWidth bool
	// Teacher, for Move with data, is what another model, such as a forest, decides at the points of the data: one
	// number a point, of any unit, signed as the given model's decisions, or for a model of values in its targets' unit.
	// It is followed in the place of the given model, which lends kernel, scaling and classes.
	Teacher []float64
	// Latency measures microseconds a prediction for the report. TargetLatency implies it.
	Latency bool
	learn.Resources
}

// EstimateMemory returns the bytes that Prune needs at least for n distinct vectors on so many threads.
func EstimateMemory(n, threads int) int64 {
	return 8 * int64(n) * (2*int64(n) + chunk*int64(parallel.Workers(threads)))
}

// errDensity: what is fitted again has weights of both signs, and a sum that is not 1.
var errDensity = errors.New("reduce: a model of a density keeps its vectors: what is left would be no density; " +
	"skde with a smaller c has fewer")

// Prune removes vectors of the classifier by Algorithm 2 of Kobayashi and Otsu
// (2009) until a rule stops it. data, raw features as the classifier takes
// them, is what the hinge loss is measured on: the training data, usually. A
// point without a label counts as one of the class that the given model gives it. data may be nil when all
// rules are budgets.
//
// Of a model of real values the loss is the root of the mean square error; see [Tau] and [MaxLoss]. For several
// classes the hinge loss is the mean over all machines and the points of their two classes. The result never has more
// vectors than the classifier, and is the classifier itself when nothing can go. It does not depend on the number of
// threads.
//
// Errors are for input that cannot be used (a model without vectors, data of
// other features or labels, a kernel matrix that λ does not make positive
// definite, too little memory) and for a context that ends.
func Prune(ctx context.Context, c *model.Classifier, data *dataset.Set, o Options) (*Result, error) {
	if o.Teacher != nil {
		return nil, errors.New("reduce: only moved vectors follow a teacher")
	}
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
		o.Lambda = DefaultLambda
	}
	if len(o.Stop) == 0 {
		o.Stop = []Rule{Tau(DefaultTau)}
	}
	if err := o.validate(data); err != nil {
		return nil, err
	}
	q, err := newPool(c)
	if err != nil {
		return nil, err
	}
	r := &Result{Report: Report{Method: "kobayashi", SVBefore: c.NumVectors(), Lambda: o.Lambda, Tau: o.tau()}}
	if within := o.already(c.NumVectors()); within != nil {
		r.Classifier, r.SVAfter, r.Stopped = c, r.SVBefore, within.String()
		r.Message = fmt.Sprintf("nothing removed: the model has %d vectors", r.SVBefore)
		return r, nil
	}
	if err := o.Budget("reduce", q.n, q.d).Take(EstimateMemory(q.n, o.Threads)); err != nil {
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

// tau returns the smallest τ asked for, 0 if none was.
func (o *Options) tau() float64 {
	least := math.Inf(1)
	for _, rule := range o.Stop {
		if rule.kind == ruleTau {
			least = min(least, rule.value)
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}

// already returns a size that the given model keeps, if sizes are all that is asked for.
func (o *Options) already(n int) *Rule {
	var within *Rule
	for i := range o.Stop {
		if r := &o.Stop[i]; r.kind != ruleSize || float64(n) > r.value {
			return nil
		} else {
			within = r
		}
	}
	return within
}

// job is one reduction under way.
type job struct {
	given      *model.Classifier
	opt        Options
	result     *Result
	data       *evaluated // nil without data
	validation *evaluated // the data itself without validation data
	throttle   func(func() learn.Event)
}

// load brings the data into the model's terms.
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
		return nil, fmt.Errorf("reduce: %s without points", what)
	}
	s, err := s.Dense(model.MaxBytes)
	if err != nil {
		return nil, err
	}
	for i, v := range s.X[:s.N*s.D] {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("reduce: feature %d of point %d of the %s is %v", i%s.D+1, i/s.D, what, v)
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
			return nil, fmt.Errorf("reduce: point %d of the %s has the label %q, which the model does not know (it has %q)",
				i, what, s.Labels[s.Y[i]], p.Labels)
		}
	}
	return e, nil
}

// progress tells the caller about a phase, now and then.
func (j *job) progress(phase string) func(done float64) {
	return func(done float64) {
		j.throttle(func() learn.Event { return learn.Event{Phase: phase, Done: done} })
	}
}

// prune orders, evaluates, stops and builds.
func (j *job) prune(ctx context.Context, q *pool) error {
	j.progress("order")(-1)
	p, err := newPath(ctx, q, j.opt.Lambda, parallel.Workers(j.opt.Threads))
	if err != nil {
		return err
	}
	for _, e := range []*evaluated{j.data, j.validation} {
		if e != nil {
			if err = e.prepare(ctx, j.given, j.opt.Threads); err != nil {
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

// describe fills the report, but for what depends on the built classifier.
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
			point := Point{SV: i, Micros: times.at(i)}
			if data != nil {
				point.HingeIncrease = data.meanHinge(i) - data.meanHinge(p.n)
			}
			point.Error, point.Agreement = validation.fractions(i)
			r.Curve = append(r.Curve, point)
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

// build makes the classifier with s survivors, compares it with the given one, and times both.
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
		if r.HingeAfter, err = hinge(ctx, r.Classifier, j.given, *j.data, j.opt.Threads); err != nil {
			return err
		}
	}
	if j.opt.Latency {
		r.MicrosBefore, r.MicrosAfter = Microseconds(j.given), Microseconds(r.Classifier)
	}
	return ctx.Err()
}
