package simplex

import (
	"context"
	"math"

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

// primalRatio is Harris's ratio test (1973) in two passes.
type primalRatio struct {
	program *program
	basis   *basis
	values  *values
	list    []blocking // scratch
}

// blocking is a basic variable that has a bound ahead.
type blocking struct {
	v          int32
	size, room float64 // |entry| of the direction; way to the bound, ≥ 0
}

// choose returns which basic variable leaves and after what step, when the basic
// values go along −sign·direction: of those that leave their bounds by no more than
// the tolerance, the one with the largest entry. Without any, step is infinite.
func (t *primalRatio) choose(direction basicVector, sign float64) (leaving int32, step float64) {
	limit := math.Inf(1)
	t.list = t.list[:0]
	t.basis.each(direction, t.program.pivotZero, func(v int32, e float64) {
		room, size := max(t.room(v, e*sign), 0), math.Abs(e)
		if room > limit*size { // as it is when the limit is the least
			return
		}
		if largest := (room + t.program.primalTolerance) / size; largest < math.Inf(1) {
			limit = min(limit, largest)
			t.list = append(t.list, blocking{v, size, room})
		}
	})
	leaving, step = -1, math.Inf(1)
	var largest float64
	for _, b := range t.list {
		if b.room <= limit*b.size && b.size > largest {
			largest, leaving, step = b.size, b.v, b.room/b.size
		}
	}
	return leaving, step
}

// room returns how far basic variable v can go when it falls (rate > 0) or rises (rate < 0).
func (t *primalRatio) room(v int32, rate float64) float64 {
	if rate > 0 {
		return t.values.x[v] - t.program.lower[v]
	}
	return t.program.upper[v] - t.values.x[v]
}
