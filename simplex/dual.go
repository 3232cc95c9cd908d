package simplex

import (
	"context"

	"github.com/sparsekm/sparsekm/status"
)

// dual runs the dual simplex method from dual feasible working costs. It ends
// Optimal when no basic variable is beyond its bounds, Infeasible with a Farkas ray,
// Numerical when no acceptable pivot is left, or with the limit that stops it. It is Unknown where the primal method is
// to start instead: see starts.
func (s *Solver) dual(ctx context.Context) status.Status {
	s.perturbation.idle = 0
	ends := 0 // ends without a leaving variable
	s.violations.stale = true
	s.distrust = 0 // that of another run does not count
	for {
		if st := s.limit(ctx); st != status.Unknown {
			return st
		}
		if s.starts.zero(s) {
			return status.Unknown
		}
		if s.distrust > maxDistrust {
			return status.Numerical
		}
		if s.basis.worn() {
			s.restartDual(ctx)
		}
		if !s.basis.broken {
			s.dualWeights.renew(ctx)
		}
		if !s.dualWeights.valid || s.basis.broken { // ctx has ended
			continue
		}
		leaving, beyond := s.chooseLeaving()
		if leaving < 0 && s.basis.updates > 0 {
			ends++
			if s.renew(ctx); s.basis.broken {
				continue
			}
			s.makeDualFeasible(ends <= flippingEnds)
			leaving, beyond = s.chooseLeaving()
		}
		switch {
		case leaving < 0 && s.excluded.count > 0:
			return status.Numerical
		case leaving < 0:
			return status.Optimal
		case s.dualStep(ctx, leaving, beyond):
			return status.Infeasible
		}
	}
}

// flippingEnds limits how often flips restart the dual method at its end. Entries of the pivot row that are too small
// for candidates let reduced costs pass 0. Flips correct these, but the pivots after the flips may undo them.
const flippingEnds = 10

// restartDual computes everything afresh, and keeps the costs dual feasible.
func (s *Solver) restartDual(ctx context.Context) {
	if s.refactor(ctx); !s.basis.broken {
		s.makeDualFeasible(true)
	}
}

// chooseLeaving returns the basic variable to leave and how far it is beyond its bound, −1 if there is none.
func (s *Solver) chooseLeaving() (leaving int32, beyond float64) {
	if s.basis.sparse() {
		return s.violations.choose(s.excluded)
	}
	return s.dualWeights.chooseLeaving(s.values, s.excluded)
}

// dualStep makes one pivot with a basic variable leaving that is beyond its bound.
// It reports whether the pivot row proves the program infeasible.
func (s *Solver) dualStep(ctx context.Context, leaving int32, beyond float64) (infeasible bool) {
	s.row.compute(leaving)
	if s.dualWeights.drifted(leaving, &s.row.inverse) {
		s.violations.see(leaving)
		return false // another may be the better choice
	}
	entering := s.dualRatio.choose(beyond)
	if entering < 0 {
		if s.basis.updates == 0 && s.provesInfeasible(leaving) {
			return true
		}
		s.giveUp(ctx, leaving, s.restartDual)
		return false
	}
	e := s.load(entering)
	s.solveStep(e)
	e.leaving, e.pivot = leaving, s.basis.element(e.direction, leaving)
	if !s.trusts(e, s.program.pivotZero) {
		s.matrix.release(e.column)
		s.giveUp(ctx, leaving, s.restartDual)
		return false
	}
	s.shiftWrongSign(entering)
	s.countDistrust()
	s.iterations++
	step := s.costs.d[entering] / e.pivot
	s.perturbation.watch(step)
	s.costs.update(s.row, entering, leaving, step)
	s.costs.shiftWrong(s.dualRatio.tied)
	to, bound := AtLower, s.program.lower
	if beyond > 0 {
		to, bound = AtUpper, s.program.upper
	}
	if flips := s.dualRatio.flips; len(flips) > 0 {
		s.values.endFlip(flips)
		s.violations.follow(s.values.change)
		beyond = s.values.x[leaving] - bound[leaving]
	}
	s.dualWeights.update(e)
	s.pivot(e, beyond/e.pivot, to)
	s.violations.follow(e.direction)
	s.perturbation.moveCosts()
	return false
}

// solveStep turns the right-hand sides of the step into the direction, the weights'
// vector and what the flips do to the basic variables.
func (s *Solver) solveStep(e exchange) {
	s.dualWeights.begin(e.row)
	if flips := s.dualRatio.flips; len(flips) > 0 {
		s.values.beginFlip(flips)
		s.basis.ftran(e.direction, s.dualWeights.tau, s.values.change)
		return
	}
	s.basis.ftran(e.direction, s.dualWeights.tau)
}

// maxDistrust limits the inverses in a row that last for fewer than lasting pivots. If columns depend
// on each other to the last digits, each factorisation may contradict the values of the last one. The iterate is
// then as good as it gets, and its certificate says how good.
const (
	maxDistrust = 100
	lasting     = 8
)

// countDistrust counts a pivot on a fresh inverse, and begins again with an inverse that has lasted.
func (s *Solver) countDistrust() {
	switch s.basis.updates {
	case 0:
		s.distrust++
	case lasting:
		s.distrust = 0
	}
}

// shiftWrongSign makes the dual step on nonbasic variable v one of length 0 where
// Harris's tolerance let its reduced cost pass 0: the step would go backwards.
func (s *Solver) shiftWrongSign(v int32) {
	d, p := s.costs.d[v], s.values.position[v]
	if d > 0 && p == AtUpper || d < 0 && p == AtLower {
		s.costs.shift(int(v))
	}
}

// makeDualFeasible flips boxed variables whose reduced costs have the wrong sign, where flips are to be
// made, and shifts the costs of the others so that theirs are 0.
func (s *Solver) makeDualFeasible(flips bool) {
	s.flips = s.flips[:0]
	for v, p := range s.values.position {
		switch {
		case s.costs.violation(v) == 0:
		case flips && p != AtZero && s.program.boxed(v):
			s.flips = append(s.flips, int32(v))
		default:
			s.costs.shift(v)
		}
	}
	if len(s.flips) > 0 {
		s.violations.stale = true
		s.values.flip(s.flips)
	}
}
