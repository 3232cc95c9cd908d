package greedy

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/leastsq"
)

// judge computes objective and residual of the returned model, a fit of all of s with C = c, from the model alone. A
// model that is not optimal by sums in float64 is refined with sums in doubled precision.
//
// If the context ends first, the objective is that of the fit, and the model is not called optimal.
func judge(ctx context.Context, t *leastsq.Task, s *Selection, m *solution, result *learn.Result, c float64) {
	e, r := &result.Expansion, &result.Report
	objective, residual := figures(ctx, t, s, e, c)
	if r.Unjudged(ctx) {
		return
	}
	if !(residual <= leastsq.OptimalResidual) {
		better, left := newEquations(t, s, e, c).refine(ctx, m)
		if r.Unjudged(ctx) {
			return
		}
		if !(left >= residual) {
			e.Coef, e.Bias, objective, residual = better.coef, better.bias, better.objective, left
		}
	}
	leastsq.Judged(r, objective, residual)
}

// figures returns the objective and the residual of e, a fit of all of s with C = c, from e alone. The objective is
// ½‖v‖² + (C/2) Σ w_i ξ_i², eq. (1). With a ridge ρ it is ½ Σ w_i ξ_i² + ½ ρ v'K_SS v, and for C = +Inf half the
// squared error. The residual is ‖r‖/‖b‖ of the normal equations
//
//	r_s = k_s'W(y − f) − ρ (K_SS v)_s − μ v_s,   b_s = k_s'W y,
//
// and with a free bias also r_0 = 1'W(y − f), b_0 = 1'W y. Kernel columns k_s are computed again.
func figures(
	ctx context.Context, t *leastsq.Task, s *Selection, e *learn.Expansion, c float64,
) (objective, residual float64) {
	f := t.Problem.Decisions(ctx, e, t.Row)
	wy, we := make([]float64, t.N), make([]float64, t.N) // W y and W (y − f)
	var sumY, sumE, squared, size, norm float64
	for i, y := range t.Y {
		wy[i], we[i] = t.W[i]*y, t.W[i]*(y-f[i])
		sumY, sumE = sumY+wy[i], sumE+we[i]
		squared += we[i] * (y - f[i])
	}
	products := t.Problem.Sums(ctx, t.Row, e.Support, wy, we) // b_s and k_s'W(y − f)
	var left, right float64
	if s.bias {
		left, right = math.Abs(sumE), math.Abs(sumY)
	}
	for k, i := range t.Place(e.Support) {
		v := e.Coef[k]
		left = math.Hypot(left, products[2*k+1]-s.ridge*(f[i]-e.Bias)-s.penalty(c)*v)
		right = math.Hypot(right, products[2*k])
		size += v * v
		norm += v * (f[i] - e.Bias)
	}
	return s.objective(c, squared, size, norm), relative(left, right)
}

// relative is left/right; 0 if left is 0, since there may be no equations.
func relative(left, right float64) float64 {
	if left == 0 {
		return 0
	}
	return left / right
}

// objective is the objective of a fit with C = c, from Σ w_i ξ_i², ‖v‖² and v'K_SS v.
func (s *Selection) objective(c, squared, size, norm float64) float64 {
	switch {
	case s.ridge > 0:
		return (squared + s.ridge*norm) / 2
	case math.IsInf(c, 1):
		return squared / 2
	}
	return (c*squared + size) / 2
}
