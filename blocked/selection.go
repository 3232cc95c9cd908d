package blocked

import "github.com/sparsekm/sparsekm/gram"

// batchDim is the dimension from which on evaluating several rows of a working set
// together pays: below it a row is bound by exp, not by reading points.
const batchDim = 32

// selection is the working set that SubRow serves: a copy of its points, so that a row
// of the small matrix is one short kernel row.
type selection[T gram.Float] struct {
	idx   []int
	pts   *gram.Points[T] // packed on the first miss
	row   []T
	block []T   // batchDim and above: the rows of the members that were not cached
	at    []int // at[r]: row r's place in block, −1 for none
}

// Select names the working set that [Matrix.SubRow] serves until the next call. The
// matrix reads idx but does not keep it beyond.
func (m *Matrix[T]) Select(idx []int) {
	s := &m.sel
	s.idx, s.pts, s.at = idx, nil, nil
	if cap(s.row) < len(idx) {
		s.row = make([]T, len(idx))
	}
}

// SubRow writes dst[c] = k(x_idx[r], x_idx[c]) for the selected idx, from the cached
// row when there is one. It fills no cache.
func (m *Matrix[T]) SubRow(dst []float64, r int) {
	s := &m.sel
	if slot := m.cache.of[s.idx[r]]; slot >= 0 {
		row := m.cache.slots[slot].row
		for c, j := range s.idx {
			dst[c] = float64(row[j])
		}
		return
	}
	if s.pts == nil {
		s.pts = m.pts.Subset(s.idx)
	}
	for c, v := range m.evaluated(r) {
		dst[c] = float64(v)
	}
}

// evaluated returns row r of the selection's matrix from its own points.
func (m *Matrix[T]) evaluated(r int) []T {
	s := &m.sel
	q := len(s.idx)
	if m.pts.Dim() < batchDim {
		s.pts.Row(s.row[:q], r)
		m.stats.KernelEvals += int64(q)
		return s.row[:q]
	}
	if s.at == nil {
		s.at = make([]int, q)
		var missing []int
		for c, i := range s.idx {
			if s.at[c] = -1; m.cache.of[i] < 0 {
				s.at[c] = len(missing)
				missing = append(missing, c)
			}
		}
		if n := len(missing) * q; cap(s.block) < n {
			s.block = make([]T, n)
		}
		s.pts.Tile(s.block[:len(missing)*q], q, missing, 0, q)
		m.stats.KernelEvals += int64(len(missing)) * int64(q)
	}
	return s.block[s.at[r]*q : (s.at[r]+1)*q]
}
