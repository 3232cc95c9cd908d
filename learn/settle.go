package learn

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/status"
)

// Decisions returns f(x_i) of an expansion at the given rows of the problem, from kernel
// values that are computed for it and dropped: what the machine does, whatever its training
// thought of it. A context that ends leaves zeros.
func (p *Problem) Decisions(ctx context.Context, e *Expansion, rows []int) []float64 {
	const block = 256
	f := make([]float64, len(rows))
	x := make([]float64, 0, len(e.Support)*p.D)
	for _, i := range e.Support {
		x = append(x, p.X[i*p.D:(i+1)*p.D]...)
	}
	sum := gram.Pack[float64](p.Kernel, x, len(e.Support), p.D).Expand(e.Coef)
	at := p.Points(rows)
	parallel.For(p.Threads, (len(rows)+block-1)/block, func(_, b int) {
		if ctx.Err() != nil {
			return
		}
		lo, hi := b*block, min((b+1)*block, len(rows))
		if len(e.Support) > 0 {
			sum.Eval(f[lo:hi], at[lo*p.D:hi*p.D], hi-lo)
		}
		for i := range f[lo:hi] {
			f[lo+i] += e.Bias
		}
	})
	return f
}

// HingeLoss returns Σ_i c w_i max(0, margin − y_i f(x_i)) of an expansion, by [Problem.Decisions].
func (p *Problem) HingeLoss(ctx context.Context, e *Expansion, margin, c float64) (loss float64) {
	rows := p.Present()
	for r, f := range p.Decisions(ctx, e, rows) {
		i := rows[r]
		if xi := margin - p.Y[i]*f; !(xi <= 0) { // NaN counts
			loss += c * p.WeightOf(i) * xi
		}
	}
	return loss
}

// Recompute gives the report the objective of the machine that is returned: penalty plus its
// own [Problem.HingeLoss]; the gap follows. Rounding in a program of large prices is then no
// secret, and [Report.Settle] has the last word on the status. A context that has ended
// leaves the report as the solver made it.
func (r *Result) Recompute(ctx context.Context, p *Problem, penalty, margin, c float64) {
	loss := p.HingeLoss(ctx, &r.Expansion, margin, c)
	if ctx.Err() != nil {
		return
	}
	r.Report.Objective = penalty + loss
	r.Report.idle = 0
	for i := range p.N {
		r.Report.idle += c * p.WeightOf(i) * margin
	}
	if d := r.Report.Duality; d != nil {
		d.Gap = (r.Report.Objective - d.Objective) / math.Max(1, math.Abs(r.Report.Objective))
	}
}

// Settle takes the word "optimal" back where the certificate does not bear it out: it wants
// the distance of primal and dual within gap of the objective, not of 1, and the violation of
// the conditions within violation. The message says what was found. Where the objective is next
// to nothing, a distance of 1e-15 of what f = 0 costs is rounding.
func (r *Report) Settle(gap, violation float64) {
	d := r.Duality
	if r.Status != status.Optimal || d == nil {
		return
	}
	found := math.Abs(r.Objective-d.Objective) / math.Max(math.Abs(r.Objective), math.SmallestNonzeroFloat64/0x1p-52)
	const nothing = 1e-15
	switch {
	case math.Abs(r.Objective-d.Objective) <= nothing*r.idle:
		found = 0
	case math.IsInf(r.Objective, 0) || math.IsInf(d.Objective, 0):
		found = math.NaN()
	}
	if !(found <= gap) || !(d.KKT <= violation) {
		r.distrust(fmt.Sprintf("duality gap %.2g of the objective, violation %.2g; optimal means at most %.2g and %.2g",
			found, d.KKT, gap, violation))
	}
}

// SettleResidual is Settle for a least-squares machine, by its relative residual.
func (r *Report) SettleResidual(most float64) {
	if r.Status == status.Optimal && r.Residual != nil && !(*r.Residual <= most) {
		r.distrust(fmt.Sprintf("the equations' relative residual is %.2g; optimal means at most %.2g", *r.Residual, most))
	}
}

// distrust makes the status numerical trouble and says why, after what is said already.
func (r *Report) distrust(why string) {
	r.Status = status.Numerical
	if r.Message != "" {
		why = r.Message + "; " + why
	}
	r.Message = why
}
