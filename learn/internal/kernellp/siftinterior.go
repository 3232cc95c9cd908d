package kernellp

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn/internal/interior"
)

// Where hundreds of coefficients are not 0 the dual simplex method makes some ten thousand pivots a program, for every
// move of the centre turns all costs. Over candidates such an optimum is approached by interior points: their programs
// are of so many rows that they are held whole, and of more margins. The method of simplex begins at the basis that is
// read from the last of these, and has little left to do but to prove the optimum.

const (
	// interiorFrom is the number of rows from which on that is faster.
	interiorFrom = 800
	// pivotsPerRow is how many pivots of a round say that there will be many more.
	pivotsPerRow = 4
	// mostApproaches limits the programs of an approach.
	mostApproaches = 30
	// roughGap and fineGap are the relative gaps of the first and of the last program, and each is finer times as fine
	// as that before or finer.
	roughGap, fineGap, finer = 1e-3, 1e-7, 10
	// beginMu is the mean product to begin with, of margins that lack 1 and multipliers up to their bounds.
	beginMu = 0.3
)

// crowded reports whether the program for p is one to approach by interior points: no end of pivots, and many rows
// with those that are violated, of which at first nearly all are.
func (s *sift) crowded(p Costs, pivots int) bool {
	from, rows := cmp.Or(s.opt.InteriorFrom, interiorFrom), len(s.working)
	if !s.k.Limited() || s.shape.OneSided || rows < from*5/8 || pivots < pivotsPerRow*rows {
		return false
	}
	return rows+len(s.allViolated(p)) >= from
}

// approach moves the centre near to the optimum, and makes the program of simplex there. It does nothing where the
// budget has no room for it.
func (s *sift) approach(ctx context.Context, p Costs, sol *Solution) error {
	m := &model{sift: s, p: p, all: live(s.k, p), gap: roughGap}
	if m.payModel() != nil {
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
	clear(s.last.a) // whoever goes on begins with the rows of before
	clear(s.last.f)
	s.last.bias = 0
	return err
}

// run solves models until one is of all margins and rows.
func (m *model) run(ctx context.Context, sol *Solution) error {
	if err := m.beginModel(ctx); err != nil {
		return err
	}
	for range min(mostApproaches, m.opt.MaxSolves-sol.Solves-1) {
		if err := m.solveModel(ctx); err != nil {
			return err
		}
		sol.Solves++
		sol.Iterations += m.iterate.Steps
		if m.advanceModel() {
			return nil
		}
	}
	return nil
}

// model is the program of an approach. The margins nearest to 1 at the centre are its columns as they are, and of all
// others one for many: the farther away, the more. So it knows, roughly, what a model far from the centre costs, and
// its solutions need no bound on how far they go. What the others add to the rows at the centre is exact.
type model struct {
	*sift
	p     Costs
	all   []int // candidates that may have a coefficient
	left  []int // of these those that the program leaves out, ascending
	gap   float64
	extra []int // margins that are not, at the last solution, where their multipliers say
	back  int   // rows left out that the last solution violates

	rows    []int // of the program, after the bias's where that has a cost
	samples []int // its columns, the first own of which stand for themselves
	own     int
	times   []float64 // for how many a column stands
	q       *interior.Program
	iterate *interior.Point
	fixed   []float64 // the columns' multipliers at the centre, 0 of the first own
}

// pay takes what the largest program needs from the budget.
func (m *model) payModel() error {
	if m.opt.Budget == nil {
		return nil
	}
	rows, columns := int64(1+len(m.all)), int64(5*m.nearby())
	need := 8*rows*columns + interior.Bytes(int(rows), int(columns)) - rowsBytes(len(m.y), 0, 0) - m.paid
	if need <= 0 {
		return nil
	}
	if err := m.opt.Budget.Take(need); err != nil {
		return err
	}
	m.paid += need
	return nil
}

// begin leaves out the rows that are violated least, and none with a coefficient.
func (m *model) beginModel(ctx context.Context) error {
	clear(m.inside)
	if err := m.fix(ctx); err != nil {
		return err
	}
	m.limit = max(m.limit, m.largest())
	size := func(i int) float64 {
		if m.centre.a[i] != 0 {
			return math.Inf(1)
		}
		return math.Abs(m.g[i]) / m.p.Coef[i]
	}
	worst := slices.Clone(m.all)
	slices.SortFunc(worst, func(a, b int) int { return cmp.Or(cmp.Compare(size(b), size(a)), cmp.Compare(a, b)) })
	m.left = worst[min(len(worst), 2*len(m.working)):]
	slices.Sort(m.left)
	return nil
}

// solve makes the program at the centre, and its solution the last model.
func (m *model) solveModel(ctx context.Context) error {
	m.choose()
	if err := m.fix(ctx); err != nil {
		return err
	}
	if err := m.setMultipliers(ctx, make([]float64, m.own)); err != nil {
		return err
	}
	if err := m.makeProgram(ctx); err != nil {
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

// take gives the columns that stand for themselves these multipliers.
func (m *model) setMultipliers(ctx context.Context, x []float64) error {
	var idx []int
	var by []float64
	for t, j := range m.samples[:m.own] {
		if x[t] != m.m[j] {
			idx = append(idx, j)
			by = append(by, x[t]-m.m[j])
			m.m[j] = x[t]
		}
	}
	return m.update(ctx, idx, by)
}

// accept makes the solution the last model, and drops and adds rows.
func (m *model) accept(ctx context.Context) error {
	clear(m.last.a)
	bias, y := m.biased()
	m.last.bias = bias
	for r, i := range m.rows {
		m.last.a[i] = m.coefficient(-y[r], m.y[i], m.p.Coef[i])
	}
	if err := m.k.outputs(ctx, &m.last); err != nil {
		return err
	}
	return m.sort(ctx)
}

// biased splits the solution's duals into the bias and those of candidates.
func (m *model) biased() (bias float64, y []float64) {
	if y = m.iterate.Y; len(y) > len(m.rows) {
		return -y[0], y[1:]
	}
	return 0, y
}

// advance moves the centre. It reports whether the solution was that of all margins and rows at the last gap.
func (m *model) advanceModel() (ended bool) {
	wrong := m.wrong()
	t, crossings := m.search(m.p)
	before := m.objective(&m.centre, m.p)
	m.centre.towards(&m.last, t)
	after := m.objective(&m.centre, m.p)
	m.extra = append(m.closest(crossings, t), m.shaken()...)
	ended = wrong == 0 && m.back == 0 && len(m.extra) == 0 && m.gap < 2*fineGap
	m.gap = max(fineGap, min(m.gap/finer, 0.1*(before-after)/after))
	return ended
}

// shaken are the margins that stand for many and whose multiplier is not what it is at the centre.
func (m *model) shaken() (samples []int) {
	for t := m.own; t < len(m.samples); t++ {
		if math.Abs(m.iterate.X[t]-m.fixed[t]) > 1e-3*(m.q.Hi[t]-m.q.Lo[t]) {
			samples = append(samples, m.samples[t])
		}
	}
	return samples
}

// objective is the model's.
func (s *sift) objective(e *expansion, p Costs) (sum float64) {
	if e.bias != 0 {
		sum = p.Bias * math.Abs(e.bias)
	}
	for i, a := range e.a {
		if a != 0 {
			sum += p.Coef[i] * math.Abs(a)
		}
	}
	for j, c := range s.cap {
		if z := s.slack(e.f, j); z > 0 {
			sum += c * z
		}
	}
	return sum
}
