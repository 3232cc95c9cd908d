package simplex

// rowCopy is the scaled matrix of a sparse program by rows, entries of nonbasic columns
// before those of basic ones: a pivot row has no use for the latter.
type rowCopy struct {
	rowMajor
	nonbasic []int // row → where its entries of basic columns begin
}

// newRowCopy copies the matrix; all columns count as nonbasic.
func newRowCopy(mx *matrix) *rowCopy {
	r := &rowCopy{rowMajor: rowMajor{start: make([]int, mx.m+1)}}
	for j := range mx.n {
		for _, i := range mx.load(int32(j)).index {
			r.start[i+1]++
		}
	}
	for i := range mx.m {
		r.start[i+1] += r.start[i]
	}
	entries := r.start[mx.m]
	r.index, r.value = make([]int32, entries), make([]float64, entries)
	r.nonbasic = append([]int(nil), r.start[:mx.m]...)
	for j := range mx.n {
		c := mx.load(int32(j))
		for t, i := range c.index {
			r.index[r.nonbasic[i]], r.value[r.nonbasic[i]] = int32(j), c.value[t]
			r.nonbasic[i]++
		}
	}
	return r
}

// regroup puts the entries of every row in order for the given positions of the variables.
func (r *rowCopy) regroup(position []Position) {
	for i := range r.nonbasic {
		from, to := r.start[i], r.start[i+1]
		for from < to {
			if position[r.index[from]] != Basic {
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
	r.index[e], r.index[f] = r.index[f], r.index[e]
	r.value[e], r.value[f] = r.value[f], r.value[e]
}

// enters moves the entries of a column that becomes basic.
func (r *rowCopy) enters(j int32, rows []int32) {
	for _, i := range rows {
		for e := r.start[i]; e < r.nonbasic[i]; e++ {
			if r.index[e] == j {
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
		for e := r.nonbasic[i]; e < r.start[i+1]; e++ {
			if r.index[e] == j {
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
		from, to := rows.start[r], rows.nonbasic[r]
		index := rows.index[from:to]
		value := rows.value[from:to][:len(index)]
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
