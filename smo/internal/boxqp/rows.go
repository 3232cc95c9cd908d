package boxqp

// Dims returns the rows and columns of Z.
func (f *Factor) Dims() (n, r int) { return f.n, f.r }

// Row returns row i of Z, which the caller must not change.
func (f *Factor) Row(i int) []float64 { return f.row(i) }
