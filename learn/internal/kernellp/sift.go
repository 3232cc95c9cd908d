package kernellp

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// Of many samples few margins are near 1 at the optimum, and only their multipliers are between the bounds. So only
// these are columns of the program (sifting, Bixby et al. 1992). The multipliers of all other samples are fixed at the
// bound that their margins have at the centre, the best model so far: the program's model is that of hinges of
// which most are one of their two lines. What it says of the objective is a lower bound, and away from the centre it
// may be far too low, so its model is no centre itself: the new one is the best between the old one and it. Samples
// whose margins cross 1 near there become columns. At the end no margin outside is on the other line than its own; then
// the program's optimum is that of all margins, and the certificate is the whole program's.

// siftFrom is the number of samples from which on sifting is faster.
const siftFrom = 4096

// sift is the state of sifting.
type sift struct {
	*Solver
	margin float64
	lp     *simplex.Solver
	parts  []simplex.Columns // of the program: *box for margins, *simplex.Sparse for limits of coefficients
	inside []bool            // samples that are columns
	width  int               // their number
	// narrowed is how often margins have left the program, and approached how often the centre has by interior points.
	narrowed, approached int
	moved                bool // the hinge prices were
	// limit is what a coefficient of a working row has at most: with few margins the model might have no bound.
	limit   float64
	limited bool // by the last solution
	// radius is how far from the centre's a coefficient of a working row and the bias may go: a program of few margins
	// knows the objective near the centre only.
	radius float64
	centre expansion
	last   expansion // of the last solution
	diag   []float64 // of the kernel matrix, as soon as it has been asked for
	stale  bool      // sums of last are half done
	paid   int64
}

// expansion is a model with its outputs for all samples.
type expansion struct {
	a    []float64
	bias float64
	f    []float64 // Ka + bias
}

func newExpansion(n int) expansion { return expansion{a: make([]float64, n), f: make([]float64, n)} }

// sifts reports whether the program for p is one that sifting is for.
func (s *Solver) sifts(p Costs) bool {
	plain := s.shape.Edge == nil && !s.shape.SumToOne && !s.tight
	return len(s.y) >= s.opt.SiftFrom && plain && s.mx.scale == nil && s.unit == 0 && s.lp == nil &&
		(s.sift == nil || s.sift.margin == p.Margin)
}

// siftBelow is solveSifting of a shape that may have a ceiling. Without it the program is sifted: where no coefficient
// of its optimum is above the ceiling, that is the optimum below it as well. A nil solution says that some is.
func (s *Solver) siftBelow(ctx context.Context, p Costs) (*Solution, error) {
	ceiling := s.shape.Ceiling
	s.shape.Ceiling = 0
	sol, err := s.solveSifting(ctx, p)
	s.shape.Ceiling = ceiling
	above := func(a float64) bool { return math.Abs(a) > ceiling }
	if ceiling > 0 && sol != nil && slices.ContainsFunc(sol.A, above) {
		s.forget()
		s.tight = true
		return nil, nil
	}
	return sol, err
}

// solveSifting is Solve by sifting; a nil solution says that it has none.
func (s *Solver) solveSifting(ctx context.Context, p Costs) (*Solution, error) {
	if s.sift == nil {
		n := len(s.y)
		s.sift = &sift{Solver: s, margin: p.Margin, inside: make([]bool, n), centre: newExpansion(n), last: newExpansion(n)}
		if err := s.sift.sample(ctx, p); err != nil {
			defer s.forget()
			s.sift.centre = newExpansion(n)
			return s.sift.ended(ctx, &Solution{}, p, err)
		}
	}
	sol, err := s.sift.solve(ctx, p)
	if sol == nil && err == nil { // all at once
		s.forget()
	}
	return sol, err
}

// forget goes back to the beginning.
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
		if err := s.last.evaluate(ctx, s.k); err != nil {
			return s.ended(ctx, sol, p, err)
		}
		s.stale = false
	}
	if err := s.centre.allow(ctx, s.k, p); err != nil {
		return s.ended(ctx, sol, p, err)
	}
	for approached := false; ; {
		if !approached && s.crowded(p, sol.Iterations) {
			approached = true
			if err := s.approach(ctx, p, sol); err != nil {
				return s.ended(ctx, sol, p, err)
			}
		}
		if err := s.load(ctx, p); err != nil {
			return s.ended(ctx, sol, p, err)
		}
		res := s.lp.Solve(ctx)
		sol.Solves++
		sol.Iterations += res.Iterations
		sol.Status = res.Status
		switch {
		case res.Status.Limit():
			return s.solution(sol, p), nil
		case res.Status != status.Optimal && res.Status != status.Numerical:
			return nil, nil
		}
		if err := s.move(ctx, p, res); err != nil {
			return s.ended(ctx, sol, p, err)
		}
		grown, err := s.advance(ctx, p)
		switch {
		case err != nil:
			return s.ended(ctx, sol, p, err)
		case !grown:
			return s.found(ctx, sol, p)
		case sol.Solves == s.opt.MaxSolves:
			sol.Status = status.IterationLimit
			return s.solution(sol, p), nil
		}
	}
}

// advance moves the centre and enlarges the program by what the last solution does not hold for. It reports whether
// there was anything. Over candidates, whose margins are many, a model that is far off has no say in what rows are
// missing.
func (s *sift) advance(ctx context.Context, p Costs) (bool, error) {
	wrong := s.wrong()
	var rows []int
	if s.few == nil || wrong <= s.width/4 {
		var err error
		if rows, err = s.apart(ctx, s.allViolated(p)); err != nil {
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
		return true, s.lp.SetCost(s.costs())
	}
	return grown, nil
}

// trust sets how far from the centre the next program's model may go, by the share t of the way to the last one that
// the centre goes. It reports whether the last one was held back by that. With all samples as vectors no program was
// solved faster so.
func (s *sift) trust(t float64, wrong int) (held bool) {
	if s.few == nil {
		return false
	}
	step := math.Abs(s.last.bias - s.centre.bias)
	for i, a := range s.centre.a {
		step = max(step, math.Abs(s.last.a[i]-a))
	}
	held = s.limited && step >= 0.999*s.radius
	switch {
	case wrong == 0 && held:
		s.radius = max(16*s.radius, 1e-3*s.limit)
	case wrong > 0 && t < 0.5 && step > 0:
		s.radius = max(2*t, 1.0/64) * step
	default:
		s.radius = max(s.radius, 4*step)
	}
	return held
}

// wrong is the number of samples whose margins are on the other side of 1 than their multipliers say.
func (s *sift) wrong() (n int) {
	for j, m := range s.m {
		if s.inside[j] || s.cap[j] == 0 {
			continue
		}
		if z := s.slack(s.last.f, j); m != 0 && z < -s.opt.Tolerance || m == 0 && z > s.opt.Tolerance {
			n++
		}
	}
	return n
}

// slack is what sample j's margin lacks at the outputs f.
func (s *sift) slack(f []float64, j int) float64 { return s.margin - s.y[j]*f[j] }

// found makes the solution of the last model.
func (s *sift) found(ctx context.Context, sol *Solution, p Costs) (*Solution, error) {
	if err := s.last.evaluate(ctx, s.k); err != nil {
		return s.ended(ctx, sol, p, err)
	}
	s.centre.towards(&s.last, 1)
	return s.solution(sol, p), nil
}

// solution makes one of the centre.
func (s *sift) solution(sol *Solution, p Costs) *Solution {
	sol.A, sol.Bias, sol.Output = slices.Clone(s.centre.a), s.centre.bias, slices.Clone(s.centre.f)
	sol.M, sol.Rows, sol.Margins = slices.Clone(s.m), len(s.working), s.width
	return s.conclude(sol, p)
}

// ended is what an error leaves: the centre, for that of the context and of the budget.
func (s *sift) ended(ctx context.Context, sol *Solution, p Costs, err error) (*Solution, error) {
	switch {
	case ctx.Err() != nil:
		sol.Status = status.FromContext(ctx)
		s.stale = true
		clear(s.m) // sums may be half done; zeros are right without any
		clear(s.g)
	case errors.As(err, new(*learn.BudgetError)):
		s.spent, sol.Status = err, status.IterationLimit
	default:
		return nil, err
	}
	return s.solution(sol, p), nil
}

// allow takes coefficients whose price is infinite out of the model, which stays what it is after an error.
func (c *expansion) allow(ctx context.Context, k Kernel, p Costs) error {
	var idx []int
	var by []float64
	for i, a := range c.a {
		if a != 0 && math.IsInf(p.Coef[i], 1) {
			idx, by = append(idx, i), append(by, -a)
		}
	}
	if len(idx) > 0 {
		f := slices.Clone(c.f)
		if err := k.AddRows(ctx, f, idx, by); err != nil {
			return err
		}
		c.f = f
		for _, i := range idx {
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

// evaluate makes f anew.
func (c *expansion) evaluate(ctx context.Context, k Kernel) error {
	var idx []int
	var by []float64
	for i, a := range c.a {
		if a != 0 {
			idx, by = append(idx, i), append(by, a)
		}
	}
	for j := range c.f {
		c.f[j] = c.bias
	}
	return k.AddRows(ctx, c.f, idx, by)
}

// towards moves the model the share t of the way to the other.
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
