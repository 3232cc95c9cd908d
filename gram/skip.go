package gram

// Zero features contribute exactly nothing to an inner product, so a block of queries
// only has to visit the features that one of them has: a third to a half of all for
// eight handwritten digits. The values' bits do not change.

const (
	skipDim = 64 // below this, a list of features does not pay
	// skipRows is the number of queries that the skipping tile takes.
	skipRows = 8
)

// compact lists the features that are not zero in all of skipRows queries and packs those,
// when the active level has a tile for that and enough features are left out.
func (s *scratch[T]) compact(f form, d int) {
	if f != expanded && f != inner || d < skipDim || !canSkip() {
		return
	}
	if cap(s.packed) < len(s.q) {
		s.packed = alignedSlice[T](len(s.q))
	}
	s.packed = s.packed[:len(s.q)]
	for k := range d {
		q := (*[skipRows]T)(s.q[k*skipRows:])
		if q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0 && q[4] == 0 && q[5] == 0 && q[6] == 0 && q[7] == 0 {
			continue
		}
		copy(s.packed[len(s.kept)*skipRows:], q[:])
		s.kept = append(s.kept, uint32(k*panelWidth))
	}
	if len(s.kept) > d-d/8 {
		s.kept = s.kept[:0]
	}
}
