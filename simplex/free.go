package simplex

import (
	"context"
	"math"
	"slices"
)

// enterFree makes free columns basic, each in the row of the slack basis that violates its bound most per unit of the
// column and lets the column's dual have the right sign: free variables that start outside the basis would need
// artificial bounds in the dual method. A sparse program that is primal feasible already needs none: the primal
// method lets in those that it has use for, in bases that are still mostly logicals.
func (s *Solver) enterFree(ctx context.Context) {
	free := s.values.position[:s.matrix.n]
	if !slices.Contains(free, AtZero) {
		return
	}
	s.values.compute()
	if s.basis.sparse() && s.values.feasible() {
		return
	}
	s.costs.compute()
	for j, p := range free {
		if p != AtZero {
			continue
		}
		if s.basis.worn() {
			if s.refactor(ctx); s.basis.broken {
				return
			}
		}
		e := s.enter(int32(j))
		if s.basis.updates > 0 {
			s.costs.d[j] = s.program.cost[j] - e.column.dot(s.costs.y)
		}
		e.leaving = s.rowForFree(e)
		if e.leaving < 0 {
			s.matrix.release(e.column)
			continue
		}
		e.pivot = s.basis.element(e.direction, e.leaving)
		s.basis.btranUnit(e.leaving, e.row)
		s.costs.turn(e)
		to := s.nearerBound(e.leaving)
		bound := bounded(to, s.program.lower[e.leaving], s.program.upper[e.leaving])
		s.pivot(e, (s.values.x[e.leaving]-bound)/e.pivot, to)
	}
}

// nearerBound returns the position of the bound that x_v violates most or is closest to.
func (s *Solver) nearerBound(v int32) Position {
	x, lower, upper := s.values.x[v], s.program.lower[v], s.program.upper[v]
	if math.IsInf(lower, -1) || x-upper > lower-x {
		return s.program.rest(int(v), AtUpper)
	}
	return s.program.rest(int(v), AtLower)
}

// rowForFree returns the basic logical for the free column of e to replace, −1 if none will do.
func (s *Solver) rowForFree(e exchange) (logical int32) {
	logical = -1
	smallest := max(0.1*s.basis.largest(e.direction), 1e-6)
	var most float64
	best := math.Inf(-1)
	for r, a := range e.direction.covered {
		v := s.basis.cover[r]
		if math.Abs(a) <= smallest {
			continue
		}
		lower, upper, x := s.program.lower[v], s.program.upper[v], s.values.x[v]
		if math.IsInf(lower, -1) && math.IsInf(upper, 1) { // a free row, or a free column that has entered
			continue
		}
		// After the pivot the logical's reduced cost is −d_j/a.
		d := -s.costs.d[e.entering] / a
		if (d > 0 && math.IsInf(lower, -1)) || (d < 0 && math.IsInf(upper, 1)) {
			continue
		}
		score := max(lower-x, x-upper) / math.Abs(a)
		if score > best || (score == best && math.Abs(a) > most) {
			best, most, logical = score, math.Abs(a), v
		}
	}
	return logical
}
