package kernellp

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn/internal/interior"
)

// If hundreds of coefficients are non-zero, the dual simplex method makes some ten thousand pivots a program, because
// every move of the centre changes all costs. With candidates, an interior-point method approaches such an optimum. Its
// programs have all rows that matter and many margins. The simplex method starts from the basis that the last of them
// gives (see siftcross.go). It has little left to do but to prove the optimum.

const (
	// interiorFrom is the number of rows from which the interior-point method is faster.
	interiorFrom = 800
	// pivotsPerRow is the number of pivots a row in one round that predicts many more.
	pivotsPerRow = 4
	// mostApproaches limits the programs of an approach.
	mostApproaches = 30
	// roughGap and fineGap are the relative gaps of the first and of the last program. From one program to the next the
	// gap falls by the factor finer or more.
	roughGap, fineGap, finer = 1e-3, 1e-7, 10
	// beginMu is the first mean product, for margins that lack 1 and multipliers up to their bounds.
	beginMu = 0.3
)

// crowded reports whether an interior-point method is to approach the program for p: after many pivots, with many rows.
// Violated rows count, which are nearly all at first.
func (s *sift) crowded(p Costs, pivots int) bool {
	from, rows := cmp.Or(s.of.opt.InteriorFrom, interiorFrom), len(s.of.working)
	if !s.few || s.of.shape.OneSided || rows < from*5/8 || pivots < pivotsPerRow*rows {
		return false
	}
	return rows+len(s.of.allViolated(p)) >= from
}

// approach moves the centre close to the optimum, and builds the simplex method's program there. It does nothing if the
// budget does not suffice.
func (s *sift) approach(ctx context.Context, p Costs, sol *Solution) error {
	m := &merged{of: s.of, sift: s, p: p, all: live(s.of.k, p), gap: roughGap}
	if m.pay() != nil {
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
	clear(s.last.a) // the rows are those of before
	clear(s.last.f)
	s.last.bias = 0
	return err
}

// run solves programs until one holds for all margins and rows.
func (m *merged) run(ctx context.Context, sol *Solution) error {
	if err := m.begin(ctx); err != nil {
		return err
	}
	for range min(mostApproaches, m.of.opt.MaxSolves-sol.Solves-1) {
		if err := m.solve(ctx); err != nil {
			return err
		}
		sol.Solves++
		sol.Iterations += m.iterate.Steps
		if m.advance() {
			return nil
		}
	}
	return nil
}

// merged is the program of an approach. The margins nearest to 1 at the centre have a column each. The other margins
// share columns: the farther from 1, the more of them share one. So the program knows roughly what a model far from the
// centre costs, and its solutions need no radius. The contribution of all margins to the rows is exact at the centre.
type merged struct {
	of    *Solver
	sift  *sift
	p     Costs
	all   []int // candidates that may have a coefficient
	left  []int // those of them without a row, ascending
	gap   float64
	extra []int // margins whose multipliers the last solution contradicts
	back  int   // number of rows left out that the last solution violates

	rows    []int // of the program, after the bias's row if the bias has a cost
	samples []int // of the columns; the first own columns stand for one sample each
	own     int
	times   []float64 // how many samples a column stands for
	q       *interior.Program
	iterate *interior.Point
	fixed   []float64 // the columns' multipliers at the centre, 0 for the first own
}

// pay takes memory for the largest program from the budget.
func (m *merged) pay() error {
	if m.of.opt.Budget == nil {
		return nil
	}
	rows, columns := int64(1+len(m.all)), int64(5*m.nearby())
	need := 8*rows*columns + interior.Bytes(int(rows), int(columns)) - rowsBytes(len(m.of.y), 0, 0) - m.sift.paid
	if need <= 0 {
		return nil
	}
	if err := m.of.opt.Budget.Take(need); err != nil {
		return err
	}
	m.sift.paid += need
	return nil
}

// begin leaves out the rows that are violated least, except those with a coefficient.
func (m *merged) begin(ctx context.Context) error {
	clear(m.sift.inside)
	if err := m.sift.fix(ctx); err != nil {
		return err
	}
	m.sift.limit = max(m.sift.limit, m.sift.largest())
	size := func(i int) float64 {
		if m.sift.centre.a[i] != 0 {
			return math.Inf(1)
		}
		return math.Abs(m.of.g[i]) / m.p.Coef[i]
	}
	worst := slices.Clone(m.all)
	slices.SortFunc(worst, func(a, b int) int { return cmp.Or(cmp.Compare(size(b), size(a)), cmp.Compare(a, b)) })
	m.left = worst[min(len(worst), 2*len(m.of.working)):]
	slices.Sort(m.left)
	return nil
}

// solve solves the program at the centre. The solution becomes the last model.
func (m *merged) solve(ctx context.Context) error {
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
func (m *merged) setMultipliers(ctx context.Context, x []float64) error {
	var moved changes
	for t, j := range m.samples[:m.own] {
		moved.set(m.of.m, j, x[t])
	}
	return m.of.update(ctx, moved)
}

// accept stores the solution as the last model, and drops and adds rows.
func (m *merged) accept(ctx context.Context) error {
	clear(m.sift.last.a)
	bias, y := m.biased()
	m.sift.last.bias = bias
	for r, i := range m.rows {
		m.sift.last.a[i] = m.of.coefficient(-y[r], m.of.y[i], m.p.Coef[i])
	}
	if err := m.of.k.outputs(ctx, &m.sift.last); err != nil {
		return err
	}
	return m.sort(ctx)
}

// biased splits the solution's duals into the bias and those of the candidates.
func (m *merged) biased() (bias float64, y []float64) {
	if y = m.iterate.Y; len(y) > len(m.rows) {
		return -y[0], y[1:]
	}
	return 0, y
}

// advance moves the centre. It reports whether the solution holds for all margins and rows at the last gap.
func (m *merged) advance() (ended bool) {
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
func (m *merged) shaken() (samples []int) {
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
	for j, c := range s.of.cap {
		if z := s.slack(e.f, j); z > 0 {
			sum += c * z
		}
	}
	return sum
}
