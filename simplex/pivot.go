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

// stop is what ends the way of an entering variable.
type stop uint8

const (
	atBasic   stop = iota // a basic variable meets a bound: the pivot of the exchange can be trusted
	atOwn                 // it meets its own other bound
	atNothing             // nothing ends it
	atDoubt               // the pivot cannot be trusted
)

// approach finds what ends the way of an entering variable up (sign 1) or down (−1), after what step. A variable that
// stops at its own bound is there afterwards.
func (s *Solver) approach(entering int32, sign float64) (e exchange, step float64, pos stop) {
	e = s.enter(entering)
	e.leaving, step = s.primalRatio.choose(e.direction, sign)
	if own := s.program.upper[entering] - s.program.lower[entering]; own <= step {
		s.matrix.release(e.column)
		if math.IsInf(own, 1) {
			return e, own, atNothing
		}
		s.iterations++
		s.values.position[entering] = s.values.position[entering].opposite()
		s.values.place(int(entering))
		s.values.move(sign*own, e.direction)
		return e, own, atOwn
	}
	e.pivot = s.basis.element(e.direction, e.leaving)
	s.row.compute(e.leaving)
	if !s.trusts(e, 1e-7*s.basis.largest(e.direction)) {
		s.matrix.release(e.column)
		return e, step, atDoubt
	}
	s.iterations++
	return e, step, atBasic
}

// leavesTo returns the bound that the leaving variable meets when the entering one goes in the direction of sign.
func (e exchange) leavesTo(sign float64) Position {
	if sign*e.pivot > 0 {
		return AtLower
	}
	return AtUpper
}

// giveUp allows another choice than v: by a fresh inverse, or by excluding this variable.
func (s *Solver) giveUp(ctx context.Context, v int32, refactor func(context.Context)) {
	if s.basis.updates > 0 {
		refactor(ctx)
	} else {
		s.excluded.add(v)
	}
}

// trusts reports whether the pivot of e, computed once by column and once by row, can be trusted. With a fresh
// inverse there is none better to hope for: then small ones pass too, and those of which two digits agree. Rows that
// nearly are others' combinations have no better ones.
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

// accurate is the relative error of the basic solution and of the duals, found by a step of iterative refinement, up
// to which an inverse that has followed pivots is as good as a fresh one: the step takes the error's square.
const accurate = 1e-8

// renew recomputes values and reduced costs, with a fresh inverse where the present one has lost its accuracy.
func (s *Solver) renew(ctx context.Context) {
	s.violations.stale, s.attractive.stale = true, true
	s.values.compute()
	s.endRenewal(ctx, max(s.values.refine(), s.costs.compute()))
}

// renewCosts is renew for changed costs.
func (s *Solver) renewCosts(ctx context.Context) {
	s.attractive.stale = true
	s.endRenewal(ctx, s.costs.compute())
}

// endRenewal inverts the basis afresh where updates have cost it its accuracy, as the worst error found says. It admits
// all variables again.
func (s *Solver) endRenewal(ctx context.Context, worst float64) {
	if s.basis.updates > 0 && !(worst <= accurate) {
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

// exclusions are the variables that pricing leaves out until the next factorisation: their pivots were of no use.
type exclusions struct {
	out   []bool
	count int
}

func (e *exclusions) has(v int32) bool { return e.out[v] }

func (e *exclusions) add(v int32) {
	if !e.out[v] {
		e.out[v] = true
		e.count++
	}
}

func (e *exclusions) clear() {
	clear(e.out)
	e.count = 0
}
