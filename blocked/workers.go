package blocked

import (
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
		m.columns(m.missingCost(), func(lo, hi int) { m.pts.RowsRange(m.dst, m.missing, lo, hi) })
	}
}

// fetchAdd does g += Σ_r coef[r]·K[idx[r], :] for rows that fit in the cache together. It adds missing rows strip by
// strip, while they are in a core's own caches.
func (m *Matrix[T]) fetchAdd(g []float64, idx []int, coef []float64) {
	if m.passing {
		m.passAdd(g, idx, coef)
		return
	}
	m.claim(idx)
	rows := m.cache.rows(idx)
	m.columns(m.missingCost()+2*len(rows), func(lo, hi int) {
		part := make([][]T, len(rows))
		m.strips(lo, hi, func(from, to int) {
			if len(m.missing) > 0 {
				m.pts.RowsRange(m.dst, m.missing, from, to)
			}
			for r, row := range rows {
				part[r] = row[from:to]
			}
			dense.AddGathered(g[from:to], coef, part)
		})
	})
}

// passAdd is fetchAdd without caching rows: missing rows never leave a core's own caches.
func (m *Matrix[T]) passAdd(g []float64, idx []int, coef []float64) {
	m.missing = m.missing[:0]
	for _, i := range idx {
		if m.cache.of[i] < 0 {
			m.missing = append(m.missing, i)
		}
	}
	m.count(len(idx) - len(m.missing))
	m.columns(m.missingCost()+2*len(idx), func(lo, hi int) {
		part := make([][]T, len(idx))
		var strip []T
		m.strips(lo, hi, func(from, to int) {
			n := to - from
			if strip == nil {
				strip = make([]T, n*len(m.missing))
			}
			m.pts.Tile(strip, n, m.missing, from, to)
			missing := 0
			for r, i := range idx {
				if s := m.cache.of[i]; s >= 0 {
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
		step = max(leastStrip, cpu.L2()/4/int(RowBytes[T](len(m.missing)))&^63)
	}
	for from := lo; from < hi; from += step {
		f(from, min(from+step, hi))
	}
}

// leastStrip is the least number of columns of a strip, so that packing the queries is a small part of the work.
const leastStrip = 512

// claim allocates slots for the rows idx, and lists the missing rows with their destinations.
func (m *Matrix[T]) claim(idx []int) {
	m.missing, m.dst = m.missing[:0], m.dst[:0]
	for _, i := range idx {
		if m.cache.of[i] >= 0 {
			m.cache.touch(i)
			m.stats.RowHits++
		} else {
			m.missing = append(m.missing, i)
		}
	}
	missing := m.missing[:0]
	for _, i := range m.missing {
		if m.cache.of[i] < 0 { // otherwise idx contains it twice
			missing = append(missing, i)
			m.dst = append(m.dst, m.cache.claim(i))
		}
	}
	m.missing = missing
	m.count(0)
}

// count adds the found rows and the evaluated missing rows to the statistics.
func (m *Matrix[T]) count(found int) {
	m.stats.RowHits += int64(found)
	m.stats.RowsComputed += int64(len(m.missing))
	m.stats.KernelEvals += int64(len(m.missing)) * int64(m.n)
}

// missingCost is the number of operations of a column of the missing rows.
func (m *Matrix[T]) missingCost() int { return len(m.missing) * (2*m.pts.Cost() + evalCost) }

// evalCost is the number of operations of a kernel value in addition to its d products.
const evalCost = 30

// split returns the number of workers for n columns of cost operations each.
func (m *Matrix[T]) split(cost int) int { return min(m.workers, 1+m.n*cost/grain) }

// columns calls f for ranges that together cover the n columns.
func (m *Matrix[T]) columns(cost int, f func(lo, hi int)) {
	w := m.split(cost)
	if w == 1 {
		f(0, m.n)
		return
	}
	step := ((m.n+w-1)/w + 63) &^ 63
	parallel.Run((m.n+step-1)/step, func(part int) {
		lo := part * step
		f(lo, min(lo+step, m.n))
	})
}
