package qp

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// Options tune a Solver. The zero value is good.
type Options struct {
	// MaxIter limits the constraints that one Solve adds and drops; 0 means 100·(m+n) + 10000.
	MaxIter int
	// Tolerance is the largest residual and gap of an optimum (see [Certificate]); 0 means 1e-9.
	Tolerance float64
}

// Solver solves a program, and again after changes, warm from its last active set. It holds all memory that it needs.
type Solver struct {
	problem    *problem
	opt        Options
	factors    factors
	active     active
	x, ax      []float64 // the iterate and its activities
	proximal   proximal
	failed     failed
	counts     counts
	scratch    scratch
	positions  []int32 // of every constraint in active, −1 if it is not
	candidates candidates
	low        low
	gauges
}

// gauges are what numbers of a solve are compared with.
type gauges struct {
	reach  float64 // the largest |x| since x was last computed afresh
	far    float64 // the largest |x| of the solve
	margin float64 // of Farkas rays
	strict bool    // constraints count by their own terms
}

// active is the active set, in the order of R's columns.
type active struct {
	which []int32
	side  []float64 // 1 at the lower bound, −1 at the upper one
	dual  []float64 // multipliers: of the sign of side, but for equalities
}

// failed is the constraint that no step can meet, and its side.
type failed struct {
	which int
	side  float64
}

// low is what x and the multipliers lack in doubled precision, if it is used.
type low struct {
	x, dual []float64 // n each
	used    bool
	kept    bool // whether it was used when x was kept
}

type counts struct{ iterations, limit, refactored int }

type scratch struct {
	m, n, w     []float64 // for rows, for variables, for active constraints
	kept, duals []float64 // x and multipliers before a refinement

	keptLow, dualsLow []float64 // what these lack
}

// defaultTolerance is the tolerance of zero Options.
const defaultTolerance = 1e-9

// clearly is the margin of a Farkas ray, relative to its terms, below which a program is called infeasible only if it
// has no optimum within the tolerance.
const clearly = 1e-10

// maxCandidates is the largest number of rows that are looked at alone.
const maxCandidates = 128

// Bytes is the memory of a [Solver] of n variables and m rows: Q, L⁻¹, J, half of R, and A; J and R again in doubled
// precision, where that decides.
func Bytes(n, m int) int64 { return int64(8 * (7.5*float64(n) + float64(m) + 20) * float64(n)) }

// New returns a solver of p, whose data it copies.
func New(p QP, opt Options) (*Solver, error) { return newSolver(p, opt, nil) }

func newSolver(p QP, opt Options, from *arena) (*Solver, error) {
	if opt.MaxIter < 0 || !(opt.Tolerance >= 0) || math.IsInf(opt.Tolerance, 1) {
		return nil, invalid("limit %d and tolerance %v, want none below 0 and a finite tolerance", opt.MaxIter, opt.Tolerance)
	}
	problem, err := newProblem(&p, from)
	if err != nil {
		return nil, err
	}
	if opt.Tolerance == 0 {
		opt.Tolerance = defaultTolerance
	}
	problem.tolerance = opt.Tolerance
	n, m := problem.n, problem.m
	if opt.MaxIter == 0 {
		opt.MaxIter = 100*(m+n) + 10000
	}
	memory := from.slab(factorValues(n) + 11*n + 2*m)
	whole := make([]int32, m+2*n+maxCandidates)
	s := &Solver{problem: problem, opt: opt, factors: newFactors(n, &memory), x: memory.take(n), ax: memory.take(m),
		positions: whole[:m+n]}
	s.active = active{whole[m+n : m+2*n][:0], memory.take(n)[:0], memory.take(n)[:0]}
	s.low.x, s.low.dual = memory.take(n), memory.take(n)
	s.candidates.rows = whole[m+2*n:][:0]
	s.scratch = scratch{m: memory.take(m), n: memory.take(n), w: memory.take(n), kept: memory.take(n), duals: memory.take(n),
		keptLow: memory.take(n), dualsLow: memory.take(n)}
	if err := s.factorize(); err != nil {
		return nil, err
	}
	s.clear()
	return s, nil
}

// Solve is one solve of one program. Small programs use the memory of those before.
func Solve(ctx context.Context, p QP, opt Options) (*Result, error) {
	from := arenas.Get().(*arena)
	defer from.free()
	s, err := newSolver(p, opt, from)
	if err != nil {
		return nil, err
	}
	return s.Solve(ctx), nil
}

// factorize computes L⁻¹, of Q or of Q + D.
func (s *Solver) factorize() error {
	pivot, err := s.tryFactor()
	if err != nil || pivot < 0 {
		return err
	}
	s.newProximal()
	if pivot, err = s.tryFactor(); err != nil || pivot < 0 {
		return err
	}
	return invalid("Q is not positive semidefinite: the pivot of variable %d is negative", pivot)
}

// clear leaves no constraint active.
func (s *Solver) clear() {
	s.factors.reset()
	s.noneActive()
}

func (s *Solver) noneActive() {
	s.active.which, s.active.side, s.active.dual = s.active.which[:0], s.active.side[:0], s.active.dual[:0]
	for i := range s.positions {
		s.positions[i] = -1
	}
}

// Cold forgets the active set: the next solve begins without constraints, as the first one.
func (s *Solver) Cold() { s.clear() }

// SetCost changes the vector c.
func (s *Solver) SetCost(c []float64) error {
	p := s.problem
	if len(c) != p.n {
		return invalid("%d costs for %d variables", len(c), p.n)
	}
	for j, v := range c {
		if !finite(v) {
			return invalid("cost of variable %d is %v", j, v)
		}
	}
	copy(p.c, c)
	return nil
}

// SetColBounds changes the bounds of the variables. Bounds from 1e20 on are infinite; bounds that cross make the
// program infeasible.
func (s *Solver) SetColBounds(lo, up []float64) error {
	err := setBounds("variable", s.problem.lo, s.problem.up, lo, up)
	s.problem.weigh()
	return err
}

// SetRowBounds changes the bounds of the rows, as SetColBounds those of the variables.
func (s *Solver) SetRowBounds(lo, up []float64) error {
	err := setBounds("row", s.problem.rowLo, s.problem.rowUp, lo, up)
	s.problem.weigh()
	return err
}

func setBounds(what string, lo, up, newLo, newUp []float64) error {
	if len(newLo) != len(lo) || len(newUp) != len(up) {
		return invalid("%d lower and %d upper bounds for %d of a %s", len(newLo), len(newUp), len(lo), what)
	}
	for i, v := range newLo {
		if v != v || newUp[i] != newUp[i] || math.IsInf(infinite(v), 1) || math.IsInf(infinite(newUp[i]), -1) {
			return invalid("bounds of %s %d are [%v, %v]", what, i, v, newUp[i])
		}
	}
	for i, v := range newLo {
		lo[i], up[i] = infinite(v), infinite(newUp[i])
	}
	return nil
}

// Solve solves the program as it is now.
func (s *Solver) Solve(ctx context.Context) *Result {
	r := new(Result)
	s.SolveInto(ctx, r)
	return r
}

// SolveInto solves into r, whose vectors it uses again if they are large enough. It ends at the latest some
// milliseconds after ctx.
func (s *Solver) SolveInto(ctx context.Context, r *Result) {
	p := s.problem
	s.counts = counts{limit: s.opt.MaxIter}
	s.proximal.steps, s.far, s.strict = 0, 0, false
	r.X, r.BoundDuals = resized(r.X, p.n), resized(r.BoundDuals, p.n)
	r.Activity, r.Y = resized(r.Activity, p.m), resized(r.Y, p.m)
	r.Shift, s.margin, s.proximal.feasible = 0, clearly, s.proximal.feasible[:0]
	r.Farkas, r.Ray, r.XLow, r.YLow = r.Farkas[:0], r.Ray[:0], r.XLow[:0], r.YLow[:0]
	r.Status = s.solve(ctx, r)
	r.Iterations, r.Refactored, r.Proximal = s.counts.iterations, s.counts.refactored, s.proximal.steps
}

// solve solves into r, by the dual method and then by what is slower and surer.
func (s *Solver) solve(ctx context.Context, r *Result) (st status.Status) {
	switch {
	case s.problem.crossed >= 0:
		return s.crossing(r)
	case len(s.proximal.d) > 0:
		st = s.approach(ctx, r)
	default:
		st = s.proved(ctx, r, func() bool {
			s.polish(r)
			return r.worst() <= s.opt.Tolerance
		})
	}
	for _, s.margin = range [...]float64{clearly, 0} {
		if st == status.Numerical {
			st = s.byLinear(ctx, r)
		}
		if st == status.Numerical {
			st = s.inDoubled(ctx, r)
		}
	}
	if st == status.Optimal && (s.problem.excused || s.byRoundings(r)) {
		return s.confirm(ctx, r)
	}
	return st
}

// crossing reports a program that bounds make infeasible which cross, and no x.
func (s *Solver) crossing(r *Result) status.Status {
	clear(s.x)
	s.low.used = false
	s.report(r)
	r.Farkas = resized(r.Farkas, s.problem.m)
	clear(r.Farkas)
	if c := s.problem.crossed; c < s.problem.m {
		r.Farkas[c] = 1
	}
	return status.Infeasible
}

// byRoundings reports whether the optimum is so far away that roundings of Q's entries may have made it one.
func (s *Solver) byRoundings(r *Result) bool {
	e := &s.problem.evaluation
	return noCurvature*e.quantity*e.quantity > math.Abs(e.value) && len(s.proximal.d) > 0 &&
		s.problem.rounded()
}

// confirm keeps an optimum unless linear programs prove that there is none.
func (s *Solver) confirm(ctx context.Context, r *Result) status.Status {
	kept := *r
	for _, v := range []*[]float64{&kept.X, &kept.Y, &kept.BoundDuals, &kept.Activity, &kept.XLow, &kept.YLow} {
		*v = slices.Clone(*v)
	}
	st := s.byLinear(ctx, r)
	if st == status.Numerical {
		kept.Farkas, kept.Ray = r.Farkas[:0], r.Ray[:0]
		*r, st = kept, status.Optimal
	}
	return st
}

func resized(v []float64, n int) []float64 {
	if cap(v) < n || v == nil {
		return make([]float64, n)
	}
	return v[:n]
}

// proved solves with the present factors until what it finds has a proof: for an optimum, that holds says so. It goes
// on from refined values, then from fresh factors, then from fresh factors without an active set.
func (s *Solver) proved(ctx context.Context, r *Result, holds func() bool) status.Status {
	s.restart()
	for attempt := 0; ; attempt++ {
		st := s.iterate(ctx)
		if st == status.Optimal && holds() {
			return st
		}
		if st != status.Optimal {
			s.report(r)
		}
		if st.Limit() || st == status.Infeasible && s.farkas(r) {
			return st
		}
		if attempt == 3 {
			return status.Numerical
		}
		s.strict = s.strict || attempt > 1
		if attempt > 0 {
			s.refactor(attempt > 1)
			s.restart()
		}
		s.refine()
	}
}

// refactor computes J and R again from Q, with the same constraints or none.
func (s *Solver) refactor(empty bool) {
	s.counts.refactored++
	a, f := &s.active, &s.factors
	which := a.which
	k := 0
	f.reset()
	for i, p := range which {
		s.project(int(p))
		if square := s.independent(); !empty && square > 0 {
			f.step()
			f.add(square)
			a.which[k], a.side[k] = p, a.side[i]
			s.positions[p] = int32(k)
			k++
		} else {
			s.positions[p] = -1
		}
	}
	a.which, a.side, a.dual = a.which[:k], a.side[:k], a.dual[:k]
}

// project sets the factors' d to Jᵀ times the normal of a constraint.
func (s *Solver) project(p int) {
	if m := s.problem.m; p >= m {
		s.factors.projectUnit(p - m)
		return
	}
	s.factors.project(s.problem.a[p*s.problem.n:][:s.problem.n])
}

// dependent is the part of a projected normal's length below which it depends on the active ones.
const dependent = 1e-10

// independent returns |d₂|², 0 if the normal depends on the active ones.
func (s *Solver) independent() float64 {
	f := &s.factors
	if f.q == f.n {
		return 0
	}
	square := dense.Dot(f.d[f.q:], f.d[f.q:])
	if all := square + dense.Dot(f.d[:f.q], f.d); !(square > dependent*dependent*all) {
		return 0
	}
	return square
}
