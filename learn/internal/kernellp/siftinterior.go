package kernellp

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/ipm"
	"github.com/sparsekm/sparsekm/simplex"
)

// If hundreds of coefficients are non-zero, the dual simplex method makes some ten thousand pivots a program, because
// every move of the centre changes all costs. With candidates, an interior-point method approaches such an optimum. Its
// programs have all rows that matter and many margins. The simplex method starts from the basis that the last of them
// gives (see cross). It has little left to do but to prove the optimum.

const (
	// interiorFrom is the number of rows from which the interior-point method is faster.
	interiorFrom = 800
	// pivotsPerRow is the number of pivots a row in one round that predicts many more.
	pivotsPerRow = 4
	// maxApproaches limits the programs of an approach.
	maxApproaches = 30
	// roughGap and fineGap are the relative gaps of the first and of the last program. From one program to the next the
	// gap falls by the factor finer or more.
	roughGap, fineGap, finer = 1e-3, 1e-7, 10
	// beginMu is the first mean product, for margins that lack 1 and multipliers up to their bounds.
	beginMu = 0.3
)

// crowded reports whether an interior-point method is to approach the program for p: after many pivots, with many rows.
// Violated rows count, which are nearly all at first.
func (s *sift) crowded(p Costs, pivots int) bool {
	from, rows := cmp.Or(s.solver.opt.InteriorFrom, interiorFrom), len(s.solver.working)
	if !s.overCandidates || s.solver.shape.OneSided || rows < from*5/8 || pivots < pivotsPerRow*rows {
		return false
	}
	return rows+len(s.solver.allViolated(p)) >= from
}

// approach moves the centre close to the optimum, and builds the simplex method's program there. It does nothing if the
// budget does not suffice.
func (s *sift) approach(ctx context.Context, p Costs, sol *Solution) error {
	dead := func(i int) bool { return math.IsInf(p.Coef[i], 1) }
	all := slices.DeleteFunc(slices.Clone(s.solver.k.Columns()), dead)
	m := &approach{solver: s.solver, sift: s, p: p, all: all, gap: roughGap}
	if m.reserve() != nil {
		return nil
	}
	s.sifted, s.parts = nil, nil
	s.approached++
	err := m.run(ctx, sol)
	clear(s.inside)
	s.width = 0
	if err == nil && m.iterate != nil {
		return m.cross(ctx)
	}
	clear(s.last.a) // the rows have not changed
	clear(s.last.f)
	s.last.bias = 0
	return err
}

// run solves programs until one holds for all margins and rows.
func (m *approach) run(ctx context.Context, sol *Solution) error {
	if err := m.begin(ctx); err != nil {
		return err
	}
	for range min(maxApproaches, m.solver.opt.MaxSolves-sol.Solves-1) {
		if err := m.solve(ctx); err != nil {
			return err
		}
		m.solver.solved(sol)
		sol.Iterations += m.iterate.Steps
		if m.advance() {
			return nil
		}
	}
	return nil
}

// approach is the program that moves the centre. The margins nearest to 1 have a column each. The other margins share
// columns: the farther from 1, the more of them share one. So the program knows roughly what a model far away costs,
// and its solutions need no radius. The contribution of all margins to the rows is exact at the centre.
type approach struct {
	solver *Solver
	sift   *sift
	p      Costs
	all    []int // candidates that may have a coefficient
	left   []int // those of them without a row, ascending
	gap    float64
	extra  []int // margins whose multipliers the last solution contradicts
	back   int   // number of rows left out that the last solution violates

	rows    []int // of the program, after the bias's row if the bias has a cost
	samples []int // of the columns; the first own columns stand for one sample each
	own     int
	times   []float64 // how many samples a column stands for
	q       *ipm.LP
	iterate *ipm.LPPoint
	fixed   []float64 // the columns' multipliers at the centre, 0 for the first own
}

// reserve takes memory for the largest program from the budget.
func (m *approach) reserve() error {
	rows, columns := 1+len(m.all), 5*m.nearby()
	return m.sift.reserve(8*int64(rows)*int64(columns) + ipm.LPBytes(rows, columns))
}

// begin leaves out the rows that are violated least, except those with a coefficient.
func (m *approach) begin(ctx context.Context) error {
	clear(m.sift.inside)
	if err := m.sift.fix(ctx); err != nil {
		return err
	}
	m.sift.limit = max(m.sift.limit, m.sift.largest())
	size := func(i int) float64 {
		if m.sift.centre.a[i] != 0 {
			return math.Inf(1)
		}
		return math.Abs(m.solver.g[i]) / m.p.Coef[i]
	}
	worst := slices.Clone(m.all)
	slices.SortFunc(worst, func(a, b int) int { return cmp.Or(cmp.Compare(size(b), size(a)), cmp.Compare(a, b)) })
	m.left = worst[min(len(worst), 2*len(m.solver.working)):]
	slices.Sort(m.left)
	return nil
}

// solve solves the program at the centre. The solution becomes the last model.
func (m *approach) solve(ctx context.Context) error {
	m.choose()
	if err := m.sift.fix(ctx); err != nil {
		return err
	}
	if err := m.setMultipliers(ctx, make([]float64, m.own)); err != nil {
		return err
	}
	if err := m.build(ctx); err != nil {
		return err
	}
	var err error
	if m.iterate, err = m.q.Solve(ctx); err != nil {
		return err
	}
	if err := m.setMultipliers(ctx, m.iterate.X[:m.own]); err != nil {
		return err
	}
	return m.accept(ctx)
}

// setMultipliers sets the multipliers of the columns that stand for one sample.
func (m *approach) setMultipliers(ctx context.Context, x []float64) error {
	var moved changes
	for t, j := range m.samples[:m.own] {
		moved.set(m.solver.m, j, x[t])
	}
	return m.solver.update(ctx, moved)
}

// accept stores the solution as the last model, and drops and adds rows.
func (m *approach) accept(ctx context.Context) error {
	clear(m.sift.last.a)
	bias, y := m.biased()
	m.sift.last.bias = bias
	for r, i := range m.rows {
		m.sift.last.a[i] = m.solver.coefficient(-y[r], m.solver.y[i], m.p.Coef[i])
	}
	if err := m.solver.k.outputs(ctx, &m.sift.last); err != nil {
		return err
	}
	return m.sort(ctx)
}

// biased splits the solution's duals into the bias and those of the candidates.
func (m *approach) biased() (bias float64, y []float64) {
	if y = m.iterate.Y; len(y) > len(m.rows) {
		return -y[0], y[1:]
	}
	return 0, y
}

// advance moves the centre. It reports whether the solution holds for all margins and rows at the last gap.
func (m *approach) advance() (ended bool) {
	wrong := m.sift.wrong()
	t, crossings := m.sift.search(m.p)
	before := m.sift.objective(&m.sift.centre, m.p)
	m.sift.centre.towards(&m.sift.last, t)
	after := m.sift.objective(&m.sift.centre, m.p)
	m.extra = append(m.sift.closest(crossings, t), m.shaken()...)
	ended = wrong == 0 && m.back == 0 && len(m.extra) == 0 && m.gap < 2*fineGap
	m.gap = max(fineGap, min(m.gap/finer, 0.1*(before-after)/after))
	return ended
}

// shaken returns the samples of shared columns whose multipliers differ from those at the centre.
func (m *approach) shaken() (samples []int) {
	for t := m.own; t < len(m.samples); t++ {
		if math.Abs(m.iterate.X[t]-m.fixed[t]) > 1e-3*(m.q.Hi[t]-m.q.Lo[t]) {
			samples = append(samples, m.samples[t])
		}
	}
	return samples
}

// objective returns the objective of a model.
func (s *sift) objective(e *expansion, p Costs) (sum float64) {
	if e.bias != 0 {
		sum = p.Bias * math.Abs(e.bias)
	}
	for i, a := range e.a {
		if a != 0 {
			sum += p.Coef[i] * math.Abs(a)
		}
	}
	for j, c := range s.solver.cap {
		if z := s.slack(e.f, j); z > 0 {
			sum += c * z
		}
	}
	return sum
}

// nearby is the number of margins near 1 that have a column each.
func (m *approach) nearby() int {
	return min(len(m.solver.y), 8192, max(len(m.solver.y)/64, 4*len(m.all)))
}

// choose chooses the columns. The margins nearest to 1 at the centre, and those that crossed 1 on the way, have one
// each. The other margins form shells by rank of distance, each of which reaches to twice the rank of the one before. A
// shell gives a quarter as many columns as there are near ones, evenly spaced.
func (m *approach) choose() {
	clear(m.sift.inside)
	m.samples, m.times = m.samples[:0], m.times[:0]
	far := make([]float64, len(m.solver.y))
	for j := range far {
		if far[j] = math.Abs(m.sift.slack(m.sift.centre.f, j)); m.solver.cap[j] == 0 {
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
		if !m.sift.inside[j] && m.solver.cap[j] > 0 {
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
func (m *approach) join(j int) {
	m.samples = append(m.samples, j)
	m.times = append(m.times, 1)
	m.sift.inside[j] = true
}

// build states the program.
func (m *approach) build(ctx context.Context) error {
	m.rows = slices.DeleteFunc(slices.Clone(m.all), func(i int) bool {
		_, out := slices.BinarySearch(m.left, i)
		return out
	})
	n := len(m.samples)
	rows, err := m.solver.k.Block(ctx, m.rows, m.samples)
	if err != nil {
		return err
	}
	q := &ipm.LP{A: rows, C: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n), Limit: m.sift.limit,
		Gap: m.gap, Threads: m.solver.opt.Threads}
	m.fixed = make([]float64, n)
	var all, count float64
	for t, j := range m.samples {
		c := m.times[t] * m.solver.cap[j]
		all, count = all+m.solver.cap[j], count+1
		q.C[t], q.Lo[t], q.Hi[t] = -m.sift.margin*m.solver.y[j], min(0, m.solver.y[j]*c), max(0, m.solver.y[j]*c)
		if t >= m.own && m.sift.slack(m.sift.centre.f, j) > 0 {
			m.fixed[t] = m.solver.y[j] * c
		}
	}
	q.Mu = beginMu * m.sift.margin * all / count
	if !math.IsInf(m.p.Bias, 1) {
		q.A = slices.Insert(q.A, 0, slices.Repeat([]float64{1}, n))
		m.bound(q, dense.Sum(m.solver.m), m.p.Bias, m.sift.centre.bias)
	}
	for _, i := range m.rows {
		m.bound(q, m.solver.g[i], m.p.Coef[i], m.sift.centre.a[i])
	}
	m.q = q
	return nil
}

// bound appends the bounds of the program's next row and its dual at the centre. g is what the multipliers outside
// contribute to the row.
func (m *approach) bound(q *ipm.LP, g, cost, dual float64) {
	cost = max(cost, 1e-9) // equal bounds have no interior
	for t, v := range q.A[len(q.Y)][m.own:] {
		g -= v * m.fixed[m.own+t]
	}
	q.RowLo = append(q.RowLo, -cost-g)
	q.RowHi = append(q.RowHi, cost-g)
	q.Y = append(q.Y, -dual)
}

// sort drops the rows that the solution leaves far within their bounds and whose coefficients at the centre are small.
// It adds the rows that the solution violates.
func (m *approach) sort(ctx context.Context) error {
	const far = 0.3 // of the cost
	const small = 1e-3
	largest := dense.Largest(m.sift.centre.a)
	var moved changes
	for t := m.own; t < len(m.samples); t++ {
		moved.add(m.samples[t], m.iterate.X[t]-m.fixed[t])
	}
	g := slices.Clone(m.solver.g)
	if err := m.solver.k.addColumns(ctx, g, moved.idx, moved.by); err != nil {
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
		} else if rest > far*m.p.Coef[i] && math.Abs(m.sift.centre.a[i]) <= small*largest {
			m.left = append(m.left, i)
		}
	}
	return nil
}

// cross builds the simplex method's program and its basis from the interior-point solution. Its rows are those of the
// non-zero coefficients, its columns the margins nearest to 1. Near the optimum the products of a distance from a bound
// and the bound's multiplier are all equal. So the larger of both is the one that is not 0 at the optimum.
func (m *approach) cross(ctx context.Context) error {
	basis := simplex.Basis{Rows: m.support()}
	if err := m.solver.k.outputs(ctx, &m.sift.last); err != nil {
		return err
	}
	t, _ := m.sift.search(m.p)
	m.sift.centre.towards(&m.sift.last, t)
	m.sift.radius = math.Inf(1)
	basic := 0
	for _, p := range basis.Rows {
		if p != simplex.Basic {
			basic++
		}
	}
	var samples []int
	samples, basis.Cols = m.columns(basic)
	b, err := m.sift.box(ctx, samples)
	if err != nil {
		return err
	}
	if err := m.sift.fix(ctx); err != nil {
		return err
	}
	if err := m.sift.build(m.p, b); err != nil {
		return err
	}
	basis.Cols = append(basis.Cols, slices.Repeat([]simplex.Position{simplex.AtLower}, 2*len(basis.Rows))...)
	return m.sift.sifted.SetBasis(basis)
}

// support makes the non-zero coefficients the working rows and the last model. It returns the positions of the rows,
// the bias's first.
func (m *approach) support() []simplex.Position {
	clear(m.solver.row)
	m.solver.working = nil
	a := slices.Clone(m.sift.last.a)
	clear(m.sift.last.a)
	positions := []simplex.Position{resting(m.sift.last.bias, m.p.Bias, dense.Sum(m.solver.m))}
	if positions[0] == simplex.Basic {
		m.sift.last.bias = 0
	}
	for _, i := range m.rows {
		if p := resting(a[i], m.p.Coef[i], m.solver.g[i]); p != simplex.Basic {
			m.solver.working = append(m.solver.working, i)
			m.solver.row[i] = len(m.solver.working)
			m.sift.last.a[i] = a[i]
			positions = append(positions, p)
		}
	}
	return positions
}

// resting returns the position of the row with activity g of a coefficient a with a cost.
func resting(a, cost, g float64) simplex.Position {
	switch {
	case math.IsInf(cost, 1) || cost > 0 && math.Abs(a)*cost <= (cost-math.Abs(g))/cost:
		return simplex.Basic
	case a < 0:
		return simplex.AtLower
	}
	return simplex.AtUpper
}

// columns returns the margins nearest to 1, with so many basic ones among them, and the positions of their multipliers.
func (m *approach) columns(basic int) (samples []int, positions []simplex.Position) {
	type column struct {
		index      int
		far, inner float64 // from 1, and also between the bounds
	}
	own := make([]column, m.own)
	for t, j := range m.samples[:m.own] {
		lo, hi, x := m.q.Lo[t], m.q.Hi[t], m.iterate.X[t]
		far := math.Abs(m.sift.slack(m.sift.centre.f, j))
		own[t] = column{t, far, min(x-lo, hi-x) / (hi - lo) / max(far, 1e-300)}
	}
	deal.Sort(own, func(a, b column) int {
		return cmp.Or(cmp.Compare(b.inner, a.inner), cmp.Compare(a.index, b.index))
	})
	basic = min(basic, len(own))
	rest := own[basic:]
	deal.Sort(rest, func(a, b column) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.index, b.index))
	})
	width := max(firstWidth(len(m.solver.y)), marginsPerRow*basic)
	for r, c := range own[:min(len(own), max(width, basic))] {
		samples = append(samples, m.samples[c.index])
		switch {
		case r < basic:
			positions = append(positions, simplex.Basic)
		case m.iterate.X[c.index]-m.q.Lo[c.index] > m.q.Hi[c.index]-m.iterate.X[c.index]:
			positions = append(positions, simplex.AtUpper)
		default:
			positions = append(positions, simplex.AtLower)
		}
	}
	return samples, positions
}
