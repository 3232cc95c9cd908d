package blocked

import (
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/workers"
)

// grain is the work, in floating-point operations, that pays for a goroutine.
const grain = 1 << 20

// fetch brings the rows idx, no more than the cache holds, into the cache.
func (m *Matrix[T]) fetch(idx []int) {
	m.missing, m.dst = m.missing[:0], m.dst[:0]
	for _, i := range idx {
		if m.cache.of[i] >= 0 {
			m.cache.touch(i)
			m.stats.RowHits++
		} else {
			m.missing = append(m.missing, i)
		}
	}
	if len(m.missing) == 0 {
		return
	}
	missing := m.missing[:0]
	for _, i := range m.missing {
		if m.cache.of[i] < 0 { // else it is named twice
			missing, m.dst = append(missing, i), append(m.dst, m.cache.claim(i))
		}
	}
	m.missing = missing
	m.stats.RowsComputed += int64(len(m.missing))
	m.stats.KernelEvals += int64(len(m.missing)) * int64(m.n)
	m.columns(len(m.missing)*(2*m.pts.Cost()+evalCost), func(lo, hi int) {
		m.pts.RowsRange(m.dst, m.missing, lo, hi)
	})
}

// evalCost is what a kernel value costs beside its d products.
const evalCost = 30

// add does g += Σ_r coef[r]·rows[r].
func (m *Matrix[T]) add(g []float64, rows [][]T, coef []float64) {
	m.columns(2*len(rows), func(lo, hi int) {
		part := make([][]T, len(rows))
		for r, row := range rows {
			part[r] = row[lo:hi]
		}
		dense.AddGathered(g[lo:hi], coef, part)
	})
}

// split returns the number of workers that n columns at cost operations each pay for.
func (m *Matrix[T]) split(cost int) int { return min(m.workers, 1+m.n*cost/grain) }

// columns calls f for ranges that together cover the n columns.
func (m *Matrix[T]) columns(cost int, f func(lo, hi int)) {
	w := m.split(cost)
	if w == 1 {
		f(0, m.n)
		return
	}
	step := ((m.n+w-1)/w + 63) &^ 63
	var g workers.Group
	for lo := 0; lo < m.n; lo += step {
		g.Go(func() { f(lo, min(lo+step, m.n)) })
	}
	g.Wait()
}
