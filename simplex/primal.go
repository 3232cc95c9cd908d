package simplex

import (
	"context"

	"github.com/sparsekm/sparsekm/status"
)

// primal runs the primal simplex method from a primal feasible basis. It ends Optimal when no reduced cost has the
// wrong sign, Unbounded with a ray, Numerical when no acceptable pivot is left, or with the limit that stops it.
func (s *Solver) primal(ctx context.Context) status.Status {
	s.primalWeights.reset()
	s.dualWeights.valid = false
	s.perturbation.idle = 0
	s.attractive.stale = true
	for {
		if st := s.limit(ctx); st != status.Unknown {
			return st
		}
		if s.basis.worn() {
			s.refactor(ctx)
		}
		if s.basis.broken { // ctx has ended
			continue
		}
		entering := s.chooseEntering()
		if entering < 0 && s.basis.updates > 0 {
			s.renew(ctx)
			if s.basis.broken {
				continue
			}
			entering = s.chooseEntering()
		}
		switch {
		case entering < 0 && s.excluded.count > 0:
			return status.Numerical
		case entering < 0:
			return status.Optimal
		case s.primalStep(ctx, entering):
			return status.Unbounded
		}
	}
}

// chooseEntering returns −1 if every reduced cost has the right sign or is excluded.
func (s *Solver) chooseEntering() (entering int32) {
	if s.basis.sparse() {
		return s.attractive.choose(s.excluded)
	}
	return s.primalWeights.chooseEntering(s.costs, s.excluded)
}

// primalStep moves a nonbasic variable until a basic variable or it itself meets a
// bound. It reports whether nothing stops it.
func (s *Solver) primalStep(ctx context.Context, entering int32) (unbounded bool) {
	sign := 1.0
	if s.costs.d[entering] > 0 {
		sign = -1
	}
	e, step, pos := s.approach(entering, sign)
	switch pos {
	case atOwn:
		return false
	case atNothing:
		return s.nothingStops(ctx, e, sign)
	case atDoubt:
		s.giveUp(ctx, entering, s.refactor)
		return false
	}
	s.perturbation.watch(step)
	s.primalWeights.update(e, s.row)
	s.costs.update(s.row, entering, e.leaving, s.costs.d[entering]/e.pivot)
	s.pivot(e, sign*step, e.leavesTo(sign))
	s.attractive.follow(s.row, e.leaving)
	s.perturbation.moveBounds()
	return false
}

// nothingStops keeps the ray of an unbounded entering variable, once a fresh inverse confirms it.
func (s *Solver) nothingStops(ctx context.Context, e exchange, sign float64) (unbounded bool) {
	if s.basis.updates > 0 {
		s.refactor(ctx)
		return false
	}
	s.setRay(e, sign)
	return true
}
