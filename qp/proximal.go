package qp

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// proximalShare is the proximal term by the diagonal of Q: with it few steps are needed.
const proximalShare = 1e-8

// proximalLimit is the largest number of proximal steps, and idleLimit that of steps without progress.
const (
	proximalLimit = 100
	idleLimit     = 10
)

// proximal is the term ½(x−x̄)ᵀD(x−x̄) that makes a semidefinite program definite; d is empty if Q is definite.
type proximal struct {
	d, centre, c []float64 // D's diagonal, x̄, and c − Dx̄
	ray          []float64
	feasible     []float64 // an x that a linear program has found; empty before
	steps        int
}

func (s *Solver) newProximal() {
	n := s.problem.n
	memory := make(slab, 4*n)
	s.proximal = proximal{d: memory.take(n), centre: memory.take(n), c: memory.take(n), ray: memory.take(n)}
	s.problem.damp(s.proximal.d, proximalShare)
}

// approach solves a program whose Q is only semidefinite: it goes from one proximal step to the next until they have
// reached an optimum, or get nowhere. Where the objective hardly curves along a step, the next one starts where it ends
// to fall.
func (s *Solver) approach(ctx context.Context, r *Result) status.Status {
	x := &s.proximal
	clear(x.centre) // whatever was solved before: of many optima, the one near 0
	before, lowest, idle := inf, inf, 0
	for range proximalLimit {
		x.steps++
		for j, c := range s.problem.c {
			x.c[j] = c - x.d[j]*x.centre[j]
		}
		if st := s.proved(ctx, r, func() bool { return true }); st != status.Optimal {
			return st
		}
		copy(x.ray, s.x)
		dense.Axpy(-1, x.centre, x.ray)
		copy(x.centre, s.x)
		if s.polish(r); r.worst() <= min(polished, s.opt.Tolerance) {
			return status.Optimal
		}
		worst := r.worst()
		s.strict = idle > 1
		if falling := r.Objective < lowest-progress*math.Abs(lowest); falling {
			lowest, idle = r.Objective, 0
		} else if worst > before/2 {
			idle++
			if worst <= s.opt.Tolerance {
				return status.Optimal
			}
		}
		if idle == idleLimit {
			break
		}
		before = min(before, worst)
		length, endless := s.falls()
		if endless && s.unbounded(r, true, true) {
			return status.Unbounded
		}
		if length > 1 && !math.IsInf(length, 1) {
			dense.Axpy(length, x.ray, x.centre)
		}
	}
	if r.worst() <= s.opt.Tolerance {
		return status.Optimal
	}
	return status.Numerical
}

// progress is the share of the objective by which it must fall for steps not to be idle.
const progress = 1e-13

// falls is how many times the ray fits from the centre on until a bound stops it, or the objective falls no longer. It
// is endless where no bound stops it and nothing but roundings of Q curves along it.
func (s *Solver) falls() (length float64, endless bool) {
	p, x, n := s.problem, &s.proximal, s.problem.n
	longest := dense.Largest(x.ray)
	for j, v := range x.ray {
		if math.Abs(v) <= steady*longest {
			x.ray[j] = 0
		}
	}
	var slope, curve dense.Doubled
	quantity := 0.0
	for j, v := range x.ray {
		q := p.q[j*n:][:n]
		quantity += p.roots[j] * math.Abs(v)
		g := dotDoubled(q, x.centre)
		g.Add(p.c[j])
		slope.AddProduct(v, g)
		curve.AddProduct(v, dotDoubled(q, x.ray))
	}
	fall := -slope.Value()
	if !(fall > 0) {
		return 0, false
	}
	length = inf
	for c := range s.positions {
		value, rate := 0.0, 0.0
		if c < p.m {
			a := p.a[c*n:][:n]
			value, rate = dense.Dot(a, x.centre), dotDoubled(a, x.ray).Value()
		} else {
			value, rate = x.centre[c-p.m], x.ray[c-p.m]
		}
		lo, up := p.bounds(c)
		slack := up - value
		if rate < 0 {
			slack = value - lo
		}
		smallest := steady
		if s.positions[c] >= 0 {
			smallest = steadyActive
		}
		if math.Abs(rate) > smallest*longest*p.normOf(c) {
			length = min(length, max(slack, 0)/math.Abs(rate))
		}
	}
	k := curve.Value()
	endless = math.IsInf(length, 1) && (k*endlessLength <= fall || k <= noCurvature*quantity*quantity)
	if k > 0 {
		length = min(length, fall/k)
	}
	return length, endless
}

// steady is the change of a constraint along a ray, relative to the longest component, that is a rounding error;
// steadyActive that of a constraint that is active at both ends of the ray.
const (
	steady       = 1e-13
	steadyActive = 1e-7
)

// unbounded reports whether the last proximal step is a ray, and x feasible, and sets r to them.
// A centre near which x is feasible only by the size of its terms does not count.
// Its factors straighten the ray, if they are those of the active set: they take out what curves, and what leaves the
// active constraints.
func (s *Solver) unbounded(r *Result, straighten, near bool) bool {
	ray, p := s.proximal.ray, s.problem
	for range 3 {
		largest := dense.Largest(ray)
		if !(largest > 0) || math.IsInf(largest, 0) || !(dense.Dot(p.c, ray) < 0) {
			return false
		}
		for j, v := range ray {
			if ray[j] = v / largest; math.Abs(ray[j]) <= shortComponent {
				ray[j] = 0
			}
		}
		if p.checkRay(ray) == nil || !straighten {
			break
		}
		for j := range ray {
			s.scratch.n[j] = -dotDoubled(p.q[j*p.n:][:p.n], ray).Value()
		}
		for k, q := range s.active.which {
			if j := int(q) - p.m; j >= 0 {
				s.scratch.w[k] = -ray[j]
			} else {
				s.scratch.w[k] = -dotDoubled(p.a[int(q)*p.n:][:p.n], ray).Value()
			}
		}
		s.correct(ray)
	}
	if p.checkRay(ray) != nil {
		return false
	}
	s.keep()
	copy(s.x, s.proximal.centre)
	s.low.used = false
	if s.report(r); !(r.PrimalResidual <= s.opt.Tolerance) || near && (r.PrimalResidual > polished || p.excused) {
		s.putBack(r)
		return false
	}
	r.Ray = resized(r.Ray, s.problem.n)
	copy(r.Ray, ray)
	return true
}

// shortComponent is the share of a ray's largest component below which one counts as 0.
const shortComponent = 1e-12
