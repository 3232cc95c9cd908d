package svc

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
)

// judge gives the report the objectives and the violation of the model that is returned, from kernel values in
// double precision. It is for kernels without a bound, where a step of C can be 1e17 in units of f and what the
// solver adds up is lost in it, and for rows in single precision at a large C, where C times the rounding of f is
// no small part of the objective, and ½ aᵀδKa none of the dual's.
//
// It is not done, and changes nothing, where the context has ended.
//
// Of variables u in [lo, hi] with price p the loss is max u (ρ − p − wᵀφ): C ξ of the primal.
func judge(ctx context.Context, p *learn.Problem, rows []int, q *smo.Pair, r *learn.Result) (done bool) {
	f := p.Decisions(ctx, &r.Expansion, rows)
	if r.Report.Unjudged(ctx) {
		return false
	}
	coef := make([]float64, p.N)
	for s, i := range r.Support {
		coef[i] = r.Coef[s]
	}
	var square, loss, price float64 // ‖w‖², Σ C_i ξ_i, pᵀa
	up, low := math.Inf(-1), math.Inf(1)
	n := len(rows)
	for k, i := range rows {
		w, left := f[k]-r.Bias, coef[i]
		square += coef[i] * w
		for v := k; v < len(q.P); v += n {
			a := min(max(left, q.Lo[v]), q.Hi[v]) // of two variables one has the coefficient
			left -= a
			d := f[k] + q.P[v]
			price += q.P[v] * a
			loss += max(-q.Lo[v]*d, -q.Hi[v]*d)
			if g := -w - q.P[v]; a < q.Hi[v] {
				up = max(up, g)
			}
			if g := -w - q.P[v]; a > q.Lo[v] {
				low = min(low, g)
			}
		}
	}
	for _, a := range q.Start { // f has −ρ for its bias, and the primal ρ times what the coefficients sum up to
		loss += r.Bias * a
	}
	rep := &r.Report
	rep.Objective = square/2 + loss
	rep.Duality = &learn.Duality{Objective: -price - square/2, KKT: max(0, up-low)}
	rep.Duality.Gap = (rep.Objective - rep.Duality.Objective) / max(1, math.Abs(rep.Objective))
	return true
}
