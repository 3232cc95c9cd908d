package simplex

// A program is sparse where all of its columns are, where they have few entries and where it has
// rows enough for these to matter. Its basis is then factored as a whole (see factored), and a
// pivot costs in proportion to the nonzeros that it meets, not to rows and columns.
const (
	sparseRows  = 50 // the least number
	sparseShare = 5  // the share of entries, 1 in so many, up to which
)

// sparse reports whether the program is.
func (mx *matrix) sparse() bool {
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

// refreshRows keeps the copy by rows true when the matrix has grown. A sparse program ends being one
// with the first column that is not; it does not become one.
func (mx *matrix) refreshRows() {
	switch {
	case mx.byRow == nil:
	case mx.sparse():
		mx.byRow = newRowCopy(mx)
	default:
		mx.byRow = nil
	}
}
