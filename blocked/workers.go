package blocked

import (
	"slices"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// grain is the number of floating-point operations that justifies a goroutine.
const grain = 1 << 20

// fetch evaluates the missing rows of idx and caches them. The cache must be able to hold all of idx.
func (m *Matrix[T]) fetch(idx []int) {
	m.claim(idx)
	if len(m.missing) > 0 {
		m.columns(0, m.cost(len(m.missing)), func(lo, hi int) { m.pts.RowsRange(m.dst, m.missing, lo, hi) })
	}
}

// fetchAdd does g += Σ_r coef[r]·K[idx[r], :] for rows that fit in the cache together. It adds missing rows strip by
// strip, while they are in a core's own caches. If AddRows caches none, missing rows never leave these.
func (m *Matrix[T]) fetchAdd(g []float64, idx []int, coef []float64) {
	if m.passing {
		m.missing = slices.DeleteFunc(append(m.missing[:0], idx...), func(i int) bool { return m.cache.places[i] >= 0 })
		m.count(len(idx) - len(m.missing))
	} else {
		m.claim(idx)
	}
	m.columns(0, m.cost(len(m.missing))+2*len(idx), func(lo, hi int) {
		part := make([][]T, len(idx))
		var strip []T // missing rows that are not cached
		m.strips(lo, hi, func(from, to int) {
			n := to - from
			switch {
			case len(m.missing) == 0:
			case m.passing:
				if strip == nil {
					strip = make([]T, n*len(m.missing))
				}
				m.pts.Tile(strip, n, m.missing, from, to)
			default:
				m.pts.RowsRange(m.dst, m.missing, from, to)
			}
			missing := 0
			for r, i := range idx {
				if s := m.cache.places[i]; s >= 0 {
					part[r] = m.cache.slots[s].row[from:to]
				} else {
					part[r] = strip[missing*n:][:n]
					missing++
				}
			}
			dense.AddGathered(g[from:to], coef, part)
		})
	})
}

// strips splits lo to hi into ranges and calls f for each. In a range, the missing rows take a quarter of a core's
// second-level cache.
func (m *Matrix[T]) strips(lo, hi int, f func(from, to int)) {
	step := hi - lo
	if len(m.missing) > 0 {
		step = max(minStrip, cpu.L2()/4/int(Bytes[T](1, len(m.missing), 0, 0))&^63)
	}
	for from := lo; from < hi; from += step {
		f(from, min(from+step, hi))
	}
}

// minStrip is the least number of columns of a strip, so that packing the queries is a small part of the work.
const minStrip = 512

// claim allocates slots for the rows idx, and lists the missing rows with their destinations.
func (m *Matrix[T]) claim(idx []int) {
	m.missing, m.dst = m.missing[:0], m.dst[:0]
	for _, i := range idx {
		if m.cache.places[i] >= 0 {
			m.cache.touch(i)
			m.stats.RowHits++
		} else {
			m.missing = append(m.missing, i)
		}
	}
	m.ready = 0
	missing := m.missing[:0]
	for _, i := range m.missing {
		if m.cache.places[i] >= 0 { // idx contains it twice
			continue
		}
		if row, ready := m.slot(i); ready {
			m.ready++
		} else {
			missing = append(missing, i)
			m.dst = append(m.dst, row)
		}
	}
	m.missing = missing
	m.count(0)
}

// slot returns the memory for row i in the cache, and whether the row is there already, evaluated ahead.
func (m *Matrix[T]) slot(i int) (row []T, ready bool) {
	if m.cache.rise(i); len(m.cache.slots) < m.cache.limit {
		row = m.ahead.take(i)
		if ready = row != nil; !ready {
			row = m.memory()
		}
	}
	return m.cache.claim(i, row), ready
}

// count adds the found rows and the evaluated rows to the statistics.
func (m *Matrix[T]) count(found int) {
	m.stats.RowHits += int64(found)
	computed := int64(len(m.missing) + m.ready)
	m.stats.RowsComputed += computed
	m.stats.KernelEvals += computed * int64(m.n)
}

// cost is the number of operations of a column of so many rows.
func (m *Matrix[T]) cost(rows int) int { return rows * (2*m.pts.Cost() + evalCost) }

// evalCost is the number of operations of a kernel value in addition to its d products.
const evalCost = 30

// split returns the number of workers for so many columns of cost operations each.
func (m *Matrix[T]) split(columns, cost int) int { return min(m.workers, 1+columns*cost/grain) }

// columns calls f for ranges that together cover the columns from the given one on.
func (m *Matrix[T]) columns(from, cost int, f func(lo, hi int)) {
	w := m.split(m.n-from, cost)
	if w == 1 {
		f(from, m.n)
		return
	}
	step := ((m.n-from+w-1)/w + 63) &^ 63
	parallel.Run((m.n-from+step-1)/step, func(part int) {
		lo := from + part*step
		f(lo, min(lo+step, m.n))
	})
}
