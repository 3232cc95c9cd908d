package gram

// A zero feature adds nothing to an inner product. So a block of queries visits only the features that are non-zero
// in one of them: a third to a half of all for eight handwritten digits. The bits of the values do not change.

const (
	skipDim = 64 // below this dimension, skipping does not pay
	// skipRows is the number of queries of a tile that skips features.
	skipRows = 8
)

// compact lists the features that are non-zero in at least one of skipRows queries, and packs the queries with these
// features only. It does nothing if the active level has no tile for this, or if too few features are zero.
func (s *scratch[T]) compact(f form, d int) {
	if f != expanded && f != inner || d < skipDim || !levels.Active().skips {
		return
	}
	if cap(s.packed) < len(s.q) {
		s.packed = Aligned[T](len(s.q))
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
