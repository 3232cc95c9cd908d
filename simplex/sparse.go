package simplex

// A program is sparse when all of its columns are [Sparse], few of its entries are nonzero, and it has enough rows for
// that to matter. Its basis is then held by sparse LU factors ([factored]), and a
// pivot costs in proportion to the nonzeros that it meets, not to rows and columns.
const (
	sparseRows  = 50 // the least number of rows
	sparseShare = 5  // at most 1 entry in so many is nonzero
)

// sparse reports whether the program counts as sparse.
func (mx *matrix) sparse() bool { return mx.byRow != nil }

// hasFewEntries reports whether the columns are those of a sparse program.
func (mx *matrix) hasFewEntries() bool {
	entries := 0
	for _, p := range mx.parts {
		s, ok := p.a.(*Sparse)
		if !ok {
			return false
		}
		entries += len(s.Value)
	}
	return mx.m >= sparseRows && entries*sparseShare <= mx.m*mx.n
}

// refreshRows renews the copy by rows when the matrix has grown. A sparse program becomes dense
// with the first dense column; a dense program stays dense.
func (mx *matrix) refreshRows() {
	switch {
	case !mx.sparse():
	case mx.hasFewEntries():
		mx.byRow = newRowCopy(mx)
	default:
		mx.byRow = nil
	}
}
