package qp

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// path is a walk along t: the program at t = 0 and its rates, with the derivatives of x and of the multipliers.
type path struct {
	*Solver
	at0         []float64 // vectors at t = 0
	rates       numbers
	t, end      float64
	slope, dual []float64
	from        float64   // the beginning of the segment
	x           []float64 // there
	result      Result    // of the last point that was certified
	solves      int
	restarted   struct {
		t     float64
		times int
	}
}

// Parametric follows the optima of the program whose vectors have these rates, for t from 0 to until, exactly from one
// active set to the next (Best, 1996). visit gets each segment, certified at both ends, and returns false to stop. The
// program is then that at T. Q must be definite.
func (s *Solver) Parametric(ctx context.Context, rates simplex.Rates, until float64,
	visit func(simplex.Segment) bool) (simplex.PathEnd, error) {
	if len(s.proximal.d) > 0 {
		return simplex.PathEnd{}, invalid("paths want a definite Q")
	}
	if !(until >= 0) || math.IsInf(until, 1) {
		return simplex.PathEnd{}, invalid("path to %v, want a finite t that is not negative", until)
	}
	p := &path{Solver: s, end: until, slope: make([]float64, s.problem.n), dual: make([]float64, s.problem.n),
		x: make([]float64, s.problem.n)}
	p.restarted.t = -1
	if err := p.copies(rates); err != nil {
		return simplex.PathEnd{}, err
	}
	r := &p.result
	p.solves++
	s.SolveInto(ctx, r)
	if r.Status != status.Optimal {
		return simplex.PathEnd{Status: r.Status, Iterations: r.Iterations, Solves: 1}, nil
	}
	st := p.walk(ctx, visit)
	s.problem.weigh()
	return simplex.PathEnd{Status: st, T: p.t, Iterations: s.counts.iterations, Solves: p.solves}, nil
}

// copies keeps the program at t = 0, and the rates as vectors of full length.
func (p *path) copies(rates simplex.Rates) error {
	q := p.problem
	p.at0, p.rates = slices.Clone(q.all), newNumbers(make(slab, len(q.all)), q.n, q.m)
	names := [...]string{"C", "Lo", "Up", "RowLo", "RowUp"}
	for k, given := range [...][]float64{rates.C, rates.Lo, rates.Up, rates.RowLo, rates.RowUp} {
		to, values := p.rates.each()[k], q.each()[k]
		if given != nil && len(given) != len(values) {
			return invalid("%d rates of %s, want %d", len(given), names[k], len(values))
		}
		for i, e := range given {
			if !finite(e) {
				return invalid("rate %d of %s is %v", i, names[k], e)
			}
			if !math.IsInf(values[i], 0) {
				to[i] = e
			}
		}
	}
	return nil
}

// X implements [simplex.Optimum].
func (p *path) X(x, rates []float64) {
	copy(x, p.x)
	copy(rates, p.slope)
}

// At implements [simplex.Optimum].
func (p *path) At(j int) float64 { return p.x[j] }

// Duals implements [simplex.Optimum].
func (p *path) Duals(y, rates []float64) {
	clear(y)
	clear(rates)
	for k, c := range p.active.which {
		if int(c) < p.problem.m {
			y[c], rates[c] = p.active.dual[k]-(p.t-p.from)*p.dual[k], p.dual[k]
		}
	}
}

// walk goes from event to event: a constraint is met, or a multiplier has become 0. A segment is visited once the
// active set is certified at both of its ends, which proves it in between: all that it meets is linear in t.
func (p *path) walk(ctx context.Context, visit func(simplex.Segment) bool) status.Status {
	for idle := 0; ; {
		switch {
		case p.counts.iterations >= p.counts.limit || idle > 10*(p.problem.n+p.problem.m)+100:
			return status.IterationLimit
		case ctx.Err() != nil:
			return status.FromContext(ctx)
		}
		p.derivatives()
		to, which, side := p.event()
		p.from = p.t
		copy(p.x, p.Solver.x)
		inside := endShare * (to - p.from)
		if inside > endShare*endShare*p.end && !(p.certified(p.from+inside) && p.certified(to-inside)) {
			if p.move(p.from); !p.restartBeyond(ctx) {
				return status.Numerical
			}
			idle++
			continue
		}
		p.move(to)
		if to-p.from > longSegment*p.end { // whose ends are more exact than the derivative
			for j, x := range p.Solver.x {
				p.slope[j] = (x - p.x[j]) / (to - p.from)
			}
		}
		if idle++; to > p.from {
			idle = 0
			if !visit(simplex.Segment{From: p.from, To: to, Optimum: p}) {
				return status.Optimal
			}
		}
		if which < 0 {
			return status.Optimal
		}
		if l := p.positions[which]; l >= 0 {
			p.active.dual[l] = 0
			p.drop(int(l))
			continue
		}
		if lo, up := p.problem.bounds(which); lo > up {
			return status.Infeasible
		}
		if st := p.enter(ctx, which, side, 0); st != status.Optimal {
			return st
		}
	}
}

// longSegment is the share of the path from which on a slope is a difference.
const longSegment = 1e-6

// endShare is the share of a segment that its ends are moved inwards by to be certified: t is rounded.
const endShare = 1e-8

// certified reports whether x and the multipliers of the active set are optimal for the program at t.
func (p *path) certified(t float64) bool {
	p.move(t)
	if p.report(&p.result) <= p.opt.Tolerance {
		return true
	}
	p.polish(&p.result)
	return p.result.worst() <= p.opt.Tolerance
}

// beyond are the distances, by the length of the path, at which an active set is looked for where one proves wrong.
var beyond = [...]float64{1e-9, 1e-7, 1e-5, 1e-3}

// restartBeyond takes the active set of a program somewhat beyond t, further away each time that it is asked for at
// this t, and reports whether there is one.
func (p *path) restartBeyond(ctx context.Context) bool {
	t, counts := p.t, p.counts
	if t != p.restarted.t {
		p.restarted.t, p.restarted.times = t, 0
	}
	for p.restarted.times < len(beyond) {
		p.set(min(t+beyond[p.restarted.times]*p.end, p.end))
		p.restarted.times++
		p.problem.weigh()
		p.solves++
		p.SolveInto(ctx, &p.result)
		counts.iterations += p.counts.iterations
		p.counts = counts
		if p.move(t); p.result.Status == status.Optimal {
			return true
		}
	}
	return false
}

// derivatives sets those of x and of the multipliers by t: with the rates g of c and b of the active bounds, y = R⁻ᵀb,
// they are J₁y − J₂J₂ᵀg and R⁻¹(y + J₁ᵀg).
func (p *path) derivatives() {
	f, y := &p.factors, p.scratch.w
	f.project(p.rates.c)
	for k, c := range p.active.which {
		lo, up := p.rates.bounds(int(c))
		y[k] = endOf(p.active.side[k], lo, up)
	}
	f.solveTransposed(y[:f.q])
	for k := range f.n {
		if k < f.q {
			p.dual[k] = y[k] + f.d[k]
		} else {
			y[k] = -f.d[k]
		}
	}
	f.solve(p.dual[:f.q])
	clear(p.slope)
	dense.AddRows(p.slope, y[:f.n], f.jt, f.ld)
}

// event returns the t of the next one, and its constraint, −1 at the end.
func (p *path) event() (to float64, which int, side float64) {
	to, which = p.end, -1
	meet := func(c int, slack, rate, end float64) {
		if t := p.t + max(slack, 0)/-rate; rate < 0 && t < to {
			to, which, side = t, c, end
		}
	}
	const least = 1e-11 // of the sizes of its terms
	speed := norm(p.slope)
	n := p.problem.n
	dense.MulVec(p.ax, p.problem.a, n, p.Solver.x)
	dense.MulVec(p.scratch.m, p.problem.a, n, p.slope)
	for c := range p.positions {
		lo, up := p.problem.bounds(c)
		rateLo, rateUp := p.rates.bounds(c)
		if l := p.positions[c]; l >= 0 {
			u := p.active.dual[l] * p.active.side[l]
			if rate := p.dual[l] * p.active.side[l]; lo < up && rate < -1e-13*dense.Largest(p.dual[:p.factors.q]) {
				meet(c, u, rate, 0)
			}
			continue
		}
		x, rate := 0.0, 0.0
		if c < p.problem.m {
			x, rate = p.ax[c], p.scratch.m[c]
		} else {
			x, rate = p.Solver.x[c-p.problem.m], p.slope[c-p.problem.m]
		}
		if own := least * (speed*p.problem.normOf(c) + math.Abs(rateLo)); rate-rateLo < -own {
			meet(c, x-lo, rate-rateLo, 1)
		}
		if own := least * (speed*p.problem.normOf(c) + math.Abs(rateUp)); rateUp-rate < -own {
			meet(c, up-x, rateUp-rate, -1)
		}
	}
	return to, which, side
}

// move makes the program that at t, and computes x and the multipliers of its active set afresh.
func (p *path) move(t float64) {
	p.set(t)
	p.refine()
	p.refine() // the first one moved x
}

// set makes the program that at t.
func (p *path) set(t float64) {
	p.t = t
	for i, rate := range p.rates.all {
		p.problem.all[i] = p.at0[i] + t*rate
	}
}
