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

// copyRows makes the copy of the scaled matrix by rows.
func (mx *matrix) copyRows() {
	r := &rowMajor{start: make([]int, mx.m+1)}
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
	next := append([]int(nil), r.start[:mx.m]...)
	for j := range mx.n {
		c := mx.load(int32(j))
		for t, i := range c.index {
			r.index[next[i]], r.value[next[i]] = int32(j), c.value[t]
			next[i]++
		}
	}
	mx.byRow = r
}

// note takes basic variable v into outside if it is beyond its bounds.
func (s *values) note(v int32) {
	if x := s.x[v]; (x > s.program.upper[v]+s.program.primalTolerance || x < s.program.lower[v]-s.program.primalTolerance) &&
		!s.listed[v] {
		s.listed[v] = true
		s.outside = append(s.outside, v)
	}
}

// listOutside makes outside the basic variables beyond their bounds.
func (s *values) listOutside() {
	if s.basis.lu == nil {
		return
	}
	s.listed, s.outside = grow(s.listed, len(s.x)), s.outside[:0]
	clear(s.listed)
	for _, v := range s.basis.cover {
		s.note(v)
	}
}

// chooseListed is chooseLeaving among those that values lists.
func (w *dualWeights) chooseListed(s *values, out *exclusions) (leaving int32, beyond float64) {
	leaving = -1
	best, tolerance := 0.0, s.program.primalTolerance
	lower, upper, kept := s.program.lower, s.program.upper, s.outside[:0]
	for _, v := range s.outside {
		x := s.x[v]
		e := x - upper[v]
		if e <= tolerance {
			e = min(x-lower[v], 0)
		}
		if e > -tolerance && e <= tolerance || s.position[v] != Basic {
			s.listed[v] = false
			continue
		}
		kept = append(kept, v)
		if e*e > best*w.weight[v] && !out.has(v) {
			best, leaving, beyond = e*e/w.weight[v], v, e
		}
	}
	s.outside = kept
	return leaving, beyond
}

// refreshRows keeps the copy by rows true when the matrix has grown. A sparse program ends being one
// with the first column that is not; it does not become one.
func (mx *matrix) refreshRows() {
	switch {
	case mx.byRow == nil:
	case mx.sparse():
		mx.copyRows()
	default:
		mx.byRow = nil
	}
}
