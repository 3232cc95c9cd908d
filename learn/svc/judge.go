package svc

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
)

// judge recomputes the report's objectives and violation for the returned model, from kernel values in double
// precision. It is needed in two cases. With an unbounded kernel, a step of size C can be 1e17 in units of f, and the
// solver's sums lose all digits. With rows in single precision and a large C, C times the rounding of f is a large part
// of the objective, as ½ aᵀδKa is of the dual objective.
//
// It returns false and changes nothing if the context has ended.
//
// The loss of variables u in [lo, hi] with cost p is max u (ρ − p − wᵀφ), which is C ξ of the primal.
func judge(ctx context.Context, p *learn.Problem, rows []int, q *smo.Pair, r *learn.Result) (done bool) {
	f := p.Decisions(ctx, &r.Expansion, rows)
	if r.Report.Unjudged(ctx) {
		return false
	}
	coef := make([]float64, p.N)
	for s, i := range r.Support {
		coef[i] = r.Coef[s]
	}
	var square, loss, cost float64 // ‖w‖², Σ C_i ξ_i, pᵀa
	up, low := math.Inf(-1), math.Inf(1)
	n := len(rows)
	for k, i := range rows {
		w, left := f[k]-r.Bias, coef[i]
		square += coef[i] * w
		for v := k; v < len(q.P); v += n {
			a := min(max(left, q.Lo[v]), q.Hi[v]) // one of the two variables has the coefficient
			left -= a
			d := f[k] + q.P[v]
			cost += q.P[v] * a
			loss += max(-q.Lo[v]*d, -q.Hi[v]*d)
			if g := -w - q.P[v]; a < q.Hi[v] {
				up = max(up, g)
			}
			if g := -w - q.P[v]; a > q.Lo[v] {
				low = min(low, g)
			}
		}
	}
	for _, a := range q.Start { // the bias is −ρ; the primal has ρ times the sum of the coefficients
		loss += r.Bias * a
	}
	rep := &r.Report
	rep.Objective = square/2 + loss
	rep.Duality = &learn.Duality{Objective: -cost - square/2, KKT: max(0, up-low)}
	rep.Duality.Gap = (rep.Objective - rep.Duality.Objective) / max(1, math.Abs(rep.Objective))
	return true
}
