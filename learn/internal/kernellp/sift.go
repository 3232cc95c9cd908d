package kernellp

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// Sifting (Bixby et al. 1992) solves a program over a few of its columns.
//
// Of many samples, few have margins near 1 at the optimum. Only the multipliers of these samples are between their
// bounds, so only they are columns of the program. The centre is the best model so far. It fixes every other
// multiplier, at the bound that the sample's margin has there: in effect the sample's hinge is replaced by one of its
// two lines. So the program's objective is a lower bound, which is close near the centre and may be far too low away
// from it. The new centre is the best model on the line from the old centre to the program's model. Samples whose
// margins cross 1 near it become columns. In the end no margin outside has crossed 1. Then the program's optimum is
// that of all samples, and so is the certificate.

// siftFrom is the number of samples from which on sifting is faster.
const siftFrom = 4096

// sift is the state of sifting.
type sift struct {
	solver         *Solver // of the whole program
	overCandidates bool    // only candidates may have coefficients, so that margins are many and rows few
	margin         float64
	sifted         *simplex.Solver   // the program of the columns and rows inside
	parts          []simplex.Columns // what joined together: a box of margins, or the limits of coefficients
	inside         []bool            // samples that are columns
	width          int               // number of these
	recosted       bool              // hinge costs have changed since the last solve
	history
	trusted
	centre expansion
	last   expansion // the model of the last solution
	diag   []float64 // of the kernel matrix; nil until it is needed
	stale  bool      // the outputs of last are incomplete
	paid   int64     // bytes taken from the budget
}

// history counts what happened to the program of sifting.
type history struct {
	narrowed   int // how often margins have left the program
	approached int // how often an interior-point method has moved the centre
}

// trusted bounds the coefficients of a program with few margins, whose objective is right near the centre only.
type trusted struct {
	limit   float64 // largest coefficient; without it the program might be unbounded
	limited bool    // the last solution has a coefficient or bias at its bound
	radius  float64 // largest distance of a coefficient, and of the bias, from the centre's
}

// expansion is a model with its outputs for all samples.
type expansion struct {
	a    []float64
	bias float64
	f    []float64 // Ka + bias
}

func newExpansion(n int) expansion { return expansion{a: make([]float64, n), f: make([]float64, n)} }

// sifts reports whether the program for p is to be sifted.
func (s *Solver) sifts(p Costs) bool {
	plain := s.shape.Edge == nil && !s.shape.SumToOne && !s.tight
	return len(s.y) >= s.opt.SiftFrom && plain && s.mx.scale == nil && s.unit == 0 && s.lp == nil && s.near == nil &&
		(s.sift == nil || s.sift.margin == p.Margin)
}

// siftBelow sifts a program that may have a ceiling, as if it had none. If no coefficient of the optimum exceeds the
// ceiling, this is also the optimum with the ceiling. Otherwise the solution is nil.
func (s *Solver) siftBelow(ctx context.Context, p Costs) (*Solution, error) {
	ceiling := s.shape.Ceiling
	s.shape.Ceiling = 0
	sol, err := s.solveSifted(ctx, p)
	s.shape.Ceiling = ceiling
	above := func(a float64) bool { return math.Abs(a) > ceiling }
	if ceiling > 0 && sol != nil && slices.ContainsFunc(sol.A, above) {
		s.forget()
		s.tight = true
		return nil, nil
	}
	return sol, err
}

// solveSifted is Solve by sifting. The solution is nil if sifting finds none.
func (s *Solver) solveSifted(ctx context.Context, p Costs) (*Solution, error) {
	if s.sift == nil {
		n := len(s.y)
		s.sift = &sift{solver: s, overCandidates: s.k.limited(), margin: p.Margin, inside: make([]bool, n), centre: newExpansion(n), last: newExpansion(n)}
		if err := s.sift.sample(ctx, p); err != nil {
			defer s.forget()
			s.sift.centre = newExpansion(n)
			return s.sift.ended(ctx, &Solution{}, p, err)
		}
	}
	sol, err := s.sift.solve(ctx, p)
	if sol == nil && err == nil {
		s.forget()
	}
	return sol, err
}

// forget removes all rows and multipliers.
func (s *Solver) forget() {
	s.sift, s.working = nil, nil
	clear(s.row)
	clear(s.m)
	clear(s.g)
}

// solve finds the optimum for p from the centre.
func (s *sift) solve(ctx context.Context, p Costs) (*Solution, error) {
	sol := &Solution{}
	if s.stale {
		if err := s.last.evaluate(ctx, s.solver.k); err != nil {
			return s.ended(ctx, sol, p, err)
		}
		s.stale = false
	}
	if err := s.centre.allow(ctx, s.solver.k, p); err != nil {
		return s.ended(ctx, sol, p, err)
	}
	for approached := false; ; {
		if s.solver.tired() {
			sol.Status = status.IterationLimit
			return s.solution(sol, p), nil
		}
		if !approached && s.crowded(p, sol.Iterations) {
			approached = true
			if err := s.approach(ctx, p, sol); err != nil {
				return s.ended(ctx, sol, p, err)
			}
		}
		if err := s.load(ctx, p); err != nil {
			return s.ended(ctx, sol, p, err)
		}
		res := s.sifted.Solve(ctx)
		s.solver.solved(sol)
		sol.Iterations += res.Iterations
		s.solver.pivots += res.Iterations
		sol.Status = res.Status
		switch {
		case res.Status.Limit():
			return s.solution(sol, p), nil
		case res.Status != status.Optimal && res.Status != status.Numerical:
			return nil, nil
		}
		if err := s.takeSolution(ctx, p, res); err != nil {
			return s.ended(ctx, sol, p, err)
		}
		grown, err := s.advance(ctx, p)
		switch {
		case err != nil:
			return s.ended(ctx, sol, p, err)
		case !grown:
			return s.found(ctx, sol, p)
		case sol.Solves == s.solver.opt.MaxSolves:
			sol.Status = status.IterationLimit
			return s.solution(sol, p), nil
		}
	}
}

// advance moves the centre, and adds the rows and margins that the last solution violates. It reports whether there
// were any. With candidates, a model with many wrong margins adds no rows, because it may be far from the optimum.
func (s *sift) advance(ctx context.Context, p Costs) (bool, error) {
	wrong := s.wrong()
	var rows []int
	if !s.overCandidates || wrong <= s.width/4 {
		var err error
		if rows, err = s.apart(ctx, s.solver.allViolated(p)); err != nil {
			return false, err
		}
	}
	t, crossings := s.search(p)
	if wrong == 0 && !s.limited {
		t = 1
	}
	grown := s.trust(t, wrong) || len(rows) > 0
	s.centre.towards(&s.last, t)
	if wrong > 0 {
		added, err := s.addColumns(ctx, crossings, t)
		if err != nil {
			return false, err
		}
		grown = grown || added
	}
	if len(rows) > 0 {
		return true, s.addRows(ctx, p, rows)
	}
	if !grown && s.limited {
		s.limit *= 16
		return true, s.sifted.SetCost(s.costs())
	}
	return grown, nil
}

// trust sets the radius of the next program. t is the share of the way to the last model that the centre moves. It
// reports whether the radius bounded the last model. Without candidates there is no radius: it made no program faster.
func (s *sift) trust(t float64, wrong int) (bounded bool) {
	if !s.overCandidates {
		return false
	}
	step := math.Abs(s.last.bias - s.centre.bias)
	for i, a := range s.centre.a {
		step = max(step, math.Abs(s.last.a[i]-a))
	}
	bounded = s.limited && step >= 0.999*s.radius
	switch {
	case wrong == 0 && bounded:
		s.radius = max(16*s.radius, 1e-3*s.limit)
	case wrong > 0 && t < 0.5 && step > 0:
		s.radius = max(2*t, 1.0/64) * step
	default:
		s.radius = max(s.radius, 4*step)
	}
	return bounded
}

// wrong counts the samples outside whose margins are on the other side of 1 than their multipliers assume.
func (s *sift) wrong() (n int) {
	for j, m := range s.solver.m {
		if s.inside[j] || s.solver.cap[j] == 0 {
			continue
		}
		if z := s.slack(s.last.f, j); m != 0 && z < -tolerance || m == 0 && z > tolerance {
			n++
		}
	}
	return n
}

// slack is how far sample j's margin is below its target for the outputs f.
func (s *sift) slack(f []float64, j int) float64 { return s.margin - s.solver.y[j]*f[j] }

// found returns the last model as the solution, with its outputs evaluated afresh.
func (s *sift) found(ctx context.Context, sol *Solution, p Costs) (*Solution, error) {
	if err := s.last.evaluate(ctx, s.solver.k); err != nil {
		return s.ended(ctx, sol, p, err)
	}
	s.centre.towards(&s.last, 1)
	return s.solution(sol, p), nil
}

// solution returns the centre as the solution.
func (s *sift) solution(sol *Solution, p Costs) *Solution {
	sol.A, sol.Bias, sol.Output = slices.Clone(s.centre.a), s.centre.bias, slices.Clone(s.centre.f)
	sol.M, sol.Rows, sol.Margins = slices.Clone(s.solver.m), len(s.solver.working), s.width
	return s.solver.conclude(sol, p)
}

// ended returns the centre as the solution if ctx has ended or the budget is spent, otherwise err.
func (s *sift) ended(ctx context.Context, sol *Solution, p Costs, err error) (*Solution, error) {
	switch {
	case ctx.Err() != nil:
		sol.Status = status.FromContext(ctx)
		s.stale = true
		clear(s.solver.m) // the sums g may be incomplete; zeros always agree
		clear(s.solver.g)
	case errors.As(err, new(*learn.BudgetError)):
		s.solver.spent, sol.Status = err, status.IterationLimit
	default:
		return nil, err
	}
	return s.solution(sol, p), nil
}

// allow removes the coefficients whose costs are infinite. After an error the model is unchanged.
func (c *expansion) allow(ctx context.Context, k Kernel, p Costs) error {
	var gone changes
	for i, a := range c.a {
		if math.IsInf(p.Coef[i], 1) {
			gone.add(i, -a)
		}
	}
	if len(gone.idx) > 0 {
		f := slices.Clone(c.f)
		if err := k.AddRows(ctx, f, gone.idx, gone.by); err != nil {
			return err
		}
		c.f = f
		for _, i := range gone.idx {
			c.a[i] = 0
		}
	}
	if math.IsInf(p.Bias, 1) {
		c.shift(-c.bias)
	}
	return nil
}

// shift adds to the bias.
func (c *expansion) shift(by float64) {
	if by == 0 {
		return
	}
	c.bias += by
	for j := range c.f {
		c.f[j] += by
	}
}

// evaluate computes the outputs afresh.
func (c *expansion) evaluate(ctx context.Context, k Kernel) error {
	idx, coef := Nonzero(c.a)
	for j := range c.f {
		c.f[j] = c.bias
	}
	return k.AddRows(ctx, c.f, idx, coef)
}

// towards moves the model by the share t of the way to another one.
func (c *expansion) towards(to *expansion, t float64) {
	if t == 1 {
		copy(c.a, to.a)
		copy(c.f, to.f)
		c.bias = to.bias
		return
	}
	c.bias += t * (to.bias - c.bias)
	for i, a := range c.a {
		if a != to.a[i] {
			c.a[i] += t * (to.a[i] - a)
		}
		c.f[i] += t * (to.f[i] - c.f[i])
	}
}

// search returns the share t of the way from the centre to the last solution at which the objective is least, and all
// crossings: of margins with 1, and, with the index −1, of coefficients with 0.
func (s *sift) search(p Costs) (t float64, crossings []samples.Crossing) {
	var slope float64
	for j := range s.solver.y {
		z, to := s.slack(s.centre.f, j), s.slack(s.last.f, j)
		d := to - z
		by := s.solver.cap[j] * math.Abs(d)
		if z > 0 || z == 0 && d > 0 {
			slope += s.solver.cap[j] * d
		}
		if (z > 0) != (to > 0) && d != 0 {
			if z == 0 { // counted in the slope
				by = 0
			}
			crossings = append(crossings, samples.Crossing{Share: z / -d, Index: j, Rise: by})
		}
	}
	size := func(a, to, cost float64) {
		d := to - a
		switch {
		case d == 0:
			return
		case a > 0 || a == 0 && d > 0:
			slope += cost * d
		default:
			slope -= cost * d
		}
		if a != 0 && (a > 0) != (to > 0) {
			crossings = append(crossings, samples.Crossing{Share: -a / d, Index: -1, Rise: 2 * cost * math.Abs(d)})
		}
	}
	for i, a := range s.centre.a {
		size(a, s.last.a[i], p.Coef[i])
	}
	size(s.centre.bias, s.last.bias, p.Bias)
	return samples.LineSearch(slope, 0, crossings), crossings
}

// sample trains on some samples, evenly spaced. Their model becomes the first centre, its vectors the working rows.
func (s *sift) sample(ctx context.Context, p Costs) error {
	size, from := s.sampled()
	idx := spaced(len(s.solver.y), size)
	margins := make(map[int]bool, size) // the other candidates have no losses
	for _, i := range idx {
		margins[i] = true
	}
	idx, some := s.solver.k.among(idx)
	y, hinge := make([]float64, len(idx)), make([]float64, len(idx))
	costs := Costs{Margin: p.Margin, Bias: p.Bias, Coef: make([]float64, len(idx))}
	all, part := dense.Sum(s.solver.cap), 0.0
	for r, i := range idx {
		if y[r], costs.Coef[r] = s.solver.y[i], p.Coef[i]; margins[i] {
			hinge[r] = s.solver.cap[i]
		}
		part += hinge[r]
	}
	if from > len(s.solver.y) {
		for r := range hinge {
			hinge[r] *= all / part
		}
	}
	opt := Options{SiftFrom: from, InteriorFrom: s.solver.opt.InteriorFrom, Threads: s.solver.opt.Threads}
	sample := New(some, y, hinge, s.solver.shape, opt)
	sample.brief = s.solver.brief
	sol, err := sample.Solve(ctx, costs)
	s.solver.pivots, s.solver.long = sample.pivots, sample.long
	some.Release()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	for r, i := range idx {
		if s.centre.a[i] = sol.A[r]; sol.A[r] != 0 {
			s.solver.working = append(s.solver.working, i)
			s.solver.row[i] = len(s.solver.working)
		}
	}
	s.centre.bias = sol.Bias
	return s.centre.evaluate(ctx, s.solver.k)
}

// sampled returns the number of samples for the first centre, and the number from which their program is sifted. With
// candidates it is an eighth of all, at their own costs: few margins are then between their model and the optimum. At
// eight times these costs their program would take longer than that of all samples.
func (s *sift) sampled() (size, from int) {
	n := len(s.solver.y)
	if size = n / 8; s.overCandidates && size > 2*firstWidth(n) {
		return size, s.solver.opt.SiftFrom
	}
	return firstWidth(n), 2*n + 1
}

// spaced returns size numbers below n, ascending, evenly spaced.
func spaced(n, size int) []int {
	idx := make([]int, size)
	for r := range idx {
		idx[r] = r * n / size
	}
	return idx
}
