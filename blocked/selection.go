package blocked

import (
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// batchDim is the dimension from which it pays to evaluate several rows of a working set together. Below it, exp
// limits the speed, not reading samples. From it on, evaluating such a row is also faster than gathering its values
// from a cached row of all samples, because each value lies in a cache line of its own.
const batchDim = 64

// selection is the working set that SubRow serves. It holds a packed copy of the samples, so that one short kernel
// row gives a row of the small matrix.
type selection[T gram.Float] struct {
	idx []int
	pts *gram.Samples[T] // packed on the first miss
	row []T
	// From batchDim on, the rows of all members that were not cached are evaluated at once. These members are packed
	// first. Only the part right of the diagonal of the symmetric block is stored, in steps of diagonalRows.
	block []T
	place []int // place[r] is the packed position of member r
}

// diagonalRows is the number of rows of a selection's block that start at the same column.
const diagonalRows = 64

// Select sets the working set that [Matrix.SubRow] serves until the next call. The matrix does not keep idx.
func (m *Matrix[T]) Select(idx []int) {
	s := &m.sel
	s.idx, s.pts = idx, nil
	if cap(s.row) < len(idx) {
		s.row = make([]T, len(idx))
	}
}

// SubRow writes dst[c] = k(x_idx[r], x_idx[c]) for the selected idx. It does not fill the cache.
func (m *Matrix[T]) SubRow(dst []float64, r int) { subRow(m, dst, r) }

// SubValues is SubRow without the conversion to float64.
func (m *Matrix[T]) SubValues(dst []T, r int) { subRow(m, dst, r) }

func subRow[T, D gram.Float](m *Matrix[T], dst []D, r int) {
	s := &m.sel
	m.wants(s.idx[r])
	short := m.pts.Cost() < batchDim
	if slot := m.cache.places[s.idx[r]]; slot >= 0 && !(short && m.pts.Kernel().Vectorised()) {
		row := m.cache.slots[slot].row
		for c, j := range s.idx {
			dst[c] = D(row[j])
		}
		return
	}
	if short {
		if same, ok := any(dst).([]T); ok {
			m.evaluateRow(same, r)
			return
		}
		m.evaluateRow(s.row, r)
		for c, v := range s.row[:len(s.idx)] {
			dst[c] = D(v)
		}
		return
	}
	if s.pts == nil {
		m.evaluateBlock()
	}
	q := len(s.idx)
	row := s.block[s.place[r]*q:][:q]
	for c, j := range s.place {
		dst[c] = D(row[j])
	}
}

// evaluateRow writes row r of the selection's matrix.
func (m *Matrix[T]) evaluateRow(dst []T, r int) {
	s := &m.sel
	if s.pts == nil {
		s.pts = m.pts.Subset(s.idx)
	}
	s.pts.Row(dst[:len(s.idx)], r)
	m.stats.KernelEvals += int64(len(s.idx))
}

// evaluateBlock evaluates the rows of the members that were not cached.
func (m *Matrix[T]) evaluateBlock() {
	s := &m.sel
	q := len(s.idx)
	s.place = s.place[:0]
	var missing, cached []int
	for _, i := range s.idx {
		if m.cache.places[i] < 0 {
			s.place = append(s.place, len(missing))
			missing = append(missing, i)
		} else {
			s.place = append(s.place, -1-len(cached))
			cached = append(cached, i)
		}
	}
	for r, p := range s.place {
		if p < 0 {
			s.place[r] = len(missing) - 1 - p
		}
	}
	s.pts = m.pts.Subset(append(missing, cached...))
	if n := len(missing) * q; cap(s.block) < n {
		s.block = make([]T, n)
	}
	s.block = s.block[:len(missing)*q]
	bands := (len(missing) + diagonalRows - 1) / diagonalRows
	parallel.For(m.split(len(s.block)/2, m.cost(1)), bands, func(_, b int) {
		lo := b * diagonalRows
		rows := make([]int, min(diagonalRows, len(missing)-lo))
		for r := range rows {
			rows[r] = lo + r
		}
		s.pts.Tile(s.block[lo*q+lo:], q, rows, lo, q)
	})
	for lo := 0; lo < len(missing); lo += diagonalRows {
		m.stats.KernelEvals += int64(min(diagonalRows, len(missing)-lo)) * int64(q-lo)
	}
	mirror(s.block, q, len(missing))
}

// mirror fills the entries of m rows left of their diagonal block from the columns above. It works in squares that
// fit in the first-level cache.
func mirror[T gram.Float](block []T, q, m int) {
	const side = 32
	for i0 := 0; i0 < m; i0 += side {
		for j0 := 0; j0 <= i0; j0 += side {
			for i := i0; i < min(i0+side, m); i++ {
				row := block[i*q:]
				for j := j0; j < min(j0+side, i/diagonalRows*diagonalRows); j++ {
					row[j] = block[j*q+i]
				}
			}
		}
	}
}
