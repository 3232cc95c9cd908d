package cholupdate

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// leaf is the order below which a triangle is factored or inverted element by element.
const leaf = 32

// half returns where a recursion cuts a triangle of order n: a multiple of the product kernel's tile height.
func half(n int) int { return (n/2 + 7) &^ 7 }

// Cholesky overwrites the lower triangle of the symmetric positive definite A, of
// order n with rows ld elements apart, with its factor L, on up to threads
// goroutines. It is [Factor.Factorize] in place, on memory of the caller's.
//
// The error is a *PivotError or the context's; a is then spoilt.
func Cholesky(ctx context.Context, a []float64, n, ld, threads int) error {
	checkSquare(a, n, ld)
	return factorize(ctx, threads, dense.Of(a, n, n, ld))
}

// factorize overwrites the lower triangle of a with its Cholesky factor. The
// recursion turns all but the leaves into triangular solves and products:
//
//	L11 = chol(A11),  L21 = A21·L11⁻ᵀ,  L22 = chol(A22 − L21·L21ᵀ)
func factorize(ctx context.Context, threads int, a dense.Mat) error {
	n := a.Rows
	if n <= leaf {
		if err := ctx.Err(); err != nil {
			return err
		}
		return factorizeLeaf(a)
	}
	m := half(n)
	a11, a21, a22 := a.Sub(0, m, 0, m), a.Sub(m, n, 0, m), a.Sub(m, n, m, n)
	if err := factorize(ctx, threads, a11); err != nil {
		return err
	}
	if err := dense.SolveLower(ctx, threads, a11, a21.T()); err != nil {
		return err
	}
	if err := dense.MulLower(ctx, threads, -1, a21, a21.T(), a22); err != nil {
		return err
	}
	err := factorize(ctx, threads, a22)
	if p, ok := err.(*PivotError); ok {
		p.Index += m
	}
	return err
}

func factorizeLeaf(a dense.Mat) error {
	for i := range a.Rows {
		li := row(a, i)
		for j := range i {
			lj := row(a, j)
			li[j] = (li[j] - dot(li[:j], lj)) / lj[j]
		}
		p := li[i] - dot(li[:i], li)
		if !(p > 0) || math.IsInf(p, 1) {
			return &PivotError{Index: i, Pivot: p}
		}
		li[i] = math.Sqrt(p)
	}
	return nil
}

// row returns row i of a row-major view.
func row(a dense.Mat, i int) []float64 { o := a.Off + i*a.RS; return a.Data[o : o+a.Cols] }

// dot is a short inner product; long ones go through package dense.
func dot(x, y []float64) (s float64) {
	y = y[:len(x)]
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

// Invert overwrites the lower triangle of the symmetric positive definite A, of order n with rows ld elements apart,
// with that of A⁻¹, on up to threads goroutines. It is the fastest way to an inverse: factor, invert the factor,
// multiply it by its transpose, n³ operations in place.
//
// The error is a *PivotError or the context's; a is then spoilt.
func Invert(ctx context.Context, a []float64, n, ld, threads int) error {
	checkSquare(a, n, ld)
	m := dense.Of(a, n, n, ld)
	if err := factorize(ctx, threads, m); err != nil {
		return err
	}
	if err := invertTriangle(ctx, threads, m); err != nil {
		return err
	}
	return multiplyTransposed(ctx, threads, m)
}

// invertTriangle overwrites the lower triangle L with L⁻¹:
//
//	| L11     |⁻¹   |  L11⁻¹                 |
//	| L21 L22 |   = | −L22⁻¹·L21·L11⁻¹  L22⁻¹ |
func invertTriangle(ctx context.Context, threads int, l dense.Mat) error {
	n := l.Rows
	if n <= leaf {
		invertLeaf(l)
		return ctx.Err()
	}
	m := half(n)
	l11, l21, l22 := l.Sub(0, m, 0, m), l.Sub(m, n, 0, m), l.Sub(m, n, m, n)
	if err := dense.SolveLower(ctx, threads, l22, l21); err != nil {
		return err
	}
	if err := dense.SolveUpper(ctx, threads, l11.T(), l21.T()); err != nil {
		return err
	}
	for i := range l21.Rows {
		r := row(l21, i)
		for j := range r {
			r[j] = -r[j]
		}
	}
	if err := invertTriangle(ctx, threads, l11); err != nil {
		return err
	}
	return invertTriangle(ctx, threads, l22)
}

// invertLeaf solves row by row: row i of the inverse is −(L_i,:i · inverse)/L_ii.
func invertLeaf(l dense.Mat) {
	var x [leaf]float64
	for i := range l.Rows {
		li := row(l, i)
		d := 1 / li[i]
		clear(x[:])
		for k := range i {
			v := li[k]
			for j, u := range row(l, k)[:k+1] {
				x[j] += v * u
			}
		}
		for j := range i {
			li[j] = -d * x[j]
		}
		li[i] = d
	}
}

// multiplyTransposed overwrites the lower triangle M with that of MᵀM:
//
//	M11ᵀM11 + M21ᵀM21
//	M22ᵀM21            M22ᵀM22
func multiplyTransposed(ctx context.Context, threads int, a dense.Mat) error {
	n := a.Rows
	if n <= leaf {
		multiplyLeaf(a)
		return ctx.Err()
	}
	m := half(n)
	a11, a21, a22 := a.Sub(0, m, 0, m), a.Sub(m, n, 0, m), a.Sub(m, n, m, n)
	if err := multiplyTransposed(ctx, threads, a11); err != nil {
		return err
	}
	if err := dense.MulLower(ctx, threads, 1, a21.T(), a21, a11); err != nil {
		return err
	}
	if err := dense.ApplyUpper(ctx, threads, a22.T(), a21); err != nil {
		return err
	}
	return multiplyTransposed(ctx, threads, a22)
}

// multiplyLeaf adds the rank-one terms row by row: row k of M is needed by rows i ≤ k only.
func multiplyLeaf(a dense.Mat) {
	for i := range a.Rows {
		ri := row(a, i)[:i+1]
		v := ri[i]
		for j := range ri {
			ri[j] *= v
		}
		for k := i + 1; k < a.Rows; k++ {
			rk := row(a, k)
			v := rk[i]
			for j := range ri {
				ri[j] += v * rk[j]
			}
		}
	}
}
