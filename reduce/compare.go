package reduce

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// outcome is what a model says of samples.
type outcome struct {
	f     []float64 // decision values, samples × submodels; for regression the predictions
	class []int     // nil for regression
}

// outcome evaluates a model. The error is the context's.
func (e *evaluated) outcome(ctx context.Context, c *model.Classifier, threads int) (*outcome, error) {
	c, _ = c.WithoutScaling() // samples are scaled already
	m, d := c.NumSubmodels(), c.NumFeatures()
	o := &outcome{f: make([]float64, e.n*m)}
	err := c.EachBatch(ctx, e.n, func(lo, n int) {
		c.DecideBatch(o.f[lo*m:(lo+n)*m], e.x[lo*d:(lo+n)*d], n, threads)
	})
	if err == nil && c.Task() != learn.Regress {
		o.class = make([]int, e.n)
		c.Classes(o.class, o.f, e.n)
	}
	return o, err
}

// outcomes are those of the given model, which is evaluated once, and of another one. The error is the context's.
func (j *job) outcomes(ctx context.Context, after *model.Classifier, e *evaluated) (a, b *outcome, err error) {
	if a = e.before; a == nil {
		if a, err = e.outcome(ctx, j.given, j.opt.Threads); err != nil {
			return nil, nil, err
		}
		e.before = a
	}
	if after == j.given {
		return a, a, nil
	}
	b, err = e.outcome(ctx, after, j.opt.Threads)
	return a, b, err
}

// compare compares the given model with another one. The error is the context's.
func (j *job) compare(ctx context.Context, after *model.Classifier, e *evaluated) (*Comparison, error) {
	before, now, err := j.outcomes(ctx, after, e)
	if err != nil {
		return nil, err
	}
	a, b := before.class, now.class
	if a == nil {
		return compareValues(before.f, now.f, e), nil
	}
	c := &Comparison{N: e.n, Labelled: e.y != nil}
	want := e.y
	if want == nil {
		want = a
	}
	var agree, wrong int
	for i, w := range want {
		if a[i] == b[i] {
			agree++
		}
		if a[i] != w {
			wrong++
		}
		switch {
		case a[i] == w && b[i] != w:
			c.Broken++
		case a[i] != w && b[i] == w:
			c.Fixed++
		}
	}
	total := float64(e.n)
	c.Agreement = float64(agree) / total
	c.ErrorBefore, c.ErrorAfter = float64(wrong)/total, float64(wrong+c.Broken-c.Fixed)/total
	c.interval()
	return c, nil
}

// keptClasses is the least agreement of a reduction that passes without a warning.
const keptClasses = 0.9

// judge compares the result with the given model: on the validation data, else on the given model's own vectors. A
// message warns if a budget changes too many predictions.
func (j *job) judge(ctx context.Context) error {
	r, e, whose := j.result, j.validation, "samples"
	if e == nil {
		parts := j.given.Parts()
		e, whose = &evaluated{x: parts.Vectors, n: parts.N}, "given model's vectors"
	}
	c, err := j.compare(ctx, r.Classifier, e)
	if err != nil {
		return err
	}
	switch {
	case c.values != nil:
		r.Values = c.values
	case j.validation == nil:
		r.VectorAgreement = &c.Agreement
	default:
		r.Compared = c
	}
	if c.Agreement >= keptClasses || !slices.ContainsFunc(j.opt.Stop, Rule.budget) {
		return nil
	}
	what := fmt.Sprintf("%.3g %% of the %s keep their class", 100*c.Agreement, whose)
	if c.values != nil {
		what = fmt.Sprintf("%.3g %% of the variance at the %s is kept", 100*c.Agreement, whose)
	}
	if r.Message != "" {
		r.Message += "; "
	}
	r.Message += "too few vectors: only " + what
	return nil
}

// losses adds the hinge losses before and after to the report. The error is the context's.
func (j *job) losses(ctx context.Context) (err error) {
	if j.result.HingeBefore, err = j.hinge(ctx, j.given); err == nil {
		j.result.HingeAfter, err = j.hinge(ctx, j.result.Classifier)
	}
	return err
}

// hinge returns the mean hinge loss of c on the data, eq. (9); unlabelled samples have the classes that the given model
// predicts. For regression it returns the root of the mean square error in standard deviations. The error is the
// context's.
func (j *job) hinge(ctx context.Context, c *model.Classifier) (float64, error) {
	before, now, err := j.outcomes(ctx, c, j.data)
	if err != nil {
		return 0, err
	}
	y, f, submodels := j.data.y, now.f, c.Parts().Submodels
	switch {
	case now.class == nil:
		return compareValues(before.f, f, j.data).ErrorAfter, nil
	case y == nil:
		y = before.class
	}
	var sum float64
	terms := 0
	for q, class := range y {
		for i, m := range submodels {
			if g := side(&m, class); g != 0 {
				sum += max(0, 1-g*f[q*len(submodels)+i])
				terms++
			}
		}
	}
	if terms == 0 {
		return 0, nil
	}
	return sum / float64(terms), nil
}

// side returns +1 for the submodel's positive class, −1 for its negative one, 0 for others.
func side(m *learn.Submodel, class int) float64 {
	switch {
	case m.Pos == class:
		return 1
	case m.Neg == class || m.Neg == learn.Rest:
		return -1
	}
	return 0
}

// RegressionComparison compares the regression models before and after a reduction on a set of samples.
type RegressionComparison struct {
	N          int     `json:"n"`
	Targets    bool    `json:"targets"` // the samples have targets; else the given model's predictions are the targets
	RMSEBefore float64 `json:"rmse_before"`
	RMSEAfter  float64 `json:"rmse_after"`
	// Deviation is the standard deviation of the targets, the unit of all rules; 1 if they are equal.
	Deviation float64 `json:"deviation"`
	// Kept is R² of the smaller model's predictions f against the given model's F: 1 − Σ(f − F)²/Σ(F − F̄)².
	Kept float64 `json:"kept"`
}

// want returns the targets: the samples' own, or the given model's predictions.
func (e *evaluated) want() []float64 {
	if e.values != nil {
		return e.values
	}
	return e.before.f
}

// spread is Σ(v − v̄)².
func spread(v []float64) (sum float64) {
	var mean float64
	for _, t := range v {
		mean += t / float64(len(v))
	}
	for _, t := range v {
		sum += (t - mean) * (t - mean)
	}
	return sum
}

// deviation is √(Σ(v − v̄)²/n), 1 where that is 0: a unit.
func deviation(v []float64) float64 {
	if d := math.Sqrt(spread(v) / float64(len(v))); d > 0 {
		return d
	}
	return 1
}

// kept is 1 − Σ(f − F)²/Σ(F − F̄)²; of a constant F it is 1 or 0.
func kept(off, spread float64) float64 {
	switch {
	case off <= 0:
		return 1
	case spread > 0:
		return 1 - off/spread
	}
	return 0
}

// squares is Σ(a − b)².
func squares(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += (v - b[i]) * (v - b[i])
	}
	return sum
}

// compareValues compares predictions.
func compareValues(before, after []float64, e *evaluated) *Comparison {
	n, want := float64(e.n), e.want()
	v := &RegressionComparison{N: e.n, Targets: e.values != nil, Deviation: deviation(want),
		RMSEBefore: math.Sqrt(squares(before, want) / n), RMSEAfter: math.Sqrt(squares(after, want) / n),
		Kept: kept(squares(after, before), spread(before))}
	return &Comparison{N: e.n, ErrorBefore: v.RMSEBefore / v.Deviation, ErrorAfter: v.RMSEAfter / v.Deviation,
		Agreement: v.Kept, values: v}
}
