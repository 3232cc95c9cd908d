package assure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/predict"
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/model"
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

// roundings is how many powers of two are tried, from the largest coefficient's on.
const roundings = 17

// Bounding is what a bound of the error rate takes.
type Bounding struct {
	Bound
	Method     string
	Samples    *prepare.Prepared
	Set        *dataset.Set // the caller's, raw
	FixedGamma bool         // no rule has chosen γ
	// Model makes the classifier of a result.
	Model func(r *learn.Result) (*model.Classifier, error)
}

// Smallest returns the rounding with the smallest bound of all models that a training shows; see returns the smallest
// bound of a model's roundings. A bound of one half says nothing: the finest rounding of the first model is returned
// then. If the context ends before there was a bound, it is the first model as it is, and no bound.
func (b *Bounding) Smallest(ctx context.Context, train func(see func(r *learn.Result) (float64, error)) error) (
	*learn.Result, *ErrorBound, error) {
	var first *learn.Result
	var best *rounding
	err := train(func(r *learn.Result) (float64, error) {
		first = cmp.Or(first, r)
		m, err := b.rounded(ctx, r)
		if err != nil {
			return 0, err
		}
		if best == nil || m.Value < min(best.Value, nothing) {
			best = m
		}
		return m.Value, nil
	})
	switch {
	case first == nil || err != nil && ctx.Err() == nil:
		return nil, nil, err
	case best == nil:
		return first, nil, nil
	}
	return best.result, &best.ErrorBound, nil
}

// nothing is the least bound that says nothing.
const nothing = 0.5

// rounded returns the rounding of a model with the least bound.
func (b *Bounding) rounded(ctx context.Context, r *learn.Result) (*rounding, error) {
	common, err := b.commonBits(r)
	if err != nil {
		return nil, err
	}
	var best *rounding
	for step := range roundings {
		m := round(r, b.Samples.Problem.Y, step, common)
		vacuous := best == nil || best.Value >= nothing
		last := step == roundings-1 && vacuous
		if best != nil && !last && m.value(0, b.Set.N, b.Bound) >= best.Value {
			continue // even without errors
		}
		if err = cmp.Or(b.count(ctx, m), ctx.Err()); err != nil {
			return nil, err
		}
		if best == nil || last || m.Value < best.Value {
			best = m
		}
	}
	return best, nil
}

// commonBits is the length of what all roundings share: the γ of a rule, the spreads, and a bit each for whether
// there are spreads, and for columns that all are numbers.
func (b *Bounding) commonBits(r *learn.Result) (bits float64, err error) {
	switch {
	case r.Vectors != nil || r.Plane != nil || len(r.Steps) > 0:
		return 0, fmt.Errorf("sparsekm: a bound is for support vectors that are training samples; those of %s are not",
			b.Method)
	case r.Kernel != nil:
		return 0, fmt.Errorf("sparsekm: a bound is for a kernel chosen without the samples; %s chooses its own", b.Method)
	}
	if bits = 1; b.Set.Notes != nil {
		bits++
	}
	if k := b.Samples.Problem.Kernel; k.HasGamma() && !b.FixedGamma {
		bits += metrics.IntegerBits(prepare.Octaves(k.Gamma, prepare.GammaParts))
	}
	if scaling := b.Samples.Scaling; scaling != nil {
		last := int64(0)
		for k, w := range scaling.Spread {
			octave := prepare.Octaves(w, 1)
			if scaling.Center[k] != 0 {
				panic("sparsekm: a scaling that no message describes")
			}
			bits += metrics.StepBits(octave - last)
			last = octave
		}
	}
	return bits, nil
}

// rounding is a model with rounded coefficients.
type rounding struct {
	ErrorBound
	result *learn.Result
}

// round rounds coefficients and bias to multiples of 2^(e−step), where 2^e is the first power of two that
// is not below the largest coefficient. A vector whose coefficient becomes 0 is dropped. If all coefficients have
// the signs of their samples' labels, the message has no signs.
func round(r *learn.Result, y []float64, step int, common float64) *rounding {
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
	m := &rounding{ErrorBound: ErrorBound{Kind: "compression", Vectors: len(e.Coef), Bits: math.Log2(levels)}}
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
func (m *rounding) value(errs, n int, b Bound) float64 {
	c := metrics.Compression{Samples: n, Vectors: m.Vectors, Errors: errs, Bits: m.Message}
	return c.Bound(math.Log1p(-b.Confidence) - math.Log(float64(max(1, b.Settings))))
}

// count counts the errors of a rounding on the samples that are no support vectors.
func (b *Bounding) count(ctx context.Context, m *rounding) error {
	clf, err := b.Model(m.result)
	if err != nil {
		return err
	}
	predicted, err := predict.Set(ctx, clf, b.Set, b.Samples.Problem.Threads, false)
	if err != nil {
		return err
	}
	vectors := slices.Sorted(slices.Values(m.result.Support))
	for i, class := range predicted.Classes {
		if _, is := slices.BinarySearch(vectors, i); !is && class != b.Set.Y[i] {
			m.Errors++
		}
	}
	m.Others, m.Confidence, m.Settings = b.Set.N-m.Vectors, b.Confidence, max(1, b.Settings)
	m.Value = m.value(m.Errors, b.Set.N, b.Bound)
	return nil
}
