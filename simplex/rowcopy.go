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
	scaled := &Sparse{Rows: mx.m}
	for j := range mx.n {
		c := mx.load(int32(j))
		scaled.Append(c.index, c.value)
	}
	rows := scaled.Transpose()
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

// move moves the entries of column j, which has some in the given rows, when it becomes basic or is so no longer.
func (r *rowCopy) move(j int32, rows []int32, basic bool) {
	for _, i := range rows {
		from, to := r.nonbasic[i], r.Start[i+1]
		pos, end := from, from+1
		if basic {
			from, to, pos, end = r.Start[i], from, from-1, from-1
		}
		for e := from; e < to; e++ {
			if r.Index[e] == j {
				r.swap(e, pos)
				r.nonbasic[i] = end
				break
			}
		}
	}
}

// exchange follows that of two variables of the basis.
func (r *rowCopy) exchange(mx *matrix, entering, leaving int32) {
	if int(entering) < mx.n {
		r.move(entering, mx.load(entering).index, true)
	}
	if int(leaving) < mx.n {
		r.move(leaving, mx.load(leaving).index, false)
	}
}
