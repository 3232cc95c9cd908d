package lssvm

import (
	"cmp"
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
)

// figures certify a model on its own samples.
type figures struct {
	objective float64 // ½w'w + (γ/2) Σ w_i e_i², eq. (2), e_i = y_i − f(x_i)
	dual      float64 // a'y − ½ a'Aa
	violation float64 // the largest of the residuals r, in units of the decision function
	residual  float64 // ‖r‖/‖(0, y)‖, or ‖r‖ if all targets are 0: r_0 = −Σ a_s, r_s = e_s − a_s/(γ w_s)
}

// good reports whether the model is optimal, for targets of size unit.
func (g figures) good(unit float64) bool {
	gap := math.Abs(g.objective-g.dual) / cmp.Or(math.Abs(g.objective), 1)
	const largest = samples.OptimalResidual
	return g.residual <= largest && g.violation <= largest*unit && gap <= largest
}

// measure computes the figures from w_i = f(x_i) − b and e_i at the model's samples. Σ a_s is in doubled precision,
// since coefficients of 1e12 may cancel.
func measure(t *samples.LeastSquares, e *learn.Expansion, gamma float64, w, off []float64) (g figures) {
	var total dense.Doubled
	for _, a := range e.Coef {
		total.Add(a)
	}
	left, right := math.Abs(total.Value()), 0.0
	g.violation = left
	for s, i := range t.Place(e.Support) {
		a, ridge := e.Coef[s], 1/(gamma*t.W[i])
		g.objective += (a*w[s] + off[s]*off[s]/ridge) / 2
		g.dual += a * (t.Y[i] - (w[s]+ridge*a)/2)
		r := off[s] - ridge*a
		left, right = math.Hypot(left, r), math.Hypot(right, t.Y[i])
		g.violation = math.Max(g.violation, math.Abs(r))
	}
	g.residual = left / cmp.Or(right, 1)
	return g
}

// inFloat64 computes the figures from the model alone. They are meaningless if the context has ended.
func inFloat64(ctx context.Context, t *samples.LeastSquares, e *learn.Expansion, gamma float64) figures {
	w := t.Problem.Decisions(ctx, e, e.Support)
	off := make([]float64, len(w))
	for s, i := range t.Place(e.Support) {
		off[s] = t.Y[i] - w[s]
		w[s] -= e.Bias
	}
	return measure(t, e, gamma, w, off)
}

// inDoubled is inFloat64 with sums in doubled precision.
func inDoubled(ctx context.Context, t *samples.LeastSquares, e *learn.Expansion, gamma float64) figures {
	samples := t.Place(e.Support)
	f, err := t.Expand(ctx, samples, e.Coef)
	if err != nil {
		return figures{}
	}
	w, off := make([]float64, len(samples)), make([]float64, len(samples))
	for s, i := range samples {
		w[s] = f[i].Value()
		d := f[i].Times(-1)
		d.Add(-e.Bias)
		d.Add(t.Y[i])
		off[s] = d.Value()
	}
	return measure(t, e, gamma, w, off)
}

// recompute sets objective and residual of the returned model in the report, and returns all its figures, in doubled
// precision if float64 does not show an optimum. If the context ends, the objective stays the solver's, and the model
// is not called optimal.
func recompute(
	ctx context.Context, t *samples.LeastSquares, model *learn.Result, gamma float64,
) (g figures, done bool) {
	e, r := &model.Expansion, &model.Report
	if g = inFloat64(ctx, t, e, gamma); !g.good(t.Unit()) && ctx.Err() == nil {
		g = inDoubled(ctx, t, e, gamma)
	}
	if r.Unjudged(ctx) {
		return g, false
	}
	samples.SettleLeastSquares(r, g.objective, g.residual)
	return g, true
}
