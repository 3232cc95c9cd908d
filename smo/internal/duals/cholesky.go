// Package duals holds what the programs of smo and boxqp share: a factor of small positive semidefinite matrices, and
// bounds on duality gaps that are proved in exact arithmetic.
package duals

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// Cholesky factors small positive semidefinite matrices. A row that depends on the rows before it is dropped: its
// unknown is fixed at zero. The rest is positive definite, so a solution is still a direction of descent. Package
// cholupdate refuses a matrix without a positive pivot instead.
type Cholesky struct {
	L       []float64 // n×n, row-major, lower triangle; Dropped on the diagonal of a dropped row
	Threads int       // goroutines; 0 means one
	Drop    float64   // pivot, relative to the diagonal element, below which a row is dropped; 0 means dependent

	n    int
	diag []float64 // of the matrix
}

const (
	dependent = 1e-13
	// Dropped is as good as infinite, but products with its reciprocal are no NaN.
	Dropped = 0x1p500
	// Leaf is the order below which a triangle is factored row by row.
	Leaf = 48
)

// Begin returns the n×n storage whose lower triangle the caller fills.
func (c *Cholesky) Begin(n int) []float64 {
	c.n = n
	c.L = Grow(c.L, n*n)
	return c.L
}

// Factor overwrites the lower triangle with L. An error is that of ctx.
func (c *Cholesky) Factor(ctx context.Context) error {
	c.diag = Grow(c.diag, c.n)
	for r := range c.n {
		c.diag[r] = c.L[r*c.n+r]
	}
	return c.block(ctx, 0, c.n)
}

// block factors rows and columns [lo, hi), from which those before lo were subtracted: L21 = A21 L11⁻ᵀ and L22 =
// chol(A22 − L21 L21ᵀ). Dividing by the pivot of a dropped row clears its column.
func (c *Cholesky) block(ctx context.Context, lo, hi int) error {
	if hi-lo <= Leaf {
		c.leaf(lo, hi)
		return ctx.Err()
	}
	mid := lo + ((hi-lo)/2+7)&^7
	if err := c.block(ctx, lo, mid); err != nil {
		return err
	}
	a := dense.Of(c.L, c.n, c.n, c.n)
	l21 := a.Sub(mid, hi, lo, mid)
	if err := dense.SolveLower(ctx, c.Threads, a.Sub(lo, mid, lo, mid), l21.T()); err != nil {
		return err
	}
	if err := dense.MulLower(ctx, c.Threads, -1, l21, l21.T(), a.Sub(mid, hi, mid, hi)); err != nil {
		return err
	}
	return c.block(ctx, mid, hi)
}

func (c *Cholesky) leaf(lo, hi int) {
	n := c.n
	for r := lo; r < hi; r++ {
		row := c.L[r*n+lo : r*n+r+1]
		for k := lo; k < r; k++ {
			other := c.L[k*n+lo : k*n+k+1]
			row[k-lo] = (row[k-lo] - dense.Dot(other[:k-lo], row)) / other[k-lo]
		}
		pivot := row[r-lo] - dense.Dot(row[:r-lo], row)
		if pivot > max(c.Drop, dependent)*c.diag[r] {
			row[r-lo] = math.Sqrt(pivot)
		} else {
			row[r-lo] = Dropped
		}
	}
}

// Spread returns the ratio of the least to the largest pivot, 0 when a row was dropped.
func (c *Cholesky) Spread() float64 {
	lo, hi := math.Inf(1), 0.0
	for k := range c.n {
		d := c.L[k*c.n+k]
		lo, hi = min(lo, d), max(hi, d)
	}
	return lo / hi
}

// Solve overwrites y with the solution of L Lᵀ x = y, zero in dropped rows.
func (c *Cholesky) Solve(y []float64) { Solve(c.L, c.n, y) }

// Solve overwrites y with (L Lᵀ)⁻¹y, where row r of the lower triangular L begins at l[r*ld].
func Solve(l []float64, ld int, y []float64) {
	dense.Forward(l, ld, y)
	dense.Backward(l, ld, y)
}

// Grow returns a slice of length n, in v's own memory when that suffices.
func Grow[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}
