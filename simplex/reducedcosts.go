package simplex

import (
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/simplex/internal/lu"
)

// reducedCosts is the dual solution: Bᵀ·y = c_B and d = c − Aᵀy. A logical's column
// is −e_r, so that its d is c + y_r.
type reducedCosts struct {
	program *program
	basis   *basis
	values  *values
	d       []float64

	y, correction []float64  // m scratch
	nonzero       lu.Entries // those of y
}

// resize makes room for the present size of the program.
func (c *reducedCosts) resize() {
	m := c.program.matrix.m
	c.d, c.y, c.correction = zeros(c.d, c.program.variables()), zeros(c.y, m), grow(c.correction, m)
}

// compute finds y and d afresh, with one step of iterative refinement, and returns the largest change
// of a y by that step relative to the largest y, or to 1.
func (c *reducedCosts) compute() (change float64) {
	c.basis.btran(c.y, c.program.cost)
	c.fromDuals()
	if !c.basis.exact() {
		c.basis.btran(c.correction, c.d)
		for i := range c.y {
			c.y[i] += c.correction[i]
		}
		change = dense.Largest(c.correction) / max(1, dense.Largest(c.y))
		c.fromDuals()
	}
	for v, p := range c.values.position {
		if p == Basic {
			c.d[v] = 0
		}
	}
	return change
}

// fromDuals computes d from the duals y.
func (c *reducedCosts) fromDuals() {
	n, cost := c.program.matrix.n, c.program.cost
	list(&c.nonzero, c.y)
	for i, v := range c.y {
		c.d[n+i] = cost[n+i] + v
	}
	c.program.matrix.mulRows(c.d[:n], c.nonzero.Index, c.nonzero.Value)
	for j := range n {
		c.d[j] = cost[j] - c.d[j]
	}
}

// turn makes y that after an exchange, which the reduced cost of the entering variable is known for.
func (c *reducedCosts) turn(e exchange) {
	step := c.d[e.entering] / e.pivot
	for t, i := range e.row.Index {
		c.y[i] += step * e.row.Value[t]
	}
}

// update does d −= step·row, and sets the d of the pair that changes places.
func (c *reducedCosts) update(row *updateRow, entering, leaving int32, step float64) {
	n := c.program.matrix.n
	if step != 0 {
		if !c.program.matrix.sparse() {
			dense.Axpy(-step, row.entry[:n], c.d[:n])
		}
		for _, v := range row.listed {
			c.d[v] -= step * row.entry[v]
		}
	}
	c.d[entering], c.d[leaving] = 0, -step
}

// shift changes the cost of nonbasic variable v so that its reduced cost is 0.
func (c *reducedCosts) shift(v int) {
	c.program.cost[v] -= c.d[v]
	c.program.costsMoved = true
	c.d[v] = 0
}

// shiftWrong shifts the costs of those among vars whose reduced costs a step within Harris's tolerance took past 0.
//
// Without it they pass 0 a little more at every pivot, until a factorisation finds them beyond the tolerance and
// flips them: the steps that the flips then ask for are undone in the same way, for ever.
func (c *reducedCosts) shiftWrong(vars []int32) {
	for _, v := range vars {
		if wrong(c.values.position[v], c.d[v]) > 0 {
			c.shift(int(v))
		}
	}
}

// violation returns by how much the sign of d_v is wrong for nonbasic variable v,
// 0 within tolerance and for basic variables.
func (c *reducedCosts) violation(v int) float64 {
	if c.program.lower[v] == c.program.upper[v] {
		return 0
	}
	if e := wrong(c.values.position[v], c.d[v]); e > c.program.dualTolerance {
		return e
	}
	return 0
}

// wrong returns how far a reduced cost is on the wrong side of 0 for a variable at
// position p, negative on the right side.
func wrong(p Position, d float64) float64 {
	switch p {
	case AtLower:
		return -d
	case AtUpper:
		return d
	case AtZero:
		return max(d, -d)
	}
	return 0
}

// feasible reports whether every reduced cost has the right sign. A NaN has none.
func (c *reducedCosts) feasible() bool {
	for v := range c.d {
		if c.violation(v) != 0 {
			return false
		}
	}
	return finite(c.d)
}

// feasibleByFlips reports whether they all have once boxed variables rest on the right bounds.
func (c *reducedCosts) feasibleByFlips() bool {
	for v := range c.d {
		if c.violation(v) > 0 && !c.program.boxed(v) {
			return false
		}
	}
	return true
}
