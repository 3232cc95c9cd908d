package greedy

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/parallel"
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
func judge(t *leastsq.Task, s *Selection, e *learn.Expansion, c float64) (objective, residual float64) {
	points := t.Place(e.Support)
	f := t.Values(points, e.Coef, e.Bias)
	wy, we := make([]float64, t.N), make([]float64, t.N) // W y and W (y − f)
	var sumY, sumE, squared, size, norm float64
	for i, y := range t.Y {
		wy[i], we[i] = t.W[i]*y, t.W[i]*(y-f[i])
		sumY, sumE = sumY+wy[i], sumE+we[i]
		squared += we[i] * (y - f[i])
	}
	columns := t.Points.Expand(wy, we)
	products := make([]float64, 2*len(points)) // b_s and k_s'W(y − f)
	parallel.For(t.Threads, len(points), func(_, k int) {
		x := t.X[points[k]*t.D : (points[k]+1)*t.D]
		columns.Eval(products[2*k:2*k+2], x, 1)
	})
	var left, right float64
	if s.bias {
		left, right = sumE*sumE, sumY*sumY
	}
	for k, i := range points {
		v := e.Coef[k]
		r := products[2*k+1] - s.criterion.ridge*(f[i]-e.Bias) - s.penalty(c)*v
		left += r * r
		size += v * v
		norm += v * (f[i] - e.Bias)
		right += products[2*k] * products[2*k]
	}
	switch {
	case s.criterion.ridge > 0:
		objective = (squared + s.criterion.ridge*norm) / 2
	case math.IsInf(c, 1):
		objective = squared / 2
	default:
		objective = (c*squared + size) / 2
	}
	if left == 0 {
		return objective, 0 // also of no equations
	}
	return objective, math.Sqrt(left / right)
}
