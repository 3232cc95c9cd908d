package simplex

import (
	"context"
	"math"
)

// enter begins an exchange: it loads the entering variable's column and computes
// its direction, the pivot column. The column is released, or taken by pivot.
func (s *Solver) enter(v int32) exchange {
	e := s.load(v)
	s.basis.ftran(e.direction)
	return e
}

// load is enter with the column itself instead of the direction.
func (s *Solver) load(v int32) exchange {
	c := s.matrix.load(v)
	s.direction.clear()
	s.direction.add(c, 1)
	return exchange{entering: v, column: c, direction: s.direction, row: &s.row.inverse}
}

// trusts reports whether the pivot of e, computed once by column and once by row,
// can be trusted. With a fresh inverse there is none better to hope for: then small
// ones pass too, and those of which two digits agree. Rows that nearly are others'
// combinations have no better ones.
func (s *Solver) trusts(e exchange, small float64) bool {
	size, apart := math.Abs(e.pivot), math.Abs(e.pivot-s.row.entry[e.entering])
	if s.basis.updates > 0 {
		return apart <= 1e-7*(1+size) && size >= small
	}
	return apart <= 1e-2*size && size >= s.program.pivotZero
}

// pivot moves the entering variable by step, rests the leaving one and changes the basis.
func (s *Solver) pivot(e exchange, step float64, leavingTo Position) {
	s.values.move(step, e.direction)
	s.values.x[e.entering] += step
	s.values.position[e.entering], s.values.position[e.leaving] = Basic, leavingTo
	s.values.place(int(e.leaving))
	s.basis.replace(e)
	if rows := s.matrix.byRow; rows != nil {
		rows.exchange(s.matrix, e.entering, e.leaving)
	}
}

// accurate is the relative error of the basic solution and of the duals, found by a step of iterative
// refinement, up to which an inverse that has followed pivots is as good as a fresh one: the
// step takes the error's square.
const accurate = 1e-8

// renew recomputes values and reduced costs, with a fresh inverse where the present one has lost its accuracy.
func (s *Solver) renew(ctx context.Context) {
	s.violations.stale, s.attractive.stale = true, true
	s.values.compute()
	x, y := s.values.refine(), s.costs.compute()
	if s.basis.updates > 0 && !(max(x, y) <= accurate) {
		s.refactor(ctx)
	}
	s.excluded.clear()
}

// regroup tells the copy of a sparse program's matrix by rows what is basic now.
func (s *Solver) regroup() {
	if s.matrix.sparse() {
		s.matrix.byRow.regroup(s.values.position)
	}
}

// refactor inverts the basis afresh and recomputes values and reduced costs; they stay as they
// are where ctx ends before.
func (s *Solver) refactor(ctx context.Context) {
	if s.basis.factor(ctx, s.values.position) {
		s.repairs++
		s.dualWeights.valid = false
		s.values.settle()
		s.regroup()
	}
	s.excluded.clear()
	s.violations.stale, s.attractive.stale = true, true
	if s.basis.broken {
		s.loaded = false
		return
	}
	s.values.compute()
	s.costs.compute()
}
