package greedy

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
)

// full is the fit of eq. (3) and (4) of Abe (2008) when every sample is a support vector and all have the same weight
// w. With H = I − 11'/n and μ = 1/(C w) it solves
//
//	(K H K + μ I) v = K H y
//
// by conjugate gradients in x = A v, with A = K + σI and σ² = μ. Since K² + σ² lies between A²/2 and A², the
// preconditioned matrix
//
//	A⁻¹(K² + σ²)A⁻¹ = I − 2σA⁻¹ + 2σ²A⁻²
//
// has a condition number of at most two for every K and C. H only subtracts gg'/n from it, with g = A⁻¹K1. One Cholesky
// factorisation is all the work of order n³.
type full struct {
	*samples.LeastSquares
	a     []float64 // the factor of A below the diagonal and on it, K above
	diag  []float64 // of K
	sigma float64
	g     []float64
	h, q  []float64 // scratch
}

// newFull factors A for C = c. The error is the context's or has a *cholupdate.PivotError in its chain.
func newFull(ctx context.Context, t *samples.LeastSquares, c float64) (*full, error) {
	n := t.N
	f := &full{LeastSquares: t, a: dense.New(ctx, n*n), diag: make([]float64, n), sigma: math.Sqrt(1 / (c * t.W[0]))}
	if f.a == nil {
		return nil, ctx.Err()
	}
	f.g, f.h, f.q = make([]float64, n), make([]float64, n), make([]float64, n)
	if err := learn.FullMatrix(ctx, t.Packed, f.a, n, t.Threads); err != nil {
		return nil, err
	}
	for i := range n {
		f.diag[i] = f.a[i*n+i]
		f.a[i*n+i] += f.sigma
		f.g[i] = 1
	}
	if err := cholupdate.Cholesky(ctx, f.a, n, n, parallel.Workers(t.Threads)); err != nil {
		return nil, err
	}
	f.solve(f.g)
	for i, v := range f.g {
		f.g[i] = 1 - f.sigma*v
	}
	return f, nil
}

// solve overwrites x with A⁻¹x.
func (f *full) solve(x []float64) {
	lower(f.a, f.N, x)
	lowerTransposed(f.a, f.N, x)
}

// kernel writes K x to dst. It reads K above the diagonal, in square blocks on the diagonal and the rows to their
// right.
func (f *full) kernel(dst, x []float64) {
	n := f.N
	for i, d := range f.diag {
		dst[i] = d * x[i]
	}
	for lo := 0; lo < n; lo += triangleRows {
		hi := min(lo+triangleRows, n)
		for i := lo; i < hi; i++ {
			row := f.a[i*n+i+1 : i*n+hi]
			dst[i] += dense.Dot(row, x[i+1:hi])
			dense.Axpy(x[i], row, dst[i+1:hi])
		}
		if hi < n {
			dense.AddBoth(dst[lo:hi], x[lo:hi], f.a[lo*n+hi:], n, x[hi:], dst[hi:])
		}
	}
}

// apply writes the preconditioned operator at x to f.q. The error is the context's.
func (f *full) apply(ctx context.Context, x []float64) error {
	copy(f.h, x)
	f.solve(f.h)
	if err := ctx.Err(); err != nil {
		return err
	}
	copy(f.q, f.h)
	f.solve(f.q)
	along := dense.Dot(f.g, x) / float64(f.N)
	for i, v := range x {
		f.q[i] = v - 2*f.sigma*(f.h[i]-f.sigma*f.q[i]) - along*f.g[i]
	}
	return ctx.Err()
}

// gradients adds the solution of the system with right-hand side b to v, to a relative residual of 1e-8. Rounding
// allows little more; callers repeat it with the remaining residual. b is overwritten.
func (f *full) gradients(ctx context.Context, v, b []float64) error {
	const maxSteps = 100 // ten or twenty suffice
	f.solve(b)
	x, p := make([]float64, f.N), append([]float64(nil), b...)
	size := dense.Dot(b, b)
	goal := size * 1e-16
	for k := 0; k < maxSteps && size > goal; k++ {
		if err := f.apply(ctx, p); err != nil {
			return err
		}
		step := size / dense.Dot(p, f.q)
		dense.Axpy(step, p, x)
		dense.Axpy(-step, f.q, b)
		before := size
		size = dense.Dot(b, b)
		for i, r := range b {
			p[i] = r + size/before*p[i]
		}
	}
	f.solve(x)
	dense.Axpy(1, x, v)
	return nil
}

// fit returns the coefficients, the bias and the objective ½‖v‖²/C + ½ Σ w ξ², and whether the system is solved up to
// rounding. The error is the context's.
func (f *full) fit(ctx context.Context) (m *solution, good bool, err error) {
	const rounds, enough = 5, 1e-13
	v, bias := make([]float64, f.N), 0.0
	e, b := make([]float64, f.N), make([]float64, f.N)
	var first, size float64
	for k := range rounds {
		f.kernel(e, v)
		bias = 0
		for i, y := range f.Y {
			e[i] = y - e[i]
			bias += e[i] / float64(f.N)
		}
		for i := range e {
			e[i] -= bias
		}
		f.kernel(b, e)
		dense.Axpy(-f.sigma*f.sigma, v, b)
		size = math.Sqrt(dense.Dot(b, b))
		first = max(first, size)
		if k == rounds-1 || !(size > enough*first) {
			break
		}
		if err = f.gradients(ctx, v, b); err != nil {
			return nil, false, err
		}
	}
	w := f.W[0]
	m = &solution{coef: v, bias: bias, objective: w * (dense.Dot(e, e) + f.sigma*f.sigma*dense.Dot(v, v)) / 2}
	m.correct = func(ctx context.Context, b []float64) error {
		d := make([]float64, f.N)
		for i := range b {
			b[i] /= w
		}
		ended := f.gradients(ctx, d, b)
		copy(b, d)
		return ended
	}
	return m, size <= 100*enough*first, nil
}

// triangleRows is the number of rows of a triangle processed together.
const triangleRows = 32

// lower overwrites x with the solution z of M z = x for the lower triangle M with rows of length ld.
func lower(m []float64, ld int, x []float64) {
	var part [triangleRows]float64
	for lo := 0; lo < len(x); lo += triangleRows {
		hi := min(lo+triangleRows, len(x))
		dense.MulVec(part[:hi-lo], m[lo*ld:], ld, x[:lo])
		for i := lo; i < hi; i++ {
			row := m[i*ld+lo : i*ld+i]
			x[i] = (x[i] - part[i-lo] - dense.Dot(row, x[lo:i])) / m[i*ld+i]
		}
	}
}

// lowerTransposed is lower for M'z = x.
func lowerTransposed(m []float64, ld int, x []float64) {
	var part [triangleRows]float64
	for hi := len(x); hi > 0; hi = (hi - 1) / triangleRows * triangleRows {
		lo := (hi - 1) / triangleRows * triangleRows
		for i := hi - 1; i >= lo; i-- {
			x[i] /= m[i*ld+i]
			dense.Axpy(-x[i], m[i*ld+lo:i*ld+i], x[lo:i])
			part[i-lo] = -x[i]
		}
		dense.AddRows(x[:lo], part[:hi-lo], m[lo*ld:], ld)
	}
}
