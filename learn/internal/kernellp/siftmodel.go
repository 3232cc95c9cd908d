package kernellp

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn/internal/interior"
)

// nearby is the number of margins that are columns as they are.
func (m *model) nearby() int { return min(len(m.y), 8192, max(len(m.y)/64, 4*len(m.all))) }

// choose chooses the columns: the margins nearest to 1 at the centre and those that crossed it on the way, as they are,
// and from each shell about them, twice as far out in rank as the one before, a quarter as many evenly spaced.
func (m *model) choose() {
	clear(m.inside)
	m.samples, m.times = m.samples[:0], m.times[:0]
	far := make([]float64, len(m.y))
	for j := range far {
		if far[j] = math.Abs(m.slack(m.centre.f, j)); m.cap[j] == 0 {
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
		if !m.inside[j] && m.cap[j] > 0 {
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
			if d >= from && d < to && !m.inside[j] {
				shell = append(shell, j)
			}
		}
		some := min(len(shell), max(1, first/4))
		for t := range some {
			m.samples = append(m.samples, shell[(2*t+1)*len(shell)/(2*some)])
			m.times = append(m.times, float64(len(shell))/float64(some))
		}
	}
	m.width = m.own
}

// join makes margin j a column that stands for itself.
func (m *model) join(j int) {
	m.samples = append(m.samples, j)
	m.times = append(m.times, 1)
	m.inside[j] = true
}

// program makes the program.
func (m *model) makeProgram(ctx context.Context) error {
	m.rows = slices.DeleteFunc(slices.Clone(m.all), func(i int) bool {
		_, out := slices.BinarySearch(m.left, i)
		return out
	})
	n := len(m.samples)
	rows, err := m.k.Block(ctx, m.rows, m.samples)
	if err != nil {
		return err
	}
	q := &interior.Program{A: rows, C: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n), Limit: m.limit,
		Gap: m.gap, Threads: m.opt.Threads}
	m.fixed = make([]float64, n)
	var all, count float64
	for t, j := range m.samples {
		c := m.times[t] * m.cap[j]
		all, count = all+m.cap[j], count+1
		q.C[t], q.Lo[t], q.Hi[t] = -m.margin*m.y[j], min(0, m.y[j]*c), max(0, m.y[j]*c)
		if t >= m.own && m.slack(m.centre.f, j) > 0 {
			m.fixed[t] = m.y[j] * c
		}
	}
	q.Mu = beginMu * m.margin * all / count
	if !math.IsInf(m.p.Bias, 1) {
		q.A = slices.Insert(q.A, 0, slices.Repeat([]float64{1}, n))
		var sum float64
		for _, v := range m.m {
			sum += v
		}
		m.bound(q, sum, m.p.Bias, m.centre.bias)
	}
	for _, i := range m.rows {
		m.bound(q, m.g[i], m.p.Coef[i], m.centre.a[i])
	}
	m.q = q
	return nil
}

// bound adds those of the next row of the program, of which all margins outside add up to g, and its dual at the
// centre.
func (m *model) bound(q *interior.Program, g, price, at float64) {
	price = max(price, 1e-9) // bounds that are the same have no interior
	for t, v := range q.A[len(q.Y)][m.own:] {
		g -= v * m.fixed[m.own+t]
	}
	q.RowLo = append(q.RowLo, -price-g)
	q.RowHi = append(q.RowHi, price-g)
	q.Y = append(q.Y, -at)
}

// sort leaves out the rows that are far within their bounds at the solution, without a coefficient at the centre to
// speak of, and takes in those that it violates.
func (m *model) sort(ctx context.Context) error {
	const far = 0.3 // of the cost
	const small = 1e-3
	var most float64
	for _, a := range m.centre.a {
		most = max(most, math.Abs(a))
	}
	var idx []int
	var by []float64
	for t := m.own; t < len(m.samples); t++ {
		if d := m.iterate.X[t] - m.fixed[t]; d != 0 {
			idx = append(idx, m.samples[t])
			by = append(by, d)
		}
	}
	g := slices.Clone(m.g)
	if err := m.k.AddColumns(ctx, g, idx, by); err != nil {
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
		} else if rest > far*m.p.Coef[i] && math.Abs(m.centre.a[i]) <= small*most {
			m.left = append(m.left, i)
		}
	}
	return nil
}
