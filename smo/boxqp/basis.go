package boxqp

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/smo/internal/duals"
)

// basis is the orthogonal factorisation Z_F = L Q of some rows of Z: Q has orthonormal rows, L is a lower triangle.
// Normal equations would square the condition of Z_F, which is as large as that of the kernel matrix.
type basis struct {
	r, ld int         // columns of Z, row stride of L
	rows  []int       // F
	q     [][]float64 // row k of Q
	l     []float64
	h, h2 []float64   // scratch: coefficients in Q
	part  []float64   // scratch: the part of a row outside the span of Q
	spare [][]float64 // rows of Q that are free to use
	late  []int       // scratch of build: rows that are left out, places of the others
	kept  []int
	l1    []float64 // scratch of build
}

// independent is the least length of the part of a row outside the span of the others, relative to the row's
// length, with which the row counts as independent.
const independent = 1e-13

// build factors the rows idx of f that are safely independent and returns
// the others, for add. Q uses the memory of [Factor.sub], until the next call of that.
func (q *basis) build(ctx context.Context, f *Factor, chol *duals.Cholesky, idx []int) []int {
	// Where few columns are left, nearly all rows depend on few.
	largest := min(len(idx), largestBasis, 2*f.r+duals.Leaf)
	idx, rest := idx[:largest], idx[largest:]
	q.r, q.spare = f.r, q.spare[:0]
	q.part = duals.Grow(q.part, q.r)
	for drop := 1e-8; !q.twice(ctx, f, chol, idx, drop); drop *= 100 {
	}
	return append(q.late, rest...)
}

// twice is build by Cholesky factors of Gram matrices, twice over: L₁L₁ᵀ = Z_F Z_Fᵀ, Q₁ = L₁⁻¹Z_F, the same for Q₁,
// and L = L₁L₂ (CholeskyQR2; Yamamoto et al. 2015). Rows whose pivot, relative to the diagonal, is below drop are
// left out. It is false when Q₁ is not nearly orthonormal, so that more rows must be left out.
func (q *basis) twice(ctx context.Context, f *Factor, chol *duals.Cholesky, idx []int, drop float64) bool {
	m, r := len(idx), f.r
	chol.Drop = drop
	f.sub(ctx, chol.Begin(m), m, idx)
	_ = chol.Factor(ctx)
	q.rows, q.late, q.kept = q.rows[:0], q.late[:0], q.kept[:0]
	for k, i := range idx {
		if chol.L[k*m+k] == duals.Dropped {
			q.late = append(q.late, i)
		} else {
			q.rows = append(q.rows, i)
			q.kept = append(q.kept, k)
		}
	}
	n := len(q.kept)
	q.l1 = duals.Grow(q.l1, n*n)
	clear(q.l1)
	q.q = q.q[:0]
	for a, k := range q.kept {
		for b, j := range q.kept[:a+1] {
			q.l1[a*n+b] = chol.L[k*m+j]
		}
		q.q = append(q.q, f.w[a*r:(a+1)*r]) // the rows that sub gathered become those of Q
		copy(q.q[a], f.w[k*r:(k+1)*r])
	}
	z, l1 := dense.Of(f.w, n, r, r), dense.Of(q.l1, n, n, n)
	_ = dense.SolveLower(ctx, 1, l1, z)
	chol.Drop = 0
	g := chol.Begin(n)
	clear(g)
	l2 := dense.Of(g, n, n, n)
	_ = dense.MulLower(ctx, 1, 1, z, z.T(), l2)
	_ = chol.Factor(ctx)
	if n > 0 && !(chol.Spread() > 0.5) && ctx.Err() == nil {
		return false
	}
	_ = dense.SolveLower(ctx, 1, l2, z)
	if n > q.ld {
		q.ld = n + 16
		q.l = make([]float64, q.ld*q.ld)
	}
	for a := range n {
		clear(q.l[a*q.ld : a*q.ld+n])
	}
	_ = dense.Mul(ctx, 1, 1, l1, l2, dense.Of(q.l, n, n, q.ld))
	return true
}

// project sets h = Q w and w −= Qᵀh.
func (q *basis) project(h, w []float64) {
	for k, row := range q.q {
		h[k] = -dense.Dot(row, w)
	}
	dense.AddGathered(w, h, q.q)
	for k := range h {
		h[k] = -h[k]
	}
}

// add appends row i of Z, z. It is false when z depends on the rows of F; then z ≈ Qᵀh.
func (q *basis) add(i int, z []float64) bool {
	m := len(q.q)
	q.h, q.h2 = duals.Grow(q.h, m), duals.Grow(q.h2, m)
	copy(q.part, z)
	length := math.Sqrt(dense.Dot(z, z))
	q.project(q.h, q.part)
	q.project(q.h2, q.part) // twice is enough (Kahan and Parlett)
	dense.Axpy(1, q.h2, q.h)
	rest := math.Sqrt(dense.Dot(q.part, q.part))
	if m == min(q.r, largestBasis) || !(rest > independent*length) {
		return false
	}
	if m+1 > q.ld {
		q.widen(2*m + 16)
	}
	row := q.l[m*q.ld : m*q.ld+m+1]
	copy(row, q.h)
	row[m] = rest
	if len(q.spare) == 0 {
		q.spare = append(q.spare, make([]float64, q.r))
	}
	next := q.spare[len(q.spare)-1][:q.r]
	q.spare = q.spare[:len(q.spare)-1]
	for k, v := range q.part {
		next[k] = v / rest
	}
	q.q = append(q.q, next)
	q.rows = append(q.rows, i)
	return true
}

// widen makes room for ld rows of L.
func (q *basis) widen(ld int) {
	ld = min(ld, q.r)
	l := make([]float64, ld*ld)
	for k := range q.q {
		copy(l[k*ld:k*ld+k+1], q.l[k*q.ld:])
	}
	q.l, q.ld = l, ld
}

// remove deletes row k of Z_F: rotations of neighbouring columns of L, and rows of Q,
// make the rest of L a triangle again.
func (q *basis) remove(k int) {
	m, ld := len(q.q)-1, q.ld
	for i := k; i < m; i++ {
		copy(q.l[i*ld:i*ld+i+2], q.l[(i+1)*ld:])
	}
	copy(q.rows[k:], q.rows[k+1:])
	for j := k; j < m; j++ {
		a, b := q.l[j*ld+j], q.l[j*ld+j+1]
		d := math.Hypot(a, b)
		c, s := a/d, b/d
		if d == 0 {
			c, s = 1, 0
		}
		for i := j; i < m; i++ {
			p := q.l[i*ld+j : i*ld+j+2]
			p[0], p[1] = c*p[0]+s*p[1], c*p[1]-s*p[0]
		}
		rotate(q.q[j], q.q[j+1], c, s)
	}
	q.spare = append(q.spare, q.q[m])
	q.q, q.rows = q.q[:m], q.rows[:m]
}

func rotate(x, y []float64, c, s float64) {
	y = y[:len(x)]
	for k, v := range x {
		x[k], y[k] = c*v+s*y[k], c*y[k]-s*v
	}
}

// forward overwrites x with L⁻¹x, backward with L⁻ᵀx.
func (q *basis) forward(x []float64) { dense.Forward(q.l, q.ld, x) }

func (q *basis) backward(x []float64) { dense.Backward(q.l, q.ld, x) }
