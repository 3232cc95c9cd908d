package simplex

import "slices"

// rowCopy is the scaled matrix of a sparse program by rows, entries of nonbasic columns
// before those of basic ones: a pivot row has no use for the latter.
type rowCopy struct {
	Sparse
	nonbasic []int // row → where its entries of basic columns begin
}

// newRowCopy copies the matrix; all columns count as nonbasic.
func newRowCopy(mx *matrix) *rowCopy {
	rows := transposed(mx.m, mx.n, func(j int) ([]int32, []float64) {
		c := mx.load(int32(j))
		return c.index, c.value
	})
	return &rowCopy{*rows, slices.Clone(rows.Start[1:])}
}

// regroup puts the entries of every row in order for the given positions of the variables.
func (r *rowCopy) regroup(position []Position) {
	for i := range r.nonbasic {
		from, to := r.Start[i], r.Start[i+1]
		for from < to {
			if position[r.Index[from]] != Basic {
				from++
				continue
			}
			to--
			r.swap(from, to)
		}
		r.nonbasic[i] = from
	}
}

func (r *rowCopy) swap(e, f int) {
	r.Index[e], r.Index[f] = r.Index[f], r.Index[e]
	r.Value[e], r.Value[f] = r.Value[f], r.Value[e]
}

// enters moves the entries of a column that becomes basic.
func (r *rowCopy) enters(j int32, rows []int32) {
	for _, i := range rows {
		for e := r.Start[i]; e < r.nonbasic[i]; e++ {
			if r.Index[e] == j {
				r.nonbasic[i]--
				r.swap(e, r.nonbasic[i])
				break
			}
		}
	}
}

// leaves moves those of one that does no longer.
func (r *rowCopy) leaves(j int32, rows []int32) {
	for _, i := range rows {
		for e := r.nonbasic[i]; e < r.Start[i+1]; e++ {
			if r.Index[e] == j {
				r.swap(e, r.nonbasic[i])
				r.nonbasic[i]++
				break
			}
		}
	}
}

// exchange follows that of two variables of the basis.
func (r *rowCopy) exchange(mx *matrix, entering, leaving int32) {
	if int(entering) < mx.n {
		r.enters(entering, mx.load(entering).index)
	}
	if int(leaving) < mx.n {
		r.leaves(leaving, mx.load(leaving).index)
	}
}
