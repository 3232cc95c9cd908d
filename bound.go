package sparsekm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/prepare"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/model/predict"
	"github.com/sparsekm/sparsekm/status"
)

// Bound asks for a bound of a classifier's error rate that the training samples alone prove ([ErrorBound]). The zero
// value asks for none.
//
// The coefficients and the bias of the model are then multiples of a power of two, as coarse as makes the bound
// least. A γ that a rule chooses is rounded to a power of √2. Scaled features are not centred, and spreads are
// powers of two.
type Bound struct {
	// Confidence is the probability over the drawing of the samples with which the bound holds, such as 0.95.
	Confidence float64
	// Settings is how many kernels and scalings the caller compared by these samples; 0 means 1. A comparison of C,
	// methods and numbers of vectors costs nothing: the bound holds for all models of one kernel at once. Nor does a
	// comparison of rules for γ, whose result the bound pays for.
	Settings int
}

// ErrorBound is a bound of the error rate on new samples of the same distribution: see [metrics.Compression]. It
// holds if the training samples are independent of each other, and kernel, features and Settings were chosen
// without them.
type ErrorBound struct {
	Value      float64 `json:"value"`
	Confidence float64 `json:"confidence"`
	Kind       string  `json:"kind"`     // compression
	Vectors    int     `json:"vectors"`  // k: training samples that are support vectors
	Others     int     `json:"others"`   // training samples that are none, which test the model
	Errors     int     `json:"errors"`   // of the others
	Bits       float64 `json:"bits"`     // of a coefficient, log₂ of the number of its values
	Message    float64 `json:"message"`  // bits of all coefficients, the bias, γ and spreads
	Settings   int     `json:"settings"` // that were compared
}

// validate refuses what has no bound.
func (b *Bound) validate(set *dataset.Set, o *Options, s *prepare.Spec) error {
	switch {
	case !(b.Confidence > 0 && b.Confidence < 1):
		return fmt.Errorf("sparsekm: a bound with confidence %v, want a share between 0 and 1", b.Confidence)
	case b.Settings < 0:
		return fmt.Errorf("sparsekm: a bound for %d settings, want at least 0", b.Settings)
	case s.Task != learn.Classify || len(set.Labels) != 2:
		return errors.New("sparsekm: a bound of the error rate is for two classes")
	case o.SampleWeight != nil || len(o.ClassWeight) > 0:
		return errors.New("sparsekm: a bound of the error rate counts every sample once; want no weights")
	case o.Calibrate != 0 || o.Conformal != (Conformal{}):
		return errors.New("sparsekm: a bound takes all samples; want no probabilities or prediction sets with it")
	case o.Candidates != nil:
		return errors.New("sparsekm: a bound is for support vectors that are training samples; want no candidates")
	case o.KernelOf != nil || o.LearnWidths || o.CategoryValues > 0:
		return errors.New("sparsekm: a bound is for a kernel chosen without the samples; want neither widths nor values of " +
			"categories learnt from them")
	case s.Scale == dataset.ScaleMinMax:
		return errors.New("sparsekm: a bound with features scaled to an interval; want none or z-scores")
	}
	return ownColumns(set)
}

// ownColumns refuses tables whose features depend on what is in all rows.
func ownColumns(set *dataset.Set) error {
	n := set.Notes
	whole := n != nil && n.Numbers > 0 && len(n.Missing) == 0 // no sample has a value that fills a missing cell
	for _, c := range set.Columns {
		if c.Filled && !whole || c.Role != dataset.RoleNumber && c.Role != dataset.RoleLabel && c.Role != dataset.RoleUnused {
			return fmt.Errorf("sparsekm: a bound is for features that do not depend on other samples; column %q has "+
				"categories, dates or missing cells", c.Name)
		}
	}
	if n != nil && len(n.LeftOut) > 0 {
		return fmt.Errorf("sparsekm: a bound is for features that do not depend on other samples; column %q is left out "+
			"for what is in it: name the columns to leave out", n.LeftOut[0].Column)
	}
	return nil
}

// roundings is how many powers of two are tried, from the largest coefficient's on.
const roundings = 17

// bounded trains, and returns the rounding with the least bound, of all models that the training shows. A bound of one
// half says nothing: the finest rounding of the first model is returned then.
func (t *training) bounded(ctx context.Context, set *dataset.Set) (*Classifier, *Report, error) {
	p, err := t.problem()
	if err != nil {
		return nil, nil, err
	}
	var first *learn.Result
	var best *boundModel
	value := func(r *learn.Result) (float64, error) {
		m, roundErr := t.rounded(ctx, p, r, set)
		if first = cmp.Or(first, r); roundErr != nil {
			return 0, roundErr
		}
		if best == nil || m.Value < min(best.Value, nothing) {
			best = m
		}
		return m.Value, nil
	}
	if several, ok := t.trainer.(learn.Several); ok && several.Leaves() {
		err = several.Models(ctx, p, value)
	} else {
		var r *learn.Result
		if r, err = t.result(ctx, p); err == nil {
			_, err = value(r)
		}
	}
	switch {
	case best == nil && first != nil && ctx.Err() != nil:
		return t.unbounded(ctx, p, first)
	case best == nil || err != nil && ctx.Err() == nil:
		return nil, nil, err
	}
	if best.report.Bound = &best.ErrorBound; ctx.Err() != nil && best.report.Status.Done() {
		best.report.Status = status.FromContext(ctx)
	}
	return best.clf, best.report, nil
}

// nothing is the least bound that says nothing.
const nothing = 0.5

// rounded returns the rounding of a model with the least bound.
func (t *training) rounded(ctx context.Context, p *learn.Problem, r *learn.Result,
	set *dataset.Set) (*boundModel, error) {
	common, err := t.commonBits(set, r)
	if err != nil {
		return nil, err
	}
	var best *boundModel
	for step := range roundings {
		m := newBoundModel(r, p.Y, step, common)
		vacuous := best == nil || best.Value >= nothing
		last := step == roundings-1 && vacuous
		if best != nil && !last && m.value(0, set.N, t.options.Bound) >= best.Value {
			continue // even without errors
		}
		if err = cmp.Or(m.count(ctx, t, p, set), ctx.Err()); err != nil {
			return nil, err
		}
		if best == nil || last || m.Value < best.Value {
			best = m
		}
	}
	return best, nil
}

// unbounded is the model of a context that ended before the bound was found.
func (t *training) unbounded(ctx context.Context, p *learn.Problem, r *learn.Result) (*Classifier, *Report, error) {
	clf, report, err := t.finish(ctx, t.single(p, r))
	if err == nil && report.Status.Done() {
		report.Status = status.FromContext(ctx)
	}
	return clf, report, err
}

// commonBits is the length of what all roundings share: the γ of a rule, the spreads, and a bit each for whether
// there are spreads, and for columns that all are numbers.
func (t *training) commonBits(set *dataset.Set, r *learn.Result) (bits float64, err error) {
	switch {
	case r.Vectors != nil || r.Plane != nil || len(r.Steps) > 0:
		return 0, fmt.Errorf("sparsekm: a bound is for support vectors that are training samples; those of %s are not",
			t.name)
	case r.Kernel != nil:
		return 0, fmt.Errorf("sparsekm: a bound is for a kernel chosen without the samples; %s chooses its own", t.name)
	}
	if bits = 1; set.Notes != nil {
		bits++
	}
	if k := t.Problem.Kernel; k.HasGamma() && t.spec.Kernel.Gamma == 0 {
		bits += metrics.IntegerBits(prepare.Octaves(k.Gamma, prepare.GammaParts))
	}
	if t.Scaling != nil {
		last := int64(0)
		for k, w := range t.Scaling.Spread {
			octave := prepare.Octaves(w, 1)
			if t.Scaling.Center[k] != 0 {
				panic("sparsekm: a scaling that no message describes")
			}
			bits += metrics.StepBits(octave - last)
			last = octave
		}
	}
	return bits, nil
}

// boundModel is a rounding of a model.
type boundModel struct {
	ErrorBound
	result *learn.Result // rounded
	clf    *Classifier
	report *Report
}

// newBoundModel rounds coefficients and bias to multiples of 2^(e−step), where 2^e is the first power of two that
// is not below the largest coefficient. A vector whose coefficient becomes 0 is dropped. If all coefficients have
// the signs of their samples' labels, the message has no signs.
func newBoundModel(r *learn.Result, y []float64, step int, common float64) *boundModel {
	var highest float64
	for _, c := range r.Coef {
		highest = max(highest, math.Abs(c))
	}
	if highest == 0 {
		highest = math.Abs(r.Bias)
	}
	frac, exp := math.Frexp(highest)
	if frac == 0.5 { // a power of two itself
		exp--
	}
	exp -= step
	whole := func(v float64) float64 { return math.Round(math.Ldexp(v, -exp)) }
	own, levels := true, 1.0
	bias := max(-largest, min(largest, whole(r.Bias)))
	e := learn.Expansion{Bias: math.Ldexp(bias, exp)}
	for s, c := range r.Coef {
		q := whole(c)
		if q == 0 {
			continue
		}
		i := r.Support[s]
		levels, own = max(levels, math.Abs(q)), own && q*y[i] > 0
		e.Support = append(e.Support, i)
		e.Coef = append(e.Coef, math.Ldexp(q, exp))
	}
	m := &boundModel{ErrorBound: ErrorBound{Kind: "compression", Vectors: len(e.Coef), Bits: math.Log2(levels)}}
	if !own {
		m.Bits++
	}
	const signed = 1 // whether the message has signs
	m.Message = common + signed + metrics.CountBits(int(levels)-1) + float64(m.Vectors)*m.Bits +
		metrics.IntegerBits(int64(bias))
	rounded := *r
	rounded.Expansion = e
	m.result = &rounded
	return m
}

// largest multiple that a bias may have; one as large decides alone.
const largest = 1 << 53

// value is the bound with so many errors on n samples without the vectors.
func (m *boundModel) value(errs, n int, b Bound) float64 {
	c := metrics.Compression{Samples: n, Vectors: m.Vectors, Errors: errs, Bits: m.Message}
	return c.Bound(math.Log1p(-b.Confidence) - math.Log(float64(max(1, b.Settings))))
}

// count makes the classifier, and counts its errors on the samples that are no support vectors.
func (m *boundModel) count(ctx context.Context, t *training, p *learn.Problem, set *dataset.Set) (err error) {
	if m.clf, m.report, err = t.finish(ctx, t.single(p, m.result)); err != nil {
		return err
	}
	predicted, err := predict.Set(ctx, m.clf, set, t.options.Threads, false)
	if err != nil {
		return err
	}
	vectors := slices.Sorted(slices.Values(m.result.Support))
	for i, class := range predicted.Classes {
		if _, is := slices.BinarySearch(vectors, i); !is && class != set.Y[i] {
			m.Errors++
		}
	}
	m.Others, m.Confidence = set.N-m.Vectors, t.options.Bound.Confidence
	m.Settings = max(1, t.options.Bound.Settings)
	m.Value = m.value(m.Errors, set.N, t.options.Bound)
	return nil
}
