package kernellp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// Kernel is the symmetric kernel matrix; blocked.Matrix[float64] is one.
type Kernel interface {
	Len() int
	// Diag writes the diagonal.
	Diag(dst []float64)
	// Rows returns rows of the matrix that stay valid until the next call.
	Rows(idx []int) [][]float64
	// AddRows does g += Σ_r coef[r]·K[idx[r], :].
	AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error
}

// Solver solves programs of one shape on one kernel matrix, each warm from the
// last. It must not be used by two goroutines at once.
type Solver struct {
	k     Rows
	y     []float64
	cap   []float64
	unit  int // the program multiplies every cost by 2 to this power
	shape Shape
	opt   Options

	workingRows
	multipliers
	lp    *simplex.Solver
	begin origin // of a fork, for its first program
	beginning
	pivots int   // since the start
	spent  error // of a budget that had no room for working rows

	sift  *sift // of many samples
	tight bool  // some coefficient is at the ceiling, so that there is no more sifting
}

// workingRows are the rows that a program has, and its matrix.
type workingRows struct {
	mx      *grown
	eta     ceilings
	working []int // sample of each row of mx after the bias row
	row     []int // sample → its row of mx, or 0
}

// multipliers are the variables of a dual solution.
type multipliers struct {
	m      []float64
	g      []float64 // K m, updated as m changes
	lambda float64   // of the sum constraint
}

// set makes u a copy of v.
func (u *multipliers) set(v *multipliers) {
	u.m = append(u.m[:0], v.m...)
	u.g = append(u.g[:0], v.g...)
	u.lambda = v.lambda
}

// New makes a solver for labels y (±1) and hinge costs cap ≥ 0, one for each sample.
func New(k Kernel, y, cap []float64, shape Shape, opt Options) *Solver {
	n := k.Len()
	if len(y) != n || len(cap) != n {
		panic("kernellp: labels, costs and matrix differ in length")
	}
	for i, v := range y {
		if v != 1 && v != -1 {
			panic(fmt.Sprintf("kernellp: label %d is %v, want 1 or -1", i, v))
		}
	}
	if opt.MaxSolves == 0 {
		opt.MaxSolves = 10*n + 100
	}
	if opt.SiftFrom == 0 {
		opt.SiftFrom = siftFrom
	}
	mx := newGrown(n, shape.SumToOne, scalesOf(k))
	mx.threads = opt.Threads
	return &Solver{k: rowsOf(k), y: y, cap: cap, unit: mx.unitOf(cap), shape: shape, opt: opt,
		workingRows: workingRows{mx: mx, row: make([]int, n)},
		multipliers: multipliers{m: make([]float64, n), g: make([]float64, n)}}
}

// unitOf returns the power of two that brings the largest hinge cost, in the scale of its sample, near 1
// where it is tiny: multipliers have it for their bound, and are else lost in the tolerance of the rows.
func (g *grown) unitOf(cap []float64) int {
	var largest float64
	for i, c := range cap {
		largest = max(largest, c/g.scaleOf(i))
	}
	if largest > 1e-3 || largest == 0 {
		return 0
	}
	_, exponent := math.Frexp(largest)
	return -exponent
}

// inUnits multiplies the costs by the unit.
func (s *Solver) inUnits(p Costs) Costs {
	if s.unit == 0 {
		return p
	}
	p.Bias, p.Coef = math.Ldexp(p.Bias, s.unit), shifted(p.Coef, s.unit)
	return p
}

// shifted returns x times 2 to the power unit.
func shifted(x []float64, unit int) []float64 {
	z := make([]float64, len(x))
	for i, v := range x {
		z[i] = math.Ldexp(v, unit)
	}
	return z
}

// Solve finds the optimum for p, starting from the basis and the working rows of the last solve.
func (s *Solver) Solve(ctx context.Context, p Costs) (*Solution, error) {
	if len(p.Coef) != len(s.y) {
		panic("kernellp: one cost for each sample is needed")
	}
	dump := simplex.Trace(ctx)
	if dump != nil {
		if err := dump(s.Whole(p)); err != nil {
			return nil, err
		}
	}
	if dump == nil && s.sifts(p) {
		if sol, err := s.siftBelow(ctx, p); sol != nil || err != nil {
			return sol, err
		}
	}
	p = s.inUnits(p)
	if err := s.load(ctx, p); err != nil {
		return nil, err
	}
	sol := &Solution{}
	for afresh := false; ; {
		res, err := s.optimum(ctx, p)
		if err != nil {
			return nil, err
		}
		s.solved(sol)
		sol.Iterations += res.Iterations
		s.pivots += res.Iterations
		sol.Status = res.Status
		if s.move(ctx, res.X) != nil {
			sol.Status = status.FromContext(ctx)
		}
		// Rows that hold to less than the tolerance are no reason to leave out those that hold not at all.
		goesOn := sol.Status == status.Optimal || sol.Status == status.Numerical
		if goesOn && (sol.Solves == s.opt.MaxSolves || s.tired()) {
			sol.Status, goesOn = status.IterationLimit, false
		}
		if !goesOn {
			return s.finish(sol, p, res), nil
		}
		added, err := s.enlarge(ctx, p, res)
		if errors.As(err, new(*learn.BudgetError)) { // the model of the rows so far stands
			s.spent = err
			sol.Status = status.IterationLimit
			return s.finish(sol, p, res), nil
		}
		if err != nil {
			return nil, err
		}
		if added {
			continue
		}
		s.finish(sol, p, res)
		if afresh || sol.Status == status.Optimal && sol.Violation <= OptimalViolation {
			return sol, nil
		}
		afresh = true // of columns that depend on each other to the last digits another way may end at a better basis
		if err = s.program(p); err != nil {
			return nil, err
		}
	}
}

// solved counts a program.
func (s *Solver) solved(sol *Solution) {
	if sol.Solves++; s.opt.tell != nil {
		s.opt.tell(sol.Solves)
	}
}

// Spent says that working rows had no room in the budget, and what would have; "" if they had.
func (s *Solver) Spent() string {
	if s.spent == nil {
		return ""
	}
	return "memory budget: " + s.spent.Error()
}

// SetCap replaces the hinge costs; the next Solve starts from the present basis.
func (s *Solver) SetCap(cap []float64) error {
	if len(cap) != len(s.y) {
		panic("kernellp: one hinge cost for each sample is needed")
	}
	s.cap, s.unit = cap, s.mx.unitOf(cap)
	if s.sift != nil {
		s.sift.recosted = true
	}
	if s.lp == nil {
		return nil
	}
	lo, up := s.columnBounds(s.unit)
	return s.lp.SetColBounds(lo, up)
}

// SetCeiling replaces the bound on |a_i| of a shape that has one.
func (s *Solver) SetCeiling(v float64) {
	if s.shape.Ceiling == 0 || v <= 0 {
		panic("kernellp: a ceiling can neither be added nor taken away")
	}
	s.shape.Ceiling = v
}

// enlarge adds the rows that the last solution violates most or, when there are
// none, lets go of the coefficients above the ceiling. It reports whether there was anything to add.
func (s *Solver) enlarge(ctx context.Context, p Costs, res *simplex.Result) (bool, error) {
	if add := s.violated(p); len(add) > 0 {
		return true, s.addRows(ctx, p, add)
	}
	if s.shape.Ceiling == 0 {
		return false, nil
	}
	return s.addCeilings(res)
}

// load gives the program the costs and row bounds of p.
func (s *Solver) load(ctx context.Context, p Costs) error {
	if s.lp == nil {
		return s.start(ctx, p)
	}
	if err := s.lp.SetCost(s.costs(p)); err != nil {
		return err
	}
	return s.lp.SetRowBounds(s.rowBounds(p, s.working))
}

// start makes the program of the bias row and the first working rows.
func (s *Solver) start(ctx context.Context, p Costs) error {
	if s.near != nil && len(s.working) == 0 {
		return s.startNear(ctx, p)
	}
	if len(s.working) == 0 {
		if _, err := s.take(ctx, s.first(p)); err != nil {
			return err
		}
	}
	if err := s.program(p); err != nil || s.begin.basis.Cols == nil {
		return err
	}
	return s.returnTo(s.begin.Mark)
}

// program makes that of the bias row and the working rows.
func (s *Solver) program(p Costs) (err error) {
	lo, up := s.columnBounds(s.unit)
	rowLo, rowUp := s.rowBounds(p, s.working)
	lp := simplex.LP{C: s.costs(p), Lo: lo, Up: up, RowLo: rowLo, RowUp: rowUp, A: s.mx}
	s.lp, err = simplex.New(lp, simplex.Options{
		Method: simplex.Dual, NoScaling: s.mx.scale == nil, Tolerance: tolerance, Unit: 1, MaxIter: s.mostPivots()})
	return err
}

// columnBounds returns the bounds of m, in that unit, λ and the ceilings' columns.
func (s *Solver) columnBounds(unit int) (lo, up []float64) {
	lo, up = samples.Bounds(s.y, shifted(s.cap, unit))
	if s.shape.SumToOne {
		lo = append(lo, math.Inf(-1))
		up = append(up, math.Inf(1))
	}
	for range len(s.eta.has) {
		lo = append(lo, 0)
		up = append(up, math.Inf(1))
	}
	return lo, up
}

// costs returns those of m, λ and the ceilings' columns.
func (s *Solver) costs(p Costs) []float64 {
	c := make([]float64, len(s.y), len(s.y)+1)
	for j, y := range s.y {
		c[j] = -p.Margin * s.shape.edge(j) * y
	}
	if s.shape.SumToOne {
		c = append(c, 1)
	}
	for range len(s.eta.has) {
		c = append(c, s.shape.Ceiling)
	}
	return c
}

// rowBounds returns the bounds of the bias's row and of the rows of the samples idx.
func (s *Solver) rowBounds(p Costs, idx []int) (lo, up []float64) {
	lo, up = make([]float64, 1+len(idx)), make([]float64, 1+len(idx))
	lo[0], up[0] = -p.Bias, p.Bias
	for r, i := range idx {
		lo[r+1], up[r+1] = s.bounds(p, i)
	}
	return lo, up
}

// bounds returns the bounds of sample i's row.
func (s *Solver) bounds(p Costs, i int) (lo, up float64) {
	lo, up = -p.Coef[i], p.Coef[i]
	if s.shape.OneSided {
		if s.y[i] > 0 {
			lo = math.Inf(-1)
		} else {
			up = math.Inf(1)
		}
	}
	return lo, up
}

// move sets the multipliers to x and updates their sums g.
func (s *Solver) move(ctx context.Context, x []float64) error {
	var moved changes
	for j, v := range x[:len(s.m)] {
		moved.set(s.m, j, v)
	}
	if s.shape.SumToOne {
		s.lambda = x[len(s.m)]
	}
	return s.update(ctx, moved)
}

// update adds to the sums g what changes of multipliers contribute.
func (s *Solver) update(ctx context.Context, moved changes) error {
	return s.k.addColumns(ctx, s.g, moved.idx, moved.by)
}

// changes lists variables that change, and by how much.
type changes struct {
	idx []int
	by  []float64
}

// add records a change, unless it is 0.
func (c *changes) add(i int, by float64) {
	if by != 0 {
		c.idx = append(c.idx, i)
		c.by = append(c.by, by)
	}
}

// set stores v as x[i] and records the change.
func (c *changes) set(x []float64, i int, v float64) {
	if v != x[i] {
		c.idx = append(c.idx, i)
		c.by = append(c.by, v-x[i])
		x[i] = v
	}
}

// Whole states the program for p with all its rows, so that any other solver can check it. It holds the n×n matrix.
func (s *Solver) Whole(p Costs) *simplex.LP {
	n := len(s.y)
	mx := newGrown(n, s.shape.SumToOne, nil)
	_, cols := mx.Dims() // without the columns of ceilings in use
	lo, up := s.columnBounds(0)
	lp := &simplex.LP{C: s.costs(p)[:cols], Lo: lo[:cols], Up: up[:cols]}
	lp.RowLo, lp.RowUp = s.rowBounds(p, spaced(n, n))
	for i := range n {
		mx.append(append([]float64(nil), s.k.Rows([]int{i})[0]...), -s.y[i], 1)
	}
	lp.A = mx
	if s.shape.Ceiling > 0 {
		eta := &simplex.Sparse{Rows: n + 1}
		for i, y := range s.y {
			eta.Append([]int32{int32(i + 1)}, []float64{-y})
			lp.C = append(lp.C, s.shape.Ceiling)
			lp.Lo = append(lp.Lo, 0)
			lp.Up = append(lp.Up, math.Inf(1))
		}
		lp.A = simplex.Blocks{mx, eta}
	}
	return lp
}
