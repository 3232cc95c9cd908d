package skm

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// The exact path along C of min Σ|α| + C Σξ. With τ for Σ|α| it is min τ + C h(τ), where h(τ) is the least Σξ at that
// τ: convex and piecewise linear, so that the model is one of its breakpoints for all C between −1/h' to the left of
// it and −1/h' to the right. For a = α/τ, f = τ g and ξ = τ η these are
//
//	L(M) = min Σ η,  η_i ≥ M − y_i g(x_i),  Σ|a| = 1,  M = 1/τ,  h(τ) = τ L(1/τ),
//
// the programs of SKM at margin M ([minima]), whose path from M = ∞ down is one parametric pass. Σ|a| of either sign
// is that of samples which stand there a second time with the other label and without a margin. On a stretch of the
// path L = S M − λ, λ the multiplier of the sum; so h' = −λ, and C goes from 1/λ before a breakpoint to 1/λ after it.

// exact walks the path of a comparator between two C.
func exact[T learn.Trainer](ctx context.Context, p *learn.Problem, t T, method func(T) linear, lo, hi float64,
	visit func(from, to float64, r *learn.Result) bool) error {
	if err := learn.Complete(&t); err != nil {
		return err
	}
	l := method(t)
	for _, c := range []float64{lo, hi} {
		if !learn.Positive.Has(c) || hi < lo {
			return &learn.ParamError{Method: l.Method, Param: "c", Value: c, Want: "from " + learn.Positive.Text + " up"}
		}
	}
	if l.threshold > 0 {
		return fmt.Errorf("%s: a threshold (%v) makes other models than those of the path", l.Method, l.threshold)
	}
	if err := p.Validate(learn.Classify); err != nil {
		return err
	}
	if err := p.ValidateCost(l.Method, hi); err != nil {
		return err
	}
	ctx = simplex.WithTrace(ctx, nil) // one parametric pass over programs that are not those of single trainings
	e := &exactPath{linear: l, ctx: ctx, problem: p, lo: lo, hi: hi, visit: visit}
	if err := e.prepare(); err != nil {
		return err
	}
	if err := e.walk(); err != nil {
		return err
	}
	if ctx.Err() != nil && !e.done {
		return learn.Nothing(ctx, l.Method)
	}
	return nil
}

// exactPath is a path on its way.
type exactPath struct {
	linear
	ctx     context.Context
	problem *learn.Problem
	lo, hi  float64
	visit   func(from, to float64, r *learn.Result) bool

	variables
	k     kernellp.Rows
	lp    *kernellp.Solver
	steep float64 // Σξ of f = 0 over M: the largest slope of L

	begin  time.Time
	moving *moving // where there is a ceiling
	progress
}

// variables are the coefficients of a path.
type variables struct {
	row  []int     // variable → sample
	y    []float64 // its sign
	coef []float64 // its cost: 0, or +Inf for what cannot be a vector
}

// progress is how far a path has come.
type progress struct {
	from   float64 // C up to which the path without a ceiling has come
	seen   float64 // C up to which models were visited; 0 for none
	before kernellp.Stretch
	done   bool
	failed error // of what a visit began
}

// prepare makes the variables and the solver.
func (e *exactPath) prepare() error {
	p := e.problem
	choice := samples.Choice{Subset: e.Subset}
	if choice.Limits(len(p.Present())) && p.Candidates == nil {
		named := *p
		rows := p.Present()
		for _, k := range choice.Of(gram.Pack[float64](p.Kernel, p.Samples(rows), len(rows), p.D), len(rows)) {
			named.Candidates = append(named.Candidates, rows[k])
		}
		p = &named
	}
	var cost [2]float64 // of each class
	all := p.Rows()
	slack := make([]float64, 0, 2*len(all))
	add := func(i int, y, cap float64, vector bool) {
		e.row = append(e.row, i)
		e.y = append(e.y, y)
		slack = append(slack, cap)
		if e.coef = append(e.coef, 0); !vector {
			e.coef[len(e.coef)-1] = math.Inf(1)
		}
	}
	for _, i := range all {
		_, named := slices.BinarySearch(p.Candidates, i)
		add(i, p.Y[i], p.WeightOf(i), named || p.Candidates == nil)
		cost[(1+int(p.Y[i]))/2] += p.WeightOf(i)
	}
	if !e.shape.OneSided {
		for k, i := range all {
			if e.coef[k] == 0 {
				add(i, -p.Y[i], 0, true)
			}
		}
	}
	e.steep = 2 * min(cost[0], cost[1])
	var budget *learn.Budget
	var err error
	if e.k, budget, err = kernellp.RowsOf(e.Method, p, e.row, len(e.row), samples.Choice{}); err != nil {
		return err
	}
	e.lp = kernellp.New(e.k, e.y, slack, kernellp.Shape{OneSided: true, SumToOne: true},
		kernellp.Options{Budget: budget, Every: 1, Threads: p.Threads})
	if e.shape.Ceiling > 0 {
		e.moving = newMoving(e, slack, budget)
	}
	e.begin = time.Now()
	return nil
}

// far is the share of the largest margin down to which the path is followed: Σ|α| is as many times what it is where
// the first coefficient appears.
const far = 1e-9

// walk follows the path from so large a margin that f has no say yet.
func (e *exactPath) walk() error {
	margin := 4.0
	for i := range e.row {
		x := e.problem.X[e.row[i]*e.problem.D : (e.row[i]+1)*e.problem.D]
		margin = max(margin, 4*math.Abs(e.problem.Kernel.Eval(x, x)))
	}
	for range 20 {
		restart := false
		first := true
		end, err := e.lp.Path(e.ctx, kernellp.Costs{Margin: margin, Coef: e.coef}, far*margin, func(s *kernellp.Stretch) bool {
			if first && !(math.Abs(s.Slope-e.steep) <= 1e-9*e.steep) {
				restart = true
				return false
			}
			first = false
			return e.follow(s)
		})
		if err != nil {
			return err
		}
		switch {
		case restart:
			margin *= 8
			continue
		case e.failed != nil:
			return e.failed
		case end.Status.Limit() || e.done || e.ctx.Err() != nil:
			return nil
		case end.Status != status.Optimal:
			return fmt.Errorf("%s: the path along C ended at C = %v: %v", e.Method, e.from, end.Status)
		}
		return e.fill(e.hi)
	}
	return fmt.Errorf("%s: no margin from which the path along C could begin", e.Method)
}

// follow looks at one stretch: the model at its beginning holds for the C between this stretch and the one before.
func (e *exactPath) follow(s *kernellp.Stretch) bool {
	to := math.Inf(1)
	if s.Sum > 0 {
		to = 1 / s.Sum
	}
	if to > e.from*(1+1e-12) && to > e.lo {
		r := e.modelAt(s, min(to, e.hi))
		from := max(e.from, e.lo, e.bound(r)) // α ≤ C
		if from <= min(to, e.hi) {
			if e.failed = e.fill(from); e.failed != nil || e.done {
				return false
			}
			e.done = !e.visit(from, min(to, e.hi), r)
			e.seen = min(to, e.hi)
		}
	}
	e.from = max(e.from, to)
	e.before = kernellp.Stretch{Slope: s.Slope, Sum: s.Sum, Violation: s.Violation}
	if to >= e.hi && !e.done {
		e.failed, e.done = e.fill(e.hi), true
	}
	return !e.done
}

// fill visits the models between the last one and c, where they move.
func (e *exactPath) fill(c float64) error {
	from := max(e.seen, e.lo)
	if e.moving == nil || e.done || !(c > from*(1+firstStep)) {
		return nil
	}
	e.seen = c
	return e.moving.fill(from, c)
}

// modelAt is the model at the beginning of a stretch, judged at c.
func (e *exactPath) modelAt(s *kernellp.Stretch, c float64) *learn.Result {
	r := &learn.Result{}
	alpha := make(map[int]float64)
	if e.from > 0 { // else f = ±1, whose Σ|α| is 0
		for k, v := range s.Support {
			alpha[e.row[v]] += e.y[v] * s.Coef[k] / s.From
		}
		r.Bias = s.Bias / s.From
	} else {
		r.Bias = e.larger()
	}
	for _, i := range e.problem.Rows() {
		if a := alpha[i]; a != 0 {
			r.Support = append(r.Support, i)
			r.Coef = append(r.Coef, a)
		}
	}
	var penalty float64
	for _, a := range r.Coef {
		penalty += math.Abs(a)
	}
	// Multipliers of C: those of the stretches before and after in the shares that make the sum's 1/C.
	share := 1.0
	if d := e.before.Sum - s.Sum; e.from > 0 && d > 0 {
		share = max(0, min(1, (e.before.Sum-1/c)/d))
	}
	dual := c * (share*s.Slope + (1-share)*e.before.Slope)
	if e.from == 0 { // in the share of the first stretch that its sum's multiplier allows
		dual = c * s.Slope
	}
	r.Report = learn.Report{Status: status.Optimal, Iterations: 1,
		Duality:     &learn.Duality{Objective: dual, KKT: c * max(s.Violation, e.before.Violation)},
		KernelEvals: e.k.KernelEvals()}
	r.Recomputed(e.ctx, e.problem, penalty, e.problem.Loss(e.ctx, &r.Expansion, learn.Hinge(1), c), learn.Hinge(1), c)
	r.Report.Settle(kernellp.OptimalGap, kernellp.OptimalViolation)
	r.Report.Figures = LinearFigures{Solves: 1, SVCounted: counted(r.Coef)}
	r.Report.Seconds.Solve = time.Since(e.begin).Seconds()
	return r
}

// larger is the side of the larger class.
func (e *exactPath) larger() float64 {
	var sum float64
	for _, i := range e.problem.Present() {
		sum += e.problem.Y[i] * e.problem.WeightOf(i)
	}
	if sum < 0 {
		return -1
	}
	return 1
}

// Where the bound α ≤ C of l1svm binds, costs and bounds of its program turn together with C, and a basis that is
// optimal for some C is so for a stretch of them ([kernellp.Solver.Steady]), on which α and b are linear in C. The
// path there is the models at both ends of such stretches.

// moving is the part of an exact path on which the model moves.
type moving struct {
	*exactPath
	program *kernellp.Training
	costs   kernellp.Costs
	weight  []float64 // of a variable's point, 0 for a vector that has no margin
	budget  *learn.Budget
}

// newMoving makes the solver of the programs with a ceiling, on the matrix of the path.
func newMoving(e *exactPath, weight []float64, budget *learn.Budget) *moving {
	own := &moving{exactPath: e, weight: weight, budget: budget}
	own.costs = kernellp.Costs{Margin: 1, Coef: make([]float64, len(e.coef))}
	for i, v := range e.coef {
		own.costs.Coef[i] = 1 + v // +Inf for what cannot be a vector
	}
	own.program = &kernellp.Training{Parameters: samples.Parameters{Method: e.Method},
		Merged: &samples.Merged{Loss: learn.Hinge(1), Y: e.y}, Samples: e.row, Problem: e.problem, Matrix: e.k}
	own.renew()
	return own
}

// renew begins with no rows in the program.
func (m *moving) renew() {
	m.program.LP = kernellp.New(m.k, m.y, make([]float64, len(m.y)), m.shape,
		kernellp.Options{Budget: m.budget, SiftFrom: len(m.y) + 1, Threads: m.problem.Threads})
}

// firstStep is the share of C by which the path goes on from the end of a stretch, and again four times as far each
// time where a basis is optimal for a moment only: several end there, or rounding hides where the next one begins.
// From visibleStep on these models are visited too.
const firstStep, visibleStep = 1e-11, 1e-9

// idle is the number of rows that may be in the program, besides as many again as there are vectors, before the path
// goes on with a new one.
const idle = 64

// fill visits the models between from and to.
func (m *moving) fill(from, to float64) error {
	for c, step := from, firstStep; c < to; {
		begin, err := m.solve(c)
		if err != nil || m.done {
			return err
		}
		by, err := m.program.LP.Steady(m.ctx, m.costs, m.weight, to-c)
		if err != nil {
			return m.failed(err)
		}
		moment := by <= step*c
		if !moment || step > visibleStep {
			m.show(c, begin)
		}
		if c += by; !moment && !m.done {
			end, err := m.solve(c)
			if err != nil || m.done {
				return err
			}
			m.show(c, end)
			step = firstStep
			if end.Rows > idle+2*kernellp.Nonzeros(end.A) { // rows join and never leave
				m.renew()
			}
		}
		if m.done {
			return nil
		}
		c += step * c
		step *= 4
	}
	return nil
}

// solve finds the model at c.
func (m *moving) solve(c float64) (*kernellp.Solution, error) {
	cost := make([]float64, len(m.weight))
	for i, w := range m.weight {
		cost[i] = c * w
	}
	if err := m.program.LP.SetCap(cost); err != nil {
		return nil, err
	}
	m.program.LP.SetCeiling(c)
	sol, err := m.program.LP.Solve(m.ctx, m.costs)
	switch {
	case err != nil:
		return nil, m.failed(err)
	case sol.Status.Limit():
		m.done = true
	case sol.Status != status.Optimal:
		return nil, fmt.Errorf("%s: the path along C ended at C = %v: %v", m.Method, c, sol.Status)
	}
	return sol, nil
}

// failed is err, or nothing where it is the context's: the models visited stand.
func (m *moving) failed(err error) error {
	if m.ctx.Err() != nil {
		m.done = true
		return nil
	}
	return err
}

// show visits the model at c.
func (m *moving) show(c float64, sol *kernellp.Solution) {
	m.program.C = c
	r := m.program.Result(m.ctx, sol)
	r.Report.Iterations, r.Report.InnerIterations = 1, sol.Iterations
	r.Report.Figures = LinearFigures{Solves: sol.Solves, WorkingRows: sol.Rows, SVCounted: counted(sol.A)}
	r.Report.Seconds.Solve = time.Since(m.begin).Seconds()
	m.done = !m.visit(c, c, r)
}

// bound is the least C at which a model keeps to the ceiling; −Inf without one.
func (l linear) bound(r *learn.Result) float64 {
	if l.shape.Ceiling > 0 {
		return dense.Largest(r.Coef)
	}
	return math.Inf(-1)
}
