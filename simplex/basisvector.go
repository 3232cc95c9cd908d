package simplex

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/simplex/internal/lu"
)

// basicVector has one element for every basic variable, laid out as the basis is.
type basicVector struct {
	covered []float64 // m: by row, element of the variable that covers it, 0 for the rows in R
	block   []float64 // by variable of S; |S| of its m elements count

	nonzero *lu.Vector  // of a sparse program: covered and the places of its nonzeros
	spike   *lu.Entries // the same: the part of an entering column that an exchange needs; nil for other vectors
}

// newVector returns a vector with an element for every basic variable.
func (b *members) newVector() basicVector {
	if b.sparse() {
		x := lu.NewVector(b.matrix.m)
		return basicVector{covered: x.Value, nonzero: x}
	}
	return basicVector{covered: make([]float64, b.matrix.m), block: make([]float64, b.matrix.m)}
}

// clear makes the vector 0, to be written by rows.
func (x basicVector) clear() {
	if x.nonzero != nil {
		x.nonzero.Clear()
		return
	}
	clear(x.covered)
}

// written must precede ftran if elements were written without add.
func (x basicVector) written() {
	if x.nonzero != nil {
		x.nonzero.Gather()
	}
}

// add adds v times a column, by rows.
func (x basicVector) add(c column, v float64) {
	if x.nonzero == nil {
		c.addTo(x.covered, v)
		return
	}
	for t, i := range c.index {
		x.nonzero.Add(i, v*c.value[t])
	}
}

// each calls f for the basic variables whose elements are larger than smallest.
func (b *members) each(x basicVector, smallest float64, f func(v int32, e float64)) {
	if x.nonzero != nil {
		for _, r := range x.nonzero.Index {
			if e := x.covered[r]; math.Abs(e) > smallest {
				f(b.cover[r], e)
			}
		}
		return
	}
	for r, e := range x.covered {
		if math.Abs(e) > smallest {
			f(b.cover[r], e)
		}
	}
	for i, v := range b.vars {
		if e := x.block[i]; math.Abs(e) > smallest {
			f(v, e)
		}
	}
}

// largest returns the largest |element|.
func (b *members) largest(x basicVector) (most float64) {
	if x.nonzero != nil {
		for _, r := range x.nonzero.Index {
			most = max(most, math.Abs(x.covered[r]))
		}
		return most
	}
	return max(dense.Largest(x.covered), dense.Largest(x.block[:len(b.vars)]))
}

// inverseRow is the row of B⁻¹ that belongs to a basic variable.
type inverseRow struct {
	lu.Entries
	block []float64 // Mᵀ·A[r,S] where the variable covers row r: replace needs it when that row leaves the cover

	partial lu.Entries // of a sparse program: the part that an exchange needs
}

// squaredNorm returns ‖row‖², the weight of dual steepest edge.
func (row *inverseRow) squaredNorm() (sum float64) {
	for _, x := range row.Value {
		sum += x * x
	}
	return sum
}

// updateRow is the pivot row: the row of B⁻¹ that belongs to the leaving variable
// and its product with the nonbasic columns.
type updateRow struct {
	matrix  *matrix
	basis   *basis
	inverse inverseRow
	entry   []float64 // by variable; of the logicals only the listed ones are set
	listed  []int32   // logicals whose entries are not 0; before them such structural variables of a sparse program
}

// compute makes it the row of basic variable v.
func (u *updateRow) compute(v int32) {
	n := int32(u.matrix.n)
	if u.matrix.sparse() {
		u.computeSparse(v)
	} else {
		u.basis.btranUnit(v, &u.inverse)
		u.matrix.mulRows(u.entry[:n], u.inverse.Index, u.inverse.Value)
		u.listed = u.listed[:0]
	}
	for t, r := range u.inverse.Index {
		u.entry[n+r] = -u.inverse.Value[t]
		u.listed = append(u.listed, n+r)
	}
}

// cancelled is what stays of entries whose terms cancel, so that they count as nonzero.
const cancelled = 1e-200

// computeSparse adds up the rows of the matrix that ρ has nonzeros for.
func (u *updateRow) computeSparse(v int32) {
	entry := u.entry
	for _, j := range u.listed {
		entry[j] = 0
	}
	u.basis.btranUnit(v, &u.inverse)
	rows, list := u.matrix.byRow, u.listed[:0]
	for t, r := range u.inverse.Index {
		y := u.inverse.Value[t]
		from, to := rows.Start[r], rows.nonbasic[r]
		index := rows.Index[from:to]
		value := rows.Value[from:to][:len(index)]
		for e, j := range index {
			x := entry[j]
			if x == 0 {
				list = append(list, j)
			}
			if x += y * value[e]; x == 0 {
				x = cancelled
			}
			entry[j] = x
		}
	}
	u.listed = list
}
