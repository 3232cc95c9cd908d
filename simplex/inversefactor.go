package simplex

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// pivotTolerance is the least pivot, relative to its column's largest original entry, that the factorisation takes,
// entries measured by the largest of their rows: a row of 1e-8 is no less independent for it than one of 1e8.
const pivotTolerance = 1e-11

// panel is the number of columns whose pivots go to the other columns as one product.
const panel = 32

// factor inverts in place the k×k block that the caller wrote to the rows of v (row t of the block in v.row(t)) by
// Gauss-Jordan elimination with row pivoting. It returns the row that each column was pivoted on (valid until the
// next call), −1 where the column depends on others; then the contents are of no use, nor when ctx ends, which it is
// asked for at every column.
func (v *inverse) factor(ctx context.Context) (pivotRow []int32, ok bool) {
	v.measure()
	done := 0 // rows in places < done are pivoted
	for from := 0; from < v.k; from += panel {
		p := block{from: from, to: min(from+panel, v.k), first: done}
		for j := from; j < p.to; j++ {
			if ctx.Err() != nil {
				return nil, false
			}
			if v.findPivot(j, done) {
				v.eliminate(p, done, j)
				p.pivots[done-p.first] = j
				done++
			}
		}
		if !v.spread(ctx, p, done-p.first) {
			return nil, false
		}
	}
	if done < v.k {
		return v.pivotRows, false
	}
	v.unpermute(v.order)
	return v.pivotRows, true
}

// block is a panel: columns from to to − 1, pivoted on the rows in places from first on.
type block struct {
	from, to, first int
	pivots          [panel]int // columns that found a pivot
}

// measure begins a factorisation: rows in their order, what their entries count, and the columns' sizes.
func (v *inverse) measure() {
	k := v.k
	v.order, v.size, v.perRow = grow(v.order, k), grow(v.size, k), grow(v.perRow, k)
	v.pivotRows = grow(v.pivotRows, k)
	clear(v.size)
	for t := range k {
		v.order[t], v.perRow[t] = int32(t), 1
		if largest := dense.Largest(v.row(t)); largest > 1e-300 {
			v.perRow[t] = 1 / largest
		}
		for j, x := range v.row(t) {
			v.size[j] = max(v.size[j], math.Abs(x)*v.perRow[t])
		}
	}
}

// findPivot brings the row to place done that column j is pivoted on. It reports
// whether there is one among those not pivoted on yet.
func (v *inverse) findPivot(j, done int) bool {
	best, pos := pivotTolerance*v.size[j], -1
	for t := done; t < v.k; t++ {
		if x := math.Abs(v.a[t*v.stride+j]) * v.perRow[t]; x > best {
			best, pos = x, t
		}
	}
	if pos < 0 {
		v.pivotRows[j] = -1
		return false
	}
	v.swapRows(pos, done)
	v.order[pos], v.order[done] = v.order[done], v.order[pos]
	v.perRow[pos], v.perRow[done] = v.perRow[done], v.perRow[pos]
	v.pivotRows[j] = v.order[done]
	return true
}

func (v *inverse) swapRows(i, j int) {
	if i == j {
		return
	}
	a, b := v.row(i), v.row(j)
	for t, x := range a {
		a[t], b[t] = b[t], x
	}
}

// eliminate is a Gauss-Jordan step on the entry of row t, column j, of the panel's columns
// alone: afterwards column j holds that column of the inverse so far.
func (v *inverse) eliminate(p block, t, j int) {
	pivot := v.row(t)[p.from:p.to]
	inv := 1 / pivot[j-p.from]
	pivot[j-p.from] = 1
	for c := range pivot {
		pivot[c] *= inv
	}
	for r := range v.k {
		row := v.row(r)[p.from:p.to]
		if s := row[j-p.from]; r != t && s != 0 {
			row[j-p.from] = 0
			dense.Axpy(-s, pivot, row)
		}
	}
}

// spread does the panel's n steps for the other columns: with X their rows that were
// pivoted on and G the panel's pivot columns, which hold what the steps made of
// a unit matrix there, 0 takes the place of X and G·X is added. It is false if ctx ends.
func (v *inverse) spread(ctx context.Context, p block, n int) bool {
	if n == 0 || p.to-p.from == v.k {
		return true
	}
	v.steps, v.found = grow(v.steps, v.k*n), grow(v.found, n*v.k)
	for r := range v.k {
		for q, j := range p.pivots[:n] {
			v.steps[r*n+q] = v.a[r*v.stride+j]
		}
	}
	for q := range n {
		row := v.row(p.first + q)
		copy(v.found[q*v.k:(q+1)*v.k], row)
		clear(row[:p.from])
		clear(row[p.to:])
	}
	a, g, x := dense.Of(v.a, v.k, v.k, v.stride), dense.Of(v.steps, v.k, n, n), dense.Of(v.found, n, v.k, v.k)
	for _, c := range [2][2]int{{0, p.from}, {p.to, v.k}} {
		if dense.Mul(ctx, 1, 1, g, x.Sub(0, n, c[0], c[1]), a.Sub(0, v.k, c[0], c[1])) != nil {
			return false
		}
	}
	return true
}

// unpermute moves column t of the matrix to column order[t].
func (v *inverse) unpermute(order []int32) {
	v.rowBuffer = grow(v.rowBuffer, v.k)
	buf := v.rowBuffer
	for r := range v.k {
		row := v.row(r)
		for t, to := range order {
			buf[to] = row[t]
		}
		copy(row, buf)
	}
}
