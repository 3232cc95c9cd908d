package kernellp

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn/internal/interior"
)

// nearby is the number of margins near 1 that have a column each.
func (m *merged) nearby() int { return min(len(m.of.y), 8192, max(len(m.of.y)/64, 4*len(m.all))) }

// choose chooses the columns. The margins nearest to 1 at the centre, and those that crossed 1 on the way, have one
// each. The other margins form shells by rank of distance, each of which reaches to twice the rank of the one before. A
// shell gives a quarter as many columns as there are near ones, evenly spaced.
func (m *merged) choose() {
	clear(m.sift.inside)
	m.samples, m.times = m.samples[:0], m.times[:0]
	far := make([]float64, len(m.of.y))
	for j := range far {
		if far[j] = math.Abs(m.sift.slack(m.sift.centre.f, j)); m.of.cap[j] == 0 {
			far[j] = math.Inf(1)
		}
	}
	sorted := slices.Clone(far)
	slices.Sort(sorted)
	first := m.nearby()
	for j, d := range far {
		if d < sorted[min(first, len(sorted)-1)] || first == len(sorted) && !math.IsInf(d, 1) {
			m.join(j)
		}
	}
	for _, j := range m.extra {
		if !m.sift.inside[j] && m.of.cap[j] > 0 {
			m.join(j)
		}
	}
	m.own = len(m.samples)
	for lo := first; lo < len(sorted); lo *= 2 {
		from, to := sorted[lo], math.Inf(1)
		if 2*lo < len(sorted) {
			to = sorted[2*lo]
		}
		var shell []int
		for j, d := range far {
			if d >= from && d < to && !m.sift.inside[j] {
				shell = append(shell, j)
			}
		}
		some := min(len(shell), max(1, first/4))
		for t := range some {
			m.samples = append(m.samples, shell[(2*t+1)*len(shell)/(2*some)])
			m.times = append(m.times, float64(len(shell))/float64(some))
		}
	}
	m.sift.width = m.own
}

// join adds a column for margin j alone.
func (m *merged) join(j int) {
	m.samples = append(m.samples, j)
	m.times = append(m.times, 1)
	m.sift.inside[j] = true
}

// build states the program.
func (m *merged) build(ctx context.Context) error {
	m.rows = slices.DeleteFunc(slices.Clone(m.all), func(i int) bool {
		_, out := slices.BinarySearch(m.left, i)
		return out
	})
	n := len(m.samples)
	rows, err := m.of.k.Block(ctx, m.rows, m.samples)
	if err != nil {
		return err
	}
	q := &interior.Program{A: rows, C: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n), Limit: m.sift.limit,
		Gap: m.gap, Threads: m.of.opt.Threads}
	m.fixed = make([]float64, n)
	var all, count float64
	for t, j := range m.samples {
		c := m.times[t] * m.of.cap[j]
		all, count = all+m.of.cap[j], count+1
		q.C[t], q.Lo[t], q.Hi[t] = -m.sift.margin*m.of.y[j], min(0, m.of.y[j]*c), max(0, m.of.y[j]*c)
		if t >= m.own && m.sift.slack(m.sift.centre.f, j) > 0 {
			m.fixed[t] = m.of.y[j] * c
		}
	}
	q.Mu = beginMu * m.sift.margin * all / count
	if !math.IsInf(m.p.Bias, 1) {
		q.A = slices.Insert(q.A, 0, slices.Repeat([]float64{1}, n))
		var sum float64
		for _, v := range m.of.m {
			sum += v
		}
		m.bound(q, sum, m.p.Bias, m.sift.centre.bias)
	}
	for _, i := range m.rows {
		m.bound(q, m.of.g[i], m.p.Coef[i], m.sift.centre.a[i])
	}
	m.q = q
	return nil
}

// bound appends the bounds of the program's next row and its dual at the centre. g is what the multipliers outside
// contribute to the row.
func (m *merged) bound(q *interior.Program, g, price, at float64) {
	price = max(price, 1e-9) // equal bounds have no interior
	for t, v := range q.A[len(q.Y)][m.own:] {
		g -= v * m.fixed[m.own+t]
	}
	q.RowLo = append(q.RowLo, -price-g)
	q.RowHi = append(q.RowHi, price-g)
	q.Y = append(q.Y, -at)
}

// sort drops the rows that the solution leaves far within their bounds and whose coefficients at the centre are small.
// It adds the rows that the solution violates.
func (m *merged) sort(ctx context.Context) error {
	const far = 0.3 // of the cost
	const small = 1e-3
	most := dense.Largest(m.sift.centre.a)
	var moved changes
	for t := m.own; t < len(m.samples); t++ {
		moved.add(m.samples[t], m.iterate.X[t]-m.fixed[t])
	}
	g := slices.Clone(m.of.g)
	if err := m.of.k.AddColumns(ctx, g, moved.idx, moved.by); err != nil {
		return err
	}
	before := m.left
	m.left, m.back = nil, 0
	for _, i := range m.all {
		rest := m.p.Coef[i] - math.Abs(g[i])
		if _, out := slices.BinarySearch(before, i); out {
			if rest >= 0 {
				m.left = append(m.left, i)
			} else {
				m.back++
			}
		} else if rest > far*m.p.Coef[i] && math.Abs(m.sift.centre.a[i]) <= small*most {
			m.left = append(m.left, i)
		}
	}
	return nil
}
