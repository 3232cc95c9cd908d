package learn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/status"
)

// Decisions evaluates f(x_i) of an expansion at the given rows of the problem afresh, from kernel values that it does
// not keep. Sums are incomplete if ctx ends.
func (p *Problem) Decisions(ctx context.Context, e *Expansion, rows []int) []float64 {
	if e.Vectors != nil {
		panic("learn: Decisions of vectors that are no rows of the problem")
	}
	f := p.Sums(ctx, e.Support, rows, e.Coef)
	for i := range f {
		f[i] += e.Bias
	}
	return f
}

// Sums returns Σ_s coefs[o][s] k(x_s, x_i) over the rows s of `over` for each row i of `at`: len(at)×len(coefs),
// row-major. It holds no kernel matrix. Sums are incomplete if ctx ends.
func (p *Problem) Sums(ctx context.Context, over, indices []int, coefs ...[]float64) []float64 {
	if p.Kernel.Additive() {
		return p.planes(ctx, over, indices, coefs)
	}
	if m := p.Kernel.Rows; m != nil && p.Kernel.Off().Additive() && m.D*len(coefs) <= maxPlanes {
		return p.planesOf(ctx, m, over, indices, coefs)
	}
	d := max(1, p.D)
	vectors, rows := max(16, min(2048, 1<<19/d)), max(1, min(64, 1<<16/d)) // 4 MB and 0.5 MB a worker
	if p.Kernel.Func != nil {                                              // each value may take a millisecond
		vectors, rows = 32, 1
	}
	if n := len(over); n > vectors { // blocks of about the same size
		pieces := (n + vectors - 1) / vectors
		vectors = (n + pieces - 1) / pieces
	}
	outs := len(coefs)
	f := make([]float64, len(indices)*outs)
	part := make([][]float64, outs)
	var x []float64
	y, v := make([][]float64, parallel.Workers(p.Threads)), make([][]float64, parallel.Workers(p.Threads))
	for s := 0; s < len(over) && ctx.Err() == nil; s += vectors {
		end := min(s+vectors, len(over))
		x = p.gather(x, over[s:end])
		for o, c := range coefs {
			part[o] = c[s:end]
		}
		sum := gram.Pack[float64](p.Kernel, x, end-s, p.D).Expand(part...)
		parallel.For(p.Threads, (len(indices)+rows-1)/rows, func(w, b int) {
			if ctx.Err() != nil {
				return
			}
			lo, hi := b*rows, min((b+1)*rows, len(indices))
			v[w] = slices.Grow(v[w][:0], rows*outs)[:(hi-lo)*outs]
			if consecutive(indices[lo:hi]) {
				sum.Eval(v[w], p.X[indices[lo]*p.D:(indices[hi-1]+1)*p.D], hi-lo)
			} else {
				y[w] = p.gather(y[w], indices[lo:hi])
				sum.Eval(v[w], y[w], hi-lo)
			}
			for k, add := range v[w] {
				f[lo*outs+k] += add
			}
		})
	}
	return f
}

// planes is Sums for a linear kernel: w = Σ_s coef_s x_s, and wᵀx_i.
func (p *Problem) planes(ctx context.Context, over, indices []int, coefs [][]float64) []float64 {
	const rows = 1024
	outs, d := len(coefs), p.D
	f, w := make([]float64, len(indices)*outs), make([]float64, outs*d)
	for s, i := range over {
		if d > 0 {
			for o, c := range coefs {
				dense.Axpy(c[s], p.row(i), w[o*d:(o+1)*d])
			}
		}
		if s%rows == 0 && ctx.Err() != nil {
			return f
		}
	}
	parallel.For(p.Threads, (len(indices)+rows-1)/rows, func(_, b int) {
		for k := b * rows; k < min((b+1)*rows, len(indices)) && ctx.Err() == nil; k++ {
			for o := range outs {
				f[k*outs+o] = dense.Dot(w[o*d:(o+1)*d], p.row(indices[k]))
			}
		}
	})
	return f
}

// maxPlanes bounds the features of all planes over sparse rows.
const maxPlanes = 1 << 20

// planesOf is planes for samples that are row numbers of a sparse matrix.
func (p *Problem) planesOf(ctx context.Context, m *csr.Matrix, over, indices []int, coefs [][]float64) []float64 {
	const rows = 1024
	outs, d := len(coefs), m.D
	f, w := make([]float64, len(indices)*outs), make([]float64, outs*d)
	for s, i := range over {
		for o, c := range coefs {
			m.AddTo(w[o*d:(o+1)*d], int(p.X[i]), c[s])
		}
		if s%rows == 0 && ctx.Err() != nil {
			return f
		}
	}
	parallel.For(p.Threads, (len(indices)+rows-1)/rows, func(_, b int) {
		for k := b * rows; k < min((b+1)*rows, len(indices)) && ctx.Err() == nil; k++ {
			for o := range outs {
				f[k*outs+o] = m.Dot(int(p.X[indices[k]]), w[o*d:(o+1)*d])
			}
		}
	})
	return f
}

// consecutive reports whether the rows are one after another.
func consecutive(rows []int) bool {
	for k, i := range rows {
		if i != rows[0]+k {
			return false
		}
	}
	return true
}

// gather copies the features of the rows into x, which grows if it has to.
func (p *Problem) gather(x []float64, rows []int) []float64 {
	x = x[:0]
	for _, i := range rows {
		x = append(x, p.X[i*p.D:(i+1)*p.D]...)
	}
	return x
}

// Recompute sets the report's objective to that of the model returned, penalty plus [Problem.Loss] at the cost c, and
// the gap accordingly. It shows rounding errors of the program; [Report.Settle] judges them afterwards.
func (r *Result) Recompute(ctx context.Context, p *Problem, penalty float64, loss Loss, c float64) {
	r.Recomputed(ctx, p, penalty, p.Loss(ctx, &r.Expansion, loss, c), loss, c)
}

// Recomputed is [Result.Recompute] for a model whose loss is known.
func (r *Result) Recomputed(ctx context.Context, p *Problem, penalty, loss float64, of Loss, c float64) {
	optimal := r.Report.Status == status.Optimal
	if r.Report.Unjudged(ctx) {
		if optimal { // of the solver's program, which is no certificate of the model
			r.Report.Duality = nil
		}
		return
	}
	r.Report.Objective = penalty + loss
	idle := 0.0
	for i := range p.N {
		idle += c * p.WeightOf(i) * of(p.target(i), 0)
	}
	r.Report.Idle(idle)
	if d := r.Report.Duality; d != nil {
		d.Gap = (r.Report.Objective - d.Objective) / math.Max(1, math.Abs(r.Report.Objective))
	}
}

// Idle sets the objective of f = 0 for [Report.Settle], where [Result.Recompute] has not done so.
func (r *Report) Idle(cost float64) { r.idle = cost }

// Unjudged reports whether the context ended before the returned model was evaluated. A status that claims an
// optimum is then replaced by the context's.
func (r *Report) Unjudged(ctx context.Context) bool {
	st := status.FromContext(ctx)
	if st == status.Unknown {
		return false
	}
	if r.Status.Done() && r.Status != status.SizeReached {
		r.Status = st
	}
	return true
}

// EndAt replaces the status Optimal by what a method that is not convex has proved, [status.LocalOptimum] or
// [status.FixedPoint]. It comes after [Report.Settle].
func (r *Report) EndAt(proved status.Status) {
	if r.Status == status.Optimal {
		r.Status = proved
	}
}

// Settle replaces the status Optimal by Numerical where the certificate does not prove it. An optimum has a duality gap
// of at most gap, relative to the objective, and a violation of at most violation. The message gives both.
func (r *Report) Settle(gap, violation float64) {
	d := r.Duality
	if r.Status != status.Optimal || d == nil {
		return
	}
	found := r.RelativeGap()
	if !(found <= gap) || !(d.KKT <= violation) {
		r.distrust(fmt.Sprintf("duality gap %.2g of the objective, violation %.2g; optimal means at most %.2g and %.2g",
			found, d.KKT, gap, violation))
	}
}

// RelativeGap is the duality gap as a share of the objective. A gap of 1e-15 of the objective of f = 0 counts as
// rounding, that is 0. It is NaN where an objective is not finite, and without a certificate.
func (r *Report) RelativeGap() float64 {
	d := r.Duality
	const nothing = 1e-15
	switch {
	case d == nil:
		return math.NaN()
	case math.Abs(r.Objective-d.Objective) <= nothing*r.idle:
		return 0
	case math.IsInf(r.Objective, 0) || math.IsInf(d.Objective, 0):
		return math.NaN()
	}
	return math.Abs(r.Objective-d.Objective) / math.Max(math.Abs(r.Objective), math.SmallestNonzeroFloat64/0x1p-52)
}

// SettleResidual is Settle for a least-squares model, by its relative residual.
func (r *Report) SettleResidual(largest float64) {
	if r.Status == status.Optimal && r.Residual != nil && !(*r.Residual <= largest) {
		r.distrust(fmt.Sprintf("the equations' relative residual is %.2g; optimal means at most %.2g", *r.Residual, largest))
	}
}

// distrust makes the status numerical trouble and says why, after what is said already.
func (r *Report) distrust(why string) {
	r.Status = status.Numerical
	r.AddMessage(why)
}

// AddMessage adds text to the message, after a semicolon. An empty text adds nothing.
func (r *Report) AddMessage(text string) {
	if text == "" {
		return
	}
	if r.Message != "" {
		text = r.Message + "; " + text
	}
	r.Message = text
}

// Loss is the loss of a decision value f at a sample with target y, per unit of cost.
type Loss func(y, f float64) float64

// Hinge is max(0, margin − y f).
func Hinge(margin float64) Loss {
	return func(y, f float64) float64 { return max(0, margin-y*f) }
}

// Insensitive is Vapnik's (1995) max(0, |y − f| − ε).
func Insensitive(epsilon float64) Loss {
	return func(y, f float64) float64 { return max(0, math.Abs(y-f)-epsilon) }
}

// target is sample i's target, +1 where the task has none.
func (p *Problem) target(i int) float64 {
	if p.Task == OneClass {
		return 1
	}
	return p.Y[i]
}

// Loss returns Σ_i c w_i loss(y_i, f(x_i)) of an expansion, by [Problem.Decisions].
func (p *Problem) Loss(ctx context.Context, e *Expansion, of Loss, c float64) (loss float64) {
	rows := p.Present()
	for r, f := range p.Decisions(ctx, e, rows) {
		i := rows[r]
		if xi := of(p.target(i), f); xi != 0 { // NaN counts
			loss += c * p.WeightOf(i) * xi
		}
	}
	return loss
}
