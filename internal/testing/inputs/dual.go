package inputs

import (
	"math"

	"github.com/sparsekm/sparsekm/simplex"
)

// Dual is the dual of a program, as one that is to be minimised: its optimum is that of lp with the other sign. A row
// that is an equation becomes a free column, a bound of a row or column a column of its own, and a column whose lower
// bound is 0 a row with an upper bound. The matrix of lp is a [simplex.Sparse].
func Dual(lp simplex.LP) simplex.LP {
	a := lp.A.(*simplex.Sparse)
	n := len(a.Start) - 1
	b := newBuilder(n)
	index, value := rowsOf(a)
	for i, rows := range index {
		lo, up := lp.RowLo[i], lp.RowUp[i]
		if lo == up {
			b.column(-lo, math.Inf(-1), inf, rows, value[i])
			continue
		}
		b.bound(-lo, rows, value[i])
		b.bound(up, rows, negative(value[i]))
	}
	for j := range n {
		b.rlo[j], b.rup[j] = lp.C[j], lp.C[j]
		if lo := bound(lp.Lo, j, 0); lo == 0 {
			b.rlo[j] = math.Inf(-1)
		} else {
			b.bound(-lo, []int32{int32(j)}, []float64{1})
		}
		b.bound(bound(lp.Up, j, inf), []int32{int32(j)}, []float64{-1})
	}
	return b.lp()
}

// bound adds the multiplier of a bound, whose cost is infinite where there is none.
func (b *builder) bound(price float64, rows []int32, values []float64) {
	if !math.IsInf(price, 0) {
		b.column(price, 0, inf, rows, values)
	}
}

// bound is element j of bounds, or what stands for none of them.
func bound(bounds []float64, j int, otherwise float64) float64 {
	if bounds == nil {
		return otherwise
	}
	return bounds[j]
}

func negative(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = -v
	}
	return y
}

// rowsOf is a matrix by rows.
func rowsOf(a *simplex.Sparse) (index [][]int32, value [][]float64) {
	index, value = make([][]int32, a.Rows), make([][]float64, a.Rows)
	for j := range len(a.Start) - 1 {
		for e := a.Start[j]; e < a.Start[j+1]; e++ {
			i := a.Index[e]
			index[i] = append(index[i], int32(j))
			value[i] = append(value[i], a.Value[e])
		}
	}
	return index, value
}
