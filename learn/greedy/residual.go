package greedy

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/leastsq"
)

// judge computes the objective ½‖v‖² + (C/2) Σ w_i ξ_i², eq. (1), of e, a fit of all of s with
// C = c, from e alone; with a ridge ρ it is ½ Σ w_i ξ_i² + ½ ρ v'K_SS v, and for C = +Inf half
// the squared error alone. The residual is ‖r‖/‖b‖ of the normal equations
//
//	r_s = k_s'W(y − f) − ρ (K_SS v)_s − μ v_s,   b_s = k_s'W y,
//
// and with a free bias r_0 = 1'W(y − f), b_0 = 1'W y besides. Kernel columns k_s
// are computed again for it.
//
// Where the context ends before, the objective is the fit's own, and nobody calls it optimal.
func judge(ctx context.Context, t *leastsq.Task, s *Selection, result *learn.Result, c float64) {
	e, r := &result.Expansion, &result.Report
	f := t.Problem.Decisions(ctx, e, t.Row)
	wy, we := make([]float64, t.N), make([]float64, t.N) // W y and W (y − f)
	var sumY, sumE, squared, size, norm float64
	for i, y := range t.Y {
		wy[i], we[i] = t.W[i]*y, t.W[i]*(y-f[i])
		sumY, sumE = sumY+wy[i], sumE+we[i]
		squared += we[i] * (y - f[i])
	}
	products := t.Problem.Sums(ctx, t.Row, e.Support, wy, we) // b_s and k_s'W(y − f)
	if r.Unjudged(ctx) {
		return
	}
	var left, right float64
	if s.bias {
		left, right = sumE*sumE, sumY*sumY
	}
	for k, i := range t.Place(e.Support) {
		v := e.Coef[k]
		off := products[2*k+1] - s.criterion.ridge*(f[i]-e.Bias) - s.penalty(c)*v
		left += off * off
		size += v * v
		norm += v * (f[i] - e.Bias)
		right += products[2*k] * products[2*k]
	}
	var objective float64
	switch {
	case s.criterion.ridge > 0:
		objective = (squared + s.criterion.ridge*norm) / 2
	case math.IsInf(c, 1):
		objective = squared / 2
	default:
		objective = (c*squared + size) / 2
	}
	if left > 0 { // else there may be no equations
		left = math.Sqrt(left / right)
	}
	leastsq.Judged(r, objective, left)
}
