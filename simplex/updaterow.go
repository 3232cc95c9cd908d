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
	if u.matrix.sparse() {
		u.computeSparse(v)
		return
	}
	u.basis.btranUnit(v, &u.inverse)
	u.matrix.mulRows(u.entry[:n], u.inverse.index, u.inverse.value)
	for t, r := range u.inverse.index {
		u.entry[n+int(r)] = -u.inverse.value[t]
	}
}
