package svc

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/learn"
)

// judge gives the report the objectives and the violation of the machine that is returned, from kernel values in
// double precision. It is for kernels without a bound, where a step of C can be 1e17 in units of f and what the
// solver adds up is lost in it, and for rows in single precision at a large C, where C times the rounding of f is
// no small part of the objective, and ½ aᵀδKa none of the dual's.
func (t Trainer) judge(ctx context.Context, p *learn.Problem, r *learn.Result) {
	rows := p.Present()
	f := p.Decisions(ctx, &r.Expansion, rows)
	if r.Report.Unjudged(ctx) {
		return
	}
	coef := make([]float64, p.N)
	var size float64 // Σ|a|
	for s, i := range r.Support {
		coef[i] = r.Coef[s]
		size += math.Abs(coef[i])
	}
	var square, loss float64 // ‖w‖², Σ C_i ξ_i
	up, low := math.Inf(-1), math.Inf(1)
	for k, i := range rows {
		y, a, w, most := p.Y[i], coef[i], f[k]-r.Bias, t.C*p.WeightOf(i)
		square += a * w
		loss += most * max(0, 1-y*f[k])
		if y > 0 && a < most || y < 0 && a < 0 {
			up = max(up, y-w)
		}
		if y > 0 && a > 0 || y < 0 && a > -most {
			low = min(low, y-w)
		}
	}
	rep := &r.Report
	rep.Objective = square/2 + loss
	rep.Duality = &learn.Duality{Objective: size - square/2, KKT: max(0, up-low)}
	rep.Duality.Gap = (rep.Objective - rep.Duality.Objective) / max(1, math.Abs(rep.Objective))
}
