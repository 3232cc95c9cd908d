package simplex

// updateRow is the pivot row: the row of B⁻¹ that belongs to the leaving variable
// and its product with the nonbasic columns.
type updateRow struct {
	matrix  *matrix
	basis   *basis
	inverse inverseRow
	nonzero []int32   // of a sparse program: the structural variables whose entries are not 0
	entry   []float64 // by variable; of the logicals only those of inverse.index are set
}

func newUpdateRow(a *matrix, b *basis) *updateRow {
	return &updateRow{matrix: a, basis: b, entry: make([]float64, a.n+a.m)}
}

// compute makes it the row of basic variable v.
func (u *updateRow) compute(v int32) {
	n := u.matrix.n
	if u.matrix.byRow != nil {
		u.computeSparse(v)
		return
	}
	u.basis.btranUnit(v, &u.inverse)
	u.matrix.price(u.entry[:n], u.inverse.index, u.inverse.value)
	for t, r := range u.inverse.index {
		u.entry[n+int(r)] = -u.inverse.value[t]
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
		from, to := rows.start[r], rows.start[r+1]
		value := rows.value[from:to]
		for e, j := range rows.index[from:to] {
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
