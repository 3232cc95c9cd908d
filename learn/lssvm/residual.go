package lssvm

import (
	"math"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/leastsq"
)

// judge computes ½w'w + (γ/2) Σ w_i e_i², eq. (2), of e on e's own points, from e alone. The
// residual is ‖r‖/‖(0, y)‖ with r what is left of the system of kkt at e, on e's
// own points: r_0 = −Σ a_s and r_s = y_s − f(x_s) − a_s/(γ w_s).
func judge(t *leastsq.Task, e *learn.Expansion, gamma float64) (objective, residual float64) {
	points := t.Place(e.Support)
	f := t.Values(points, e.Coef, e.Bias)
	left := sum(e.Coef) * sum(e.Coef)
	var right float64
	for s, i := range points {
		off := t.Y[i] - f[i]
		objective += (e.Coef[s]*(f[i]-e.Bias) + gamma*t.W[i]*off*off) / 2
		r := off - e.Coef[s]/(gamma*t.W[i])
		left += r * r
		right += t.Y[i] * t.Y[i]
	}
	return objective, math.Sqrt(left / right)
}
