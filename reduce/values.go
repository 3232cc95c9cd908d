package reduce

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

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

// prepare computes the given model's predictions for the samples, once.
func (e *evaluated) prepare(ctx context.Context, given *model.Classifier, threads int) (err error) {
	if e.given == nil && given.Task() == learn.Regress {
		e.given, err = e.decisions(ctx, given, threads)
	}
	return err
}

// want returns the targets: the samples' own, or the given model's predictions.
func (e *evaluated) want() []float64 {
	if e.values != nil {
		return e.values
	}
	return e.given
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

// compareValues predicts with both models. The error is the context's.
func compareValues(ctx context.Context, before, after *model.Classifier, e *evaluated,
	threads int) (*Comparison, error) {
	if err := e.prepare(ctx, before, threads); err != nil {
		return nil, err
	}
	f, err := e.decisions(ctx, after, threads)
	if err != nil {
		return nil, err
	}
	n, want := float64(e.n), e.want()
	v := &RegressionComparison{N: e.n, Targets: e.values != nil, Deviation: deviation(want),
		RMSEBefore: math.Sqrt(squares(e.given, want) / n), RMSEAfter: math.Sqrt(squares(f, want) / n),
		Kept: kept(squares(f, e.given), spread(e.given))}
	return &Comparison{N: e.n, ErrorBefore: v.RMSEBefore / v.Deviation, ErrorAfter: v.RMSEAfter / v.Deviation,
		Agreement: v.Kept, values: v}, nil
}

// value adds one sample with the target want to the curve.
func (w *scanner) value(want float64) {
	c, full := w.part, w.f[w.n]
	c.samples++
	c.terms++
	for s, f := range w.f {
		c.hinge[s] += (f - want) * (f - want)
		c.off[s] += (f - full) * (f - full)
	}
}

// followValues sets the targets to the predictions of the given model or the teacher, and the weights to the inverse
// square of their standard deviation. It sets the weight of the norm by the given model's norm, which for a teacher is
// scaled by the ratio of the deviations.
func (v *mover) followValues(ctx context.Context) (err error) {
	p := v.problem
	e := &evaluated{x: p.X, n: p.N}
	if p.Target, err = e.decisions(ctx, v.given, v.opt.Threads); err != nil {
		return err
	}
	norm, err := v.pool.squaredNorm(ctx)
	if err != nil {
		return err
	}
	unit := deviation(p.Target)
	if v.teacher != nil {
		own := unit
		p.Target, unit = slices.Clone(v.teacher), deviation(v.teacher)
		norm *= (unit / own) * (unit / own)
	}
	p.Norm = min(max(valueNorm*float64(p.N)/norm, math.SmallestNonzeroFloat64), math.MaxFloat64)
	p.Weight = make([]float64, p.N)
	for i := range p.Weight {
		p.Weight[i] = 1 / (unit * unit)
	}
	return nil
}
