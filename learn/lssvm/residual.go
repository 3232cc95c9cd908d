package lssvm

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/leastsq"
)

// judge gives the report ½w'w + (γ/2) Σ w_i e_i², eq. (2), of the machine on its own points, from
// the machine alone. The residual is ‖r‖/‖(0, y)‖ with r what is left of the system of kkt on
// these points: r_0 = −Σ a_s and r_s = y_s − f(x_s) − a_s/(γ w_s). Where the context ends, the
// objective stays the solver's, and nobody calls it optimal.
func judge(ctx context.Context, t *leastsq.Task, machine *learn.Result, gamma float64) {
	e, r := &machine.Expansion, &machine.Report
	f := t.Problem.Decisions(ctx, e, e.Support)
	if r.Unjudged(ctx) {
		return
	}
	left := sum(e.Coef) * sum(e.Coef)
	var objective, right float64
	for s, i := range t.Place(e.Support) {
		off := t.Y[i] - f[s]
		objective += (e.Coef[s]*(f[s]-e.Bias) + gamma*t.W[i]*off*off) / 2
		off -= e.Coef[s] / (gamma * t.W[i])
		left += off * off
		right += t.Y[i] * t.Y[i]
	}
	leastsq.Judged(r, objective, math.Sqrt(left/right))
}
