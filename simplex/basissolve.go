package simplex

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/simplex/internal/lu"
)

// basicVector has one element for every basic variable, laid out as the basis is.
type basicVector struct {
	covered []float64 // m: that of the variable covering row r, 0 for the rows in R
	block   []float64 // that of the i-th variable of S; |S| of its m elements count

	nonzero *lu.Vector  // of a sparse program: covered and the places of its nonzeros
	spike   *lu.Entries // the same: what an exchange wants to know of an entering column; nil for other vectors
}

// element returns the element of basic variable v.
func (b *basis) element(x basicVector, v int32) float64 {
	if b.lu != nil {
		return x.covered[b.lu.at[v]]
	}
	if i := b.slot[v]; i >= 0 {
		return x.block[i]
	}
	r, _, _ := b.matrix.unit(v)
	return x.covered[r]
}

// each calls f for the basic variables whose elements are larger than least.
func (b *basis) each(x basicVector, least float64, f func(v int32, e float64)) {
	if x.nonzero != nil {
		for _, r := range x.nonzero.Index {
			if e := x.covered[r]; math.Abs(e) > least {
				f(b.cover[r], e)
			}
		}
		return
	}
	for r, e := range x.covered {
		if math.Abs(e) > least {
			f(b.cover[r], e)
		}
	}
	for i, v := range b.vars {
		if e := x.block[i]; math.Abs(e) > least {
			f(v, e)
		}
	}
}

// largest returns the largest |element|.
func (b *basis) largest(x basicVector) (most float64) {
	if x.nonzero != nil {
		for _, r := range x.nonzero.Index {
			most = max(most, math.Abs(x.covered[r]))
		}
		return most
	}
	for _, e := range x.covered {
		most = max(most, math.Abs(e))
	}
	for _, e := range x.block[:len(b.vars)] {
		most = max(most, math.Abs(e))
	}
	return most
}

// ftran solves B·z = rhs in place for each of the vectors: x.covered holds rhs by rows
// before, x holds z after. Several go together because the inverse and the columns of
// S, beyond a few hundred of them, are more to read than to multiply by.
func (b *basis) ftran(xs ...basicVector) {
	if b.lu != nil {
		for _, x := range xs {
			b.lu.factors.Ftran(x.nonzero, x.spike)
		}
		return
	}
	k := len(b.vars)
	b.rhs = grow(b.rhs, k*len(xs))
	for q, x := range xs {
		rhs := b.rhs[q*k : (q+1)*k]
		for i, r := range b.rows {
			rhs[i] = x.covered[r]
		}
	}
	b.inverse.solve(xs, b.rhs)
	b.subtractBlock(xs)
	for _, x := range xs {
		for r, inv := range b.coverInv {
			x.covered[r] *= inv
		}
	}
}

// together is how many rows of the inverse, or columns of S, go to one vector after the
// other: few enough for the first-level cache.
const together = 8

// subtractBlock does covered −= A[C,S]·block for each of the vectors.
func (b *basis) subtractBlock(xs []basicVector) {
	many := 0 // dense columns
	for i, c := range b.cols {
		if c.dense {
			many++
			continue
		}
		for _, x := range xs {
			if x.block[i] != 0 {
				c.addTo(x.covered, -x.block[i])
			}
		}
	}
	switch {
	case many == 0:
	case b.sorted:
		b.subtractSorted(xs)
	default:
		b.targets = b.targets[:0]
		for _, x := range xs {
			b.targets = append(b.targets, x.covered)
		}
		b.subtractDense(xs)
	}
}

// subtractSorted does the part of subtractBlock that belongs to dense columns held by places.
func (b *basis) subtractSorted(xs []basicVector) {
	k := len(b.order) - len(b.rows)
	b.covered, b.targets = grow(b.covered, k*len(xs)), b.targets[:0]
	for q, x := range xs {
		y := b.covered[q*k : (q+1)*k]
		b.byPlace(y, x.covered)
		b.targets = append(b.targets, y)
	}
	b.subtractDense(xs)
	for q, x := range xs {
		for p, v := range b.targets[q] {
			x.covered[b.order[p]] = v
		}
	}
}

// subtractDense subtracts the dense columns from the targets, one for each of xs.
func (b *basis) subtractDense(xs []basicVector) {
	g := &b.group
	for i, c := range b.cols {
		if !c.dense {
			continue
		}
		g.cols[g.n], g.slots[g.n] = c.value, i
		if g.n++; g.n == together {
			g.subtract(b.targets, xs)
		}
	}
	g.subtract(b.targets, xs)
}

// columnGroup gathers dense columns of S by their slots.
type columnGroup struct {
	n       int
	cols    [together][]float64
	slots   [together]int
	factors [together]float64
}

// subtract does y −= Σ_t block[slots[t]]·cols[t] for each y and its vector, passing over those
// that have only zeros for factors, and empties the group.
func (g *columnGroup) subtract(ys [][]float64, xs []basicVector) {
	for q, x := range xs {
		any := false
		for t, i := range g.slots[:g.n] {
			g.factors[t] = -x.block[i]
			any = any || g.factors[t] != 0
		}
		if any {
			dense.AddGathered(ys[q], g.factors[:g.n], g.cols[:g.n])
		}
	}
	g.n = 0
}

// btran solves Bᵀ·y = c_B; cost has an element for every variable, y for every row.
func (b *basis) btran(y, cost []float64) {
	if b.lu != nil {
		b.lu.btran(b, y, cost)
		return
	}
	for r, v := range b.cover {
		y[r] = 0
		if v >= 0 {
			y[r] = cost[v] * b.coverInv[r]
		}
	}
	b.rhs, b.solution = grow(b.rhs, len(b.vars)), grow(b.solution, len(b.vars))
	sorted := y
	if b.sorted {
		b.covered = grow(b.covered, len(b.order)-len(b.rows))
		b.byPlace(b.covered, y)
		sorted = b.covered
	}
	for i, c := range b.cols {
		by := y
		if c.dense {
			by = sorted
		}
		b.rhs[i] = cost[b.vars[i]] - c.dot(by)
	}
	b.inverse.solveT(b.solution, b.rhs)
	for i, r := range b.rows {
		y[r] = b.solution[i]
	}
}

// sparse is a vector by its indices and values.
type sparse struct {
	index []int32
	value []float64
}

// inverseRow is the row of B⁻¹ that belongs to a basic variable.
type inverseRow struct {
	sparse
	block []float64 // Mᵀ·A[r,S] where the variable covers row r: what replace needs to give up that row

	partial lu.Entries // of a sparse program: what an exchange wants to know of it
}

// squaredNorm returns ‖row‖², the weight of dual steepest edge.
func (row *inverseRow) squaredNorm() (sum float64) {
	for _, x := range row.value {
		sum += x * x
	}
	return sum
}

// btranUnit solves Bᵀ·row = e_v for the basic variable v.
func (b *basis) btranUnit(v int32, row *inverseRow) {
	if b.lu != nil {
		b.lu.btranUnit(v, row)
		return
	}
	row.index = append(row.index[:0], b.rows...)
	row.value = grow(row.value, len(b.rows))
	if i := b.slot[v]; i >= 0 {
		b.inverse.unitT(row.value, int(i))
		return
	}
	r, coef, _ := b.matrix.unit(v)
	b.rhs, row.block = grow(b.rhs, len(b.vars)), grow(row.block, len(b.vars))
	for i, c := range b.cols {
		b.rhs[i] = b.entry(c, r)
	}
	b.inverse.solveT(row.block, b.rhs)
	for i, x := range row.block {
		row.value[i] = -x / coef
	}
	row.index = append(row.index, r)
	row.value = append(row.value, 1/coef)
}
