package rational

// denseFactors is P·A = L·U modulo p: L below the diagonal of lu, with a diagonal of ones, and U above.
type denseFactors struct {
	field
	n          int
	lu         []uint64 // by rows, first the matrix
	transposed []uint64
	inverse    []uint64 // of U's diagonal
	row        []int32  // of A, in the order of the pivots
}

// factor factors the matrix column by column, with dot products only. It returns the rows and columns that find no
// pivot.
func (d *denseFactors) factor() (rows, cols []int32) {
	n, a := d.n, d.lu
	d.row, d.inverse = make([]int32, n), make([]uint64, n)
	for i := range d.row {
		d.row[i] = int32(i)
	}
	u := make([]uint64, n)
	rank := 0
	for j := range n {
		chosen := -1
		for i := range n {
			k := min(i, rank)
			u[i] = d.sub(a[i*n+j], d.dot(a[i*n:i*n+k], u[:k]))
			if i >= rank && u[i] != 0 && chosen < 0 {
				chosen = i
			}
		}
		if chosen < 0 {
			cols = append(cols, int32(j))
			continue
		}
		d.exchange(rank, chosen)
		u[rank], u[chosen] = u[chosen], u[rank]
		d.inverse[rank] = d.invert(u[rank])
		for i := range n {
			a[i*n+rank] = u[i]
			if i > rank {
				a[i*n+rank] = d.mul(u[i], d.inverse[rank])
			}
		}
		rank++
	}
	if rank < n {
		return d.row[rank:], cols
	}
	d.transposed = make([]uint64, n*n)
	for i := range n {
		for j, v := range a[i*n : i*n+n] {
			d.transposed[j*n+i] = v
		}
	}
	return nil, nil
}

// exchange swaps two rows.
func (d *denseFactors) exchange(i, k int) {
	if i == k {
		return
	}
	d.row[i], d.row[k] = d.row[k], d.row[i]
	a, b := d.lu[i*d.n:(i+1)*d.n], d.lu[k*d.n:(k+1)*d.n]
	for j := range a {
		a[j], b[j] = b[j], a[j]
	}
}

// solve returns the solution of A·x = b.
func (d *denseFactors) solve(b []uint64) []uint64 {
	n := d.n
	x := make([]uint64, n)
	for i := range n {
		x[i] = d.sub(b[d.row[i]], d.dot(d.lu[i*n:i*n+i], x[:i]))
	}
	for i := n - 1; i >= 0; i-- {
		x[i] = d.mul(d.sub(x[i], d.dot(d.lu[i*n+i+1:i*n+n], x[i+1:])), d.inverse[i])
	}
	return x
}

// solveTransposed returns the solution of Aᵀ·y = c.
func (d *denseFactors) solveTransposed(c []uint64) []uint64 {
	n := d.n
	x, y := make([]uint64, n), make([]uint64, n)
	for i := range n {
		x[i] = d.mul(d.sub(c[i], d.dot(d.transposed[i*n:i*n+i], x[:i])), d.inverse[i])
	}
	for i := n - 1; i >= 0; i-- {
		x[i] = d.sub(x[i], d.dot(d.transposed[i*n+i+1:i*n+n], x[i+1:]))
		y[d.row[i]] = x[i]
	}
	return y
}
