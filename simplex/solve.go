package simplex

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/status"
)

// Limits on how often the two methods take turns; perturbations end with the first of them.
const (
	perturbedTurns = 8
	maxTurns       = 24
)

// Solve finds an optimum, or what stands in its way, from the present basis. The
// result's vectors belong to the caller. Solving again goes on where a limit stopped it.
func (s *Solver) Solve(ctx context.Context) *Result {
	s.begin()
	return s.result(s.run(ctx))
}

// begin readies the working program for the present bounds, costs and basis.
func (s *Solver) begin() {
	s.iter, s.maxIter = 0, s.opt.MaxIter
	if s.maxIter == 0 {
		s.maxIter = 100*(s.mx.n+s.mx.m) + 10000
	}
	s.farkas, s.ray = nil, nil
	s.noPerturbation = false
	s.rng = nil
	s.trueBounds()
	s.trueCosts()
	if !s.loaded {
		s.load()
	}
	clear(s.skipped)
	s.skips = 0
	s.settle()
	if s.cold {
		s.enterFree()
	}
	s.computeValues()
	s.computeReducedCosts()
}

// run lets the primal and the dual method take turns: whichever has the other's
// feasibility to start from. Each turn can end with perturbations to remove, which the next repairs.
func (s *Solver) run(ctx context.Context) status.Status {
	var stop status.Status
	idle := 0 // turns in a row without a pivot
	for turn := 0; turn < maxTurns && idle < 3; turn++ {
		before := s.iter
		s.noPerturbation = turn >= perturbedTurns
		useDual := s.wantsDual(turn == 0)
		s.cold = false
		if useDual {
			s.makeDualFeasible()
			switch s.dual(ctx, &stop) {
			case stopped:
				s.cleanUp()
				return stop
			case noSolution:
				return status.Infeasible
			}
		} else if !s.dualFeasible() {
			switch s.primal(ctx, &stop) {
			case stopped:
				s.cleanUp()
				return stop
			case noSolution:
				if !s.perturbed {
					return status.Unbounded
				}
			}
		}
		if s.cleanUp() {
			return status.Optimal
		}
		idle++
		if s.iter > before {
			idle = 0
		}
	}
	return status.Numerical
}

// wantsDual chooses the method for a turn.
func (s *Solver) wantsDual(first bool) bool {
	if !s.primalFeasible() {
		return true
	}
	switch {
	case !first:
		return false
	case s.opt.Method == Dual:
		return true
	case s.opt.Method == Primal || !s.cold:
		return false
	}
	return s.flipsSuffice()
}

// flipsSuffice reports whether the basis is dual feasible once boxed variables rest on the right bounds.
func (s *Solver) flipsSuffice() bool {
	for v := range s.pos {
		if s.dualViolation(v) > 0 && (math.IsInf(s.wlo[v], -1) || math.IsInf(s.wup[v], 1)) {
			return false
		}
	}
	return true
}

// cleanUp removes perturbations and shifts, recomputes everything afresh and reports whether the
// basis is optimal for the true program.
func (s *Solver) cleanUp() bool {
	if s.perturbed || s.shifted || s.b.updates > 0 {
		s.trueBounds()
		s.trueCosts()
		for v, p := range s.pos {
			if p != Basic {
				s.place(v)
			}
		}
		s.refactor()
	}
	s.refineValues()
	return s.primalFeasible() && s.dualFeasible()
}

// limit reports whether a limit is reached.
func (s *Solver) limit(ctx context.Context) status.Status {
	if s.iter >= s.maxIter {
		return status.IterationLimit
	}
	return status.FromContext(ctx)
}

// enterFree makes free columns basic, each in the row of the slack basis that
// violates its bound most per unit of the column and lets the column's dual have
// the right sign: free variables that start outside the basis would need
// artificial bounds.
func (s *Solver) enterFree() {
	for j := range s.mx.n {
		if s.pos[j] != AtZero {
			continue
		}
		s.computeValues()
		s.computeReducedCosts()
		c := s.mx.load(int32(j))
		s.pivotColumn(c)
		p := s.rowForFree(j)
		if p < 0 {
			s.mx.release(c)
			continue
		}
		pivot := s.entry(p, s.col, s.cols)
		w := s.b.btranUnit(p, &s.rho, s.w)
		s.b.replace(int32(j), p, c, s.cols, w, pivot)
		s.pos[j], s.pos[p] = Basic, AtLower
		if x := s.x[p]; math.IsInf(s.wlo[p], -1) || x-s.wup[p] > s.wlo[p]-x {
			s.pos[p] = AtUpper
		}
		s.pos[p] = s.rest(int(p), s.pos[p])
		s.place(int(p))
		s.x[j] = 0
	}
}

// rowForFree returns the basic logical for free column j to replace, −1 if none will do.
func (s *Solver) rowForFree(j int) (p int32) {
	p = -1
	large := 0.1 * s.largest()
	var most float64
	best := math.Inf(-1)
	for r, a := range s.col {
		v := s.b.cover[r]
		if math.Abs(a) <= max(large, 1e-6) || v < int32(s.mx.n) {
			continue
		}
		lo, up, x := s.wlo[v], s.wup[v], s.x[v]
		if math.IsInf(lo, -1) && math.IsInf(up, 1) {
			continue
		}
		// After the pivot the logical's reduced cost is −d_j/a.
		dv := -s.d[j] / a
		if (dv > 0 && math.IsInf(lo, -1)) || (dv < 0 && math.IsInf(up, 1)) {
			continue
		}
		score := max(lo-x, x-up) / math.Abs(a)
		if score > best || (score == best && math.Abs(a) > most) {
			best, most, p = score, math.Abs(a), v
		}
	}
	return p
}
