package ssvclp

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/simplex"
)

// The infinity norm, after (21): min ‖α‖∞ + Σ C_i ξ_i. The paper reweights with diag(0, …, 1/|ᾱ_max|, …, 0). This
// leaves all other coefficients free, majorises nothing, and diverges. The model itself is one linear program,
//
//	min t + Σ C_i ξ_i   subject to   y_i f(x_i) + ξ_i ≥ 1,  |α_i| ≤ t,  ξ ≥ 0,
//
// whose dual is max 1ᵀβ over ‖K̄β‖₁ ≤ 1, 0 ≤ β ≤ C. The substitution α_i = d_i − t leaves one row a coefficient, d_i
// ≤ 2t.

// infinityLP is the matrix of this program: columns t, d, ξ; rows y_r (z_rᵀd − t Σz_r) + ξ_r ≥ 1, then d_i − 2t ≤ 0.
type infinityLP struct {
	*samples.Merged
	z     []float64
	total []float64 // y_r Σ z_r
}

func (a *infinityLP) Dims() (m, n int) {
	rows, cols := len(a.Row), a.Columns()
	return rows + cols, 1 + cols + rows
}

func (a *infinityLP) Column(dst []float64, j int) {
	rows, cols := len(a.Row), a.Columns()
	clear(dst)
	switch {
	case j == 0:
		for r, v := range a.total {
			dst[r] = -v
		}
		for i := range cols {
			dst[rows+i] = -2
		}
	case j <= cols:
		for r, y := range a.Y {
			dst[r] = y * a.z[r*cols+j-1]
		}
		dst[rows+j-1] = 1
	default:
		dst[j-1-cols] = 1
	}
}

func (a *infinityLP) Price(dst []float64, rows []int32, y []float64) {
	n, cols := len(a.Row), a.Columns()
	clear(dst)
	g := dense.NewGather()
	for k, r := range rows {
		v := y[k]
		if int(r) >= n {
			dst[0] -= 2 * v
			dst[1+int(r)-n] += v
			continue
		}
		dst[0] -= v * a.total[r]
		g.Add(v*a.Y[r], a.z[int(r)*cols:(int(r)+1)*cols])
		dst[1+cols+int(r)] += v
	}
	g.AddTo(dst[1 : 1+cols])
}

// MulAdd does dst += A·x.
func (a *infinityLP) MulAdd(dst, x []float64) {
	n, cols := len(a.Row), a.Columns()
	f := make([]float64, n)
	if d := x[1 : 1+cols]; dense.Largest(d) != 0 { // the matrix may take a tenth of a second to read
		dense.MulVec(f, a.z, cols, d)
	}
	for r, y := range a.Y {
		dst[r] += y*f[r] - x[0]*a.total[r] + x[1+cols+r]
	}
	for i := range cols {
		dst[n+i] += x[1+i] - 2*x[0]
	}
}

// negligible is the relative size of a coefficient that counts as 0.
const negligible = 1e-10

// infinity trains the model of the infinity norm, and returns the norm too. pivots = 0 means the default limit of
// simplex.
func infinity(ctx context.Context, s *samples.Merged, z []float64, pivots int) (*learn.Result, float64, error) {
	rows, cols := len(s.Row), s.Columns()
	a := &infinityLP{Merged: s, z: z, total: make([]float64, rows)}
	for r, y := range s.Y {
		if r%64 == 0 && ctx.Err() != nil {
			return nil, 0, learn.Nothing(ctx, s.Method)
		}
		for _, v := range z[r*cols : (r+1)*cols] {
			a.total[r] += y * v
		}
	}
	lp := simplex.LP{A: a, C: make([]float64, 1+cols+rows),
		RowLo: make([]float64, rows+cols), RowUp: make([]float64, rows+cols)}
	lp.C[0] = 1
	copy(lp.C[1+cols:], s.Cost)
	for i := range lp.RowLo {
		lp.RowLo[i], lp.RowUp[i] = 1, math.Inf(1)
		if i >= rows {
			lp.RowLo[i], lp.RowUp[i] = math.Inf(-1), 0
		}
	}
	solver, err := simplex.New(lp, simplex.Options{MaxIter: pivots})
	if err != nil {
		return nil, 0, err
	}
	sol := solver.Solve(ctx)
	cert := sol.Certificate
	dual := &learn.Duality{Gap: cert.Gap, KKT: max(cert.PrimalResidual, cert.DualResidual)}
	for r := range rows {
		dual.Objective += sol.Y[r]
	}
	res := &learn.Result{Report: learn.Report{Status: sol.Status, Objective: sol.Objective, Duality: dual,
		Iterations: 1, InnerIterations: sol.Iterations}}
	norm := sol.X[0]
	for i := range cols {
		v := sol.X[1+i] - norm
		switch {
		case i == cols-1:
			res.Bias = v
		case math.Abs(v) > negligible*norm:
			res.Support = append(res.Support, s.First[i])
			res.Coef = append(res.Coef, v)
		}
	}
	if len(res.Support) == 0 && ctx.Err() != nil {
		return nil, 0, learn.Nothing(ctx, s.Method)
	}
	return res, norm, nil
}
