package lssvm

import (
	"math"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/leastsq"
)

// residual is ‖r‖/‖(0, y)‖ with r what is left of the system of kkt at e, on e's
// own points: r_0 = −Σ a_s and r_s = y_s − f(x_s) − a_s/(γ w_s).
func residual(t *leastsq.Task, e *learn.Expansion, gamma float64) float64 {
	points := t.Place(e.Support)
	f := t.Values(points, e.Coef, e.Bias)
	left := sum(e.Coef) * sum(e.Coef)
	var right float64
	for s, i := range points {
		r := t.Y[i] - f[i] - e.Coef[s]/(gamma*t.W[i])
		left += r * r
		right += t.Y[i] * t.Y[i]
	}
	return math.Sqrt(left / right)
}
