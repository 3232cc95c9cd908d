package simplex

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// basicVector has one element for every basic variable, laid out as the basis is.
type basicVector struct {
	covered []float64 // m: that of the variable covering row r, 0 for the rows in R
	block   []float64 // that of the i-th variable of S; |S| of its m elements count
}

func newBasicVector(m int) basicVector { return basicVector{make([]float64, m), make([]float64, m)} }

// element returns the element of basic variable v.
func (b *basis) element(x basicVector, v int32) float64 {
	if i := b.slot[v]; i >= 0 {
		return x.block[i]
	}
	r, _, _ := b.matrix.unit(v)
	return x.covered[r]
}

// each calls f for the basic variables whose elements are larger than least.
func (b *basis) each(x basicVector, least float64, f func(v int32, e float64)) {
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
	if many == 0 {
		return
	}
	k := len(b.order) - len(b.rows)
	b.covered = grow(b.covered, k*len(xs))
	for q, x := range xs {
		b.byPlace(b.covered[q*k:(q+1)*k], x.covered)
	}
	b.subtractDense(xs, k)
	for q, x := range xs {
		for p, v := range b.covered[q*k : (q+1)*k] {
			x.covered[b.order[p]] = v
		}
	}
}

// byPlace writes the elements of x in the first places to dst.
func (b *basis) byPlace(dst, x []float64) {
	for p, r := range b.order[:len(dst)] {
		dst[p] = x[r]
	}
}

// subtractDense does the part of subtractBlock that belongs to dense columns, on b.covered,
// which holds k elements of each vector.
func (b *basis) subtractDense(xs []basicVector, k int) {
	g := &b.group
	for i, c := range b.cols {
		if !c.dense {
			continue
		}
		g.cols[g.n], g.slots[g.n] = c.value, i
		if g.n++; g.n == together {
			g.subtract(b.covered, k, xs)
		}
	}
	g.subtract(b.covered, k, xs)
}

// columnGroup gathers dense columns of S by their slots.
type columnGroup struct {
	n       int
	cols    [together][]float64
	slots   [together]int
	factors [together]float64
}

// subtract does y −= Σ_t block[slots[t]]·cols[t] for each of the vectors, passing over those
// that have only zeros for factors, and empties the group. Each has k elements of y.
func (g *columnGroup) subtract(y []float64, k int, xs []basicVector) {
	for q, x := range xs {
		any := false
		for t, i := range g.slots[:g.n] {
			g.factors[t] = -x.block[i]
			any = any || g.factors[t] != 0
		}
		if any {
			dense.AddGathered(y[q*k:(q+1)*k], g.factors[:g.n], g.cols[:g.n])
		}
	}
	g.n = 0
}

// btran solves Bᵀ·y = c_B; cost has an element for every variable, y for every row.
func (b *basis) btran(y, cost []float64) {
	for r, v := range b.cover {
		y[r] = 0
		if v >= 0 {
			y[r] = cost[v] * b.coverInv[r]
		}
	}
	b.rhs, b.solution = grow(b.rhs, len(b.vars)), grow(b.solution, len(b.vars))
	b.covered = grow(b.covered, len(b.order)-len(b.rows))
	b.byPlace(b.covered, y)
	for i, c := range b.cols {
		by := y
		if c.dense {
			by = b.covered
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

// entry returns that of row r in column c of S.
func (b *basis) entry(c column, r int32) float64 {
	if c.dense {
		return c.value[b.place[r]]
	}
	for t, i := range c.index {
		if i == r {
			return c.value[t]
		}
	}
	return 0
}
