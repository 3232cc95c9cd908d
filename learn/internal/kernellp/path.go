package kernellp

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// Stretch is a part of a path on which the coefficients are linear in the margin. It and its slices are valid until
// the visit returns.
//
// Value is the objective of the stretch's model. It is the optimum if no row is violated, which is checked at the
// last of every [Options.Every] stretches. Between two checks, rows that hold at both may be violated. The objective
// then exceeds the optimum a little, by at most 1e-5 of it on the programs of the tests.
type Stretch struct {
	From, To    float64   // margins, From > To
	Value       float64   // objective of the model at From
	Slope       float64   // derivative of the objective by the margin
	Looked      bool      // the check found no violated row: Value is the optimum
	Support     []int     // samples with non-zero coefficients on the whole stretch
	Coef, Rates []float64 // |a| of these at From, and their derivatives by the margin
	Bias        float64   // at From
	Sum         float64   // the multiplier of Σ|a| = 1, the same all the way: what a unit of it is worth
	Violation   float64   // largest violation of a row, if checked

	basis  simplex.Basis
	marked *Mark
}

// Mark returns the mark of the stretch's basis, which may be kept.
func (s *Stretch) Mark() Mark {
	if s.marked == nil {
		s.marked = &Mark{simplex.Basis{Cols: slices.Clone(s.basis.Cols), Rows: slices.Clone(s.basis.Rows)}}
	}
	return *s.marked
}

// PathEnd is where a path ended.
type PathEnd struct {
	Status     status.Status // Optimal if the path reached its end or its visit stopped it
	Iterations int           // pivots and bound flips, including those that were undone
	Solves     int           // linear programs, one for each batch of rows
}

// Path follows the optima from p.Margin down to the margin to. It calls visit for adjoining stretches in turn, and
// stops if visit returns false. After a limit, the solver is at the last visited margin; a Solve without any time
// left returns its model.
//
// Rows join as in [Solver.Solve]. Every few pivots all rows are checked. If some are violated, the path returns to
// the last place without violated rows, and continues with these rows added.
func (s *Solver) Path(ctx context.Context, p Costs, to float64, visit func(*Stretch) bool) (PathEnd, error) {
	if !s.shape.SumToOne || !(to < p.Margin) {
		panic("kernellp: a path is of programs whose coefficients have the sum 1, and goes down")
	}
	sol, err := s.Solve(ctx, p)
	if err != nil {
		return PathEnd{}, err
	}
	f := &follower{Solver: s, reached: s.inUnits(p), to: to, visit: visit, x: make([]float64, len(s.y)+1),
		end: PathEnd{sol.Status, sol.Iterations, sol.Solves}}
	for f.end.Status == status.Optimal && !f.done {
		if err = f.follow(ctx); err == nil && f.add != nil {
			err = f.back(ctx)
		}
		if errors.As(err, new(*learn.BudgetError)) { // the stretches so far remain valid
			s.spent, f.end.Status, err = err, status.IterationLimit, nil
		}
		if err != nil {
			return f.end, err
		}
	}
	if f.end.Status.Limit() && f.kept.m != nil {
		return f.end, f.rest(ctx)
	}
	return f.end, nil
}

// returnTo makes the next Solve start from a mark of this solver, with the rows that have joined since.
func (s *Solver) returnTo(to Mark) error {
	b := simplex.Basis{Cols: to.basis.Cols, Rows: make([]simplex.Position, 1+len(s.working))} // those are Basic
	copy(b.Rows, to.basis.Rows)
	return s.lp.SetBasis(b)
}

// follower follows a path. It stores the last place without violated rows.
type follower struct {
	*Solver
	reached Costs // of that place
	to      float64
	visit   func(*Stretch) bool
	done    bool
	end     PathEnd

	basis simplex.Basis
	kept  multipliers

	pending        []Stretch // followed since, and not yet checked
	count          int       // their number
	add            []int     // violated rows
	x, duals, rate []float64
}

// between is Options.Every by default.
const between = 12

// hold stores the present place.
func (f *follower) hold() {
	f.basis = f.lp.Basis(simplex.Basis{})
	f.kept.set(&f.multipliers)
}

// back returns to the stored place, with the violated rows added.
func (f *follower) back(ctx context.Context) error {
	f.end.Solves++
	if err := f.restore(); err != nil {
		return err
	}
	return f.addRows(ctx, f.reached, f.add)
}

// rest returns to the stored place and inverts its basis, even if ctx has ended.
func (f *follower) rest(ctx context.Context) error {
	err := f.restore()
	if err == nil {
		f.lp.Solve(context.WithoutCancel(ctx)) // without a pivot
	}
	return err
}

// restore makes the stored place the present one.
func (f *follower) restore() error {
	f.set(&f.kept)
	if err := f.returnTo(Mark{f.basis}); err != nil {
		return err
	}
	return f.lp.SetCost(f.costs(f.reached))
}

// follow goes from the stored place until rows are violated, or to the end.
func (f *follower) follow(ctx context.Context) error {
	start, m := f.reached.Margin, 1+len(f.working)
	direction := make([]float64, len(f.x))
	for j, y := range f.y {
		direction[j] = y * f.shape.edge(j)
	}
	f.hold()
	f.duals, f.rate = make([]float64, m), make([]float64, m)
	f.count, f.add = 0, nil
	var failed error
	r, err := f.lp.Parametric(ctx, simplex.Rates{C: direction}, start-f.to, func(g simplex.Segment) bool {
		f.record(g, start)
		last := start-g.To <= f.to*(1+1e-12)
		if f.count < cmp.Or(f.opt.Every, between) && !last {
			return true
		}
		if failed = f.look(ctx, g); failed != nil || f.add != nil {
			return false
		}
		f.reached.Margin, f.done = start-g.To, last
		return f.flush() && !f.done
	})
	if err != nil {
		return err
	}
	f.end.Iterations += r.Iterations
	if f.end.Status = r.Status; failed != nil {
		f.end.Status = status.FromContext(ctx)
	}
	return nil
}

// record keeps a segment that starts at that margin less its From.
func (f *follower) record(g simplex.Segment, start float64) {
	if f.count == len(f.pending) {
		f.pending = append(f.pending, Stretch{})
	}
	s := &f.pending[f.count]
	f.count++
	g.Duals(f.duals, f.rate)
	s.basis, s.marked = f.lp.Basis(s.basis), nil
	s.From, s.To = start-g.From, start-g.To
	s.Value, s.Slope = math.Ldexp(-g.Value, -f.unit), math.Ldexp(g.Slope, -f.unit)
	s.Bias, s.Sum, s.Violation = -f.duals[0], math.Ldexp(g.At(len(f.y)), -f.unit), 0
	s.Support, s.Coef, s.Rates = s.Support[:0], s.Coef[:0], s.Rates[:0]
	for t, i := range f.working {
		if a, by := -f.y[i]*f.duals[t+1], f.y[i]*f.rate[t+1]; a != 0 || by != 0 {
			s.Support = append(s.Support, i)
			s.Coef = append(s.Coef, a)
			s.Rates = append(s.Rates, by)
		}
	}
}

// look finds the rows that the last segment violates, and the rows that are closest to violation.
func (f *follower) look(ctx context.Context, g simplex.Segment) error {
	g.X(f.x, nil)
	if err := f.move(ctx, f.x); err != nil {
		return err
	}
	if violated := f.violated(f.reached); len(violated) > 0 {
		f.add = f.closest(len(violated) + ahead)
		return nil
	}
	last := &f.pending[f.count-1]
	for i, cost := range f.reached.Coef {
		if !math.IsInf(cost, 1) {
			last.Violation = max(last.Violation, math.Ldexp(f.excess(f.reached, i), -f.unit))
		}
	}
	return nil
}

// ahead is the number of further rows that join with the violated ones. They save the path most of its returns.
const ahead = 8

// closest returns the given number of samples outside the working set that may have coefficients: those whose rows
// are closest to violation.
func (f *follower) closest(count int) []int {
	all := f.worst(f.reached, func(i int) (float64, bool) { return f.excess(f.reached, i), true })
	return all[:min(count, len(all))]
}

// flush reports the checked stretches.
func (f *follower) flush() bool {
	f.hold()
	for k := range f.pending[:f.count] {
		f.pending[k].Looked = k == f.count-1
		if !f.visit(&f.pending[k]) {
			f.done = true
			return false
		}
	}
	f.count = 0
	return true
}

// Mark is a basis from which a solver may start.
type Mark struct{ basis simplex.Basis }

// Same reports whether m and as are the same mark of one path.
func (m Mark) Same(as Mark) bool { return &m.basis.Cols[0] == &as.basis.Cols[0] }

// origin is the state of a fork when it was made.
type origin struct {
	Mark
	rows   int
	kept   multipliers
	budget *learn.Budget
}

// Fork returns a solver of the same programs. It starts from a mark of s, with the rows that bind there and with the
// present sums of s. From then on neither solver changes the other. They share the kernel matrix, so they must take
// turns. Each takes rows from what is left of the budget now, so only one of several forks may be kept.
func (s *Solver) Fork(mark Mark) *Solver {
	if s.shape.Ceiling > 0 {
		panic("kernellp: a solver with ceilings has no fork")
	}
	f := *s
	f.mx, f.working, f.row = s.mx.without(mark.basis.Rows), nil, make([]int, len(s.y))
	from := mark
	from.basis.Rows = nil
	for r, p := range mark.basis.Rows {
		if r == 0 || p != simplex.Basic {
			from.basis.Rows = append(from.basis.Rows, p)
		}
		if r > 0 && p != simplex.Basic {
			f.working = append(f.working, s.working[r-1])
			f.row[s.working[r-1]] = len(f.working)
		}
	}
	f.sift = nil
	f.begin = origin{Mark: from, rows: len(f.working), budget: copyOf(s.opt.Budget)}
	f.begin.kept.set(&s.multipliers)
	f.multipliers = multipliers{}
	f.restart()
	return &f
}

// Anew returns a solver of the same programs that has no rows yet. Its first solve gives the bits of a new solver's.
// What is said of a fork's memory and turns holds for it too.
func (s *Solver) Anew() *Solver {
	opt := s.opt
	opt.Budget = copyOf(s.opt.Budget)
	return New(s.k, s.y, s.cap, s.shape, opt)
}

// Rewind returns a fork to its state when it was made. Its next solve gives the same bits. It keeps the inverse of
// the first basis if no solve has replaced it.
func (s *Solver) Rewind() {
	if s.lp != nil && s.pivots == 0 && len(s.working) == s.begin.rows &&
		s.at(s.begin.Mark) {
		s.set(&s.begin.kept)
		return
	}
	for _, i := range s.working[s.begin.rows:] {
		s.row[i] = 0
	}
	s.working = s.working[:s.begin.rows]
	s.mx = s.mx.first(1 + s.begin.rows)
	s.restart()
}

// at reports whether the solver stands at a mark.
func (s *Solver) at(m Mark) bool {
	b := s.lp.Basis(simplex.Basis{})
	return slices.Equal(b.Cols, m.basis.Cols) && slices.Equal(b.Rows, m.basis.Rows)
}

// restart makes the next Solve behave as the first one.
func (s *Solver) restart() {
	s.lp, s.pivots, s.spent = nil, 0, nil
	s.opt.Budget = copyOf(s.begin.budget)
	s.set(&s.begin.kept)
}

// copyOf returns a budget with the same remainder as b; nil for nil.
func copyOf(b *learn.Budget) *learn.Budget {
	if b == nil {
		return nil
	}
	left := *b
	return &left
}

// Steady returns the largest t ≤ most for which the basis of the optimum of p stays optimal while the ceiling rises by
// t and the hinge costs by t·rate. On the way coefficients, bias and multipliers are linear in t. Rows outside the
// program bound t too. It returns 0 if the program has no optimum.
func (s *Solver) Steady(ctx context.Context, p Costs, rate []float64, largest float64) (float64, error) {
	if s.shape.Ceiling == 0 || s.shape.SumToOne || s.lp == nil {
		panic("kernellp: Steady needs a solved program with a ceiling")
	}
	p = s.inUnits(p)
	lo, up := samples.Bounds(s.y, shifted(rate, s.unit))
	ceilings := make([]float64, len(s.eta.has))
	rates := simplex.Rates{Lo: append(lo, ceilings...), Up: append(up, ceilings...),
		C: append(make([]float64, len(s.y)), slices.Repeat([]float64{1}, len(ceilings))...)}
	g, st, err := s.lp.Steady(ctx, rates, largest)
	if err != nil || st != status.Optimal {
		return 0, err
	}
	largest = min(g.To, s.belowCeiling(g, g.To))
	return s.rowsHold(ctx, p, g, largest)
}

// belowCeiling returns how far the ceiling rises before a coefficient below it reaches it.
func (s *Solver) belowCeiling(g simplex.Segment, largest float64) float64 {
	a, by := make([]float64, len(s.mx.rows)), make([]float64, len(s.mx.rows))
	g.Duals(a, by)
	for r := 1; r < len(a); r++ {
		if s.eta.has[r] {
			continue
		}
		if a[r] < 0 {
			a[r], by[r] = -a[r], -by[r]
		}
		largest = min(largest, until(a[r]-s.shape.Ceiling, by[r]-1))
	}
	return largest
}

// rowsHold returns how far the multipliers may go, at most most, before a row outside the program is violated.
func (s *Solver) rowsHold(ctx context.Context, p Costs, g simplex.Segment, largest float64) (float64, error) {
	x, by := make([]float64, len(s.y)+len(s.eta.has)), make([]float64, len(s.y)+len(s.eta.has))
	g.X(x, by)
	var rates changes
	for j, v := range by[:len(s.y)] {
		rates.add(j, v)
	}
	move := make([]float64, len(s.y))
	if err := s.k.addColumns(ctx, move, rates.idx, rates.by); err != nil {
		return 0, err
	}
	for i, y := range s.y {
		if s.row[i] > 0 || math.IsInf(p.Coef[i], 1) {
			continue
		}
		largest = min(largest, until(y*s.g[i]-p.Coef[i], y*move[i]))
		if !s.shape.OneSided {
			largest = min(largest, until(-y*s.g[i]-p.Coef[i], -y*move[i]))
		}
	}
	return largest, nil
}

// until returns when a value v ≤ 0 (up to rounding) that grows by rate reaches 0.
func until(v, rate float64) float64 {
	if !(rate > 0) {
		return math.Inf(1)
	}
	return max(0, -v/rate)
}
