package simplex

// updateRow is the pivot row: the row of B⁻¹ that belongs to the leaving variable
// and its product with the nonbasic columns.
type updateRow struct {
	matrix  *matrix
	basis   *basis
	inverse inverseRow
	entry   []float64 // by variable; of the logicals only those of inverse.index are set
}

func newUpdateRow(a *matrix, b *basis) *updateRow {
	return &updateRow{matrix: a, basis: b, entry: make([]float64, a.n+a.m)}
}

// compute makes it the row of basic variable v.
func (u *updateRow) compute(v int32) {
	u.basis.btranUnit(v, &u.inverse)
	n := u.matrix.n
	u.matrix.price(u.entry[:n], u.inverse.index, u.inverse.value)
	for t, r := range u.inverse.index {
		u.entry[n+int(r)] = -u.inverse.value[t]
	}
}
