package smo

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// cholesky factors small positive semidefinite matrices. A row that depends on those
// before it is dropped: its unknown is fixed at zero. What remains is positive
// definite, so a solution is still a direction of descent. Package cholupdate has no
// use for this: there a matrix without a positive pivot is refused, and neither package
// knows the other, so that each can be embedded alone.
type cholesky struct {
	n int
	l []float64 // n×n, row-major, lower triangle
	// dropped marks the rows left out.
	dropped []bool
}

// dependent is the pivot, relative to the diagonal element, below which a row is dropped.
const dependent = 1e-13

// begin returns the n×n storage whose lower triangle the caller fills.
func (c *cholesky) begin(n int) []float64 {
	c.n = n
	c.l = grow(c.l, n*n)
	c.dropped = grow(c.dropped, n)
	return c.l
}

// factor overwrites the lower triangle with L.
func (c *cholesky) factor() {
	n := c.n
	for r := range n {
		row := c.l[r*n : r*n+r+1]
		h := row[r]
		for k := range r {
			if c.dropped[k] {
				row[k] = 0
				continue
			}
			other := c.l[k*n : k*n+k+1]
			row[k] = (row[k] - dense.Dot(other[:k], row[:k])) / other[k]
		}
		pivot := h - dense.Dot(row[:r], row[:r])
		c.dropped[r] = !(pivot > dependent*h)
		row[r] = math.Sqrt(max(pivot, 0))
	}
}

// solve overwrites y with the solution of L Lᵀ x = y, zero in dropped rows.
func (c *cholesky) solve(y []float64) {
	n := c.n
	for r := range n {
		if c.dropped[r] {
			y[r] = 0
			continue
		}
		row := c.l[r*n : r*n+r+1]
		y[r] = (y[r] - dense.Dot(row[:r], y)) / row[r]
	}
	for r := n - 1; r >= 0; r-- {
		if c.dropped[r] {
			continue
		}
		row := c.l[r*n : r*n+r+1]
		y[r] /= row[r]
		dense.Axpy(-y[r], row[:r], y)
	}
}
