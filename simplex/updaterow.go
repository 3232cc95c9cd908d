package simplex

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
