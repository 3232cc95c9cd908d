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

// cancelled is what stays of entries whose terms cancel, so that they count as nonzero.
const cancelled = 1e-200

// computeSparse adds up the rows of the matrix that ρ has nonzeros for.
func (u *updateRow) computeSparse(v int32) {
	n := u.matrix.n
	for _, j := range u.nonzero {
		u.entry[j] = 0
	}
	for _, r := range u.inverse.index {
		u.entry[n+int(r)] = 0
	}
	u.basis.btranUnit(v, &u.inverse)
	rows, list, entry := u.matrix.byRow, u.nonzero[:0], u.entry
	for t, r := range u.inverse.index {
		y := u.inverse.value[t]
		entry[n+int(r)] = -y
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
	u.nonzero = list
}
