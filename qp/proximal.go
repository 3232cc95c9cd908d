package qp

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// proximalLimit is the largest number of proximal steps of a solve.
const proximalLimit = 300

// proximalSteps solves a program whose Q is only semidefinite.
func (s *Solver) proximalSteps(ctx context.Context, r *Result) status.Status {
	x := &s.proximal
	clear(x.centre) // whatever was solved before: of many optima, the one near 0
	for x.steps < proximalLimit {
		x.steps++
		for j, c := range s.problem.c {
			x.c[j] = c - x.d[j]*x.centre[j]
		}
		if st := s.proved(ctx, r, func() bool { return true }); st != status.Optimal {
			return st
		}
		copy(s.proximal.ray, s.x)
		dense.Axpy(-1, x.centre, x.ray)
		copy(x.centre, s.x)
		if s.polish(r); r.worst() <= s.opt.Tolerance {
			return status.Optimal
		}
		if x.steps > 1 && s.unbounded(r) {
			return status.Unbounded
		}
	}
	return status.Numerical
}

// unbounded reports whether the last proximal step is a ray, and x feasible, and sets r to them.
func (s *Solver) unbounded(r *Result) bool {
	ray := s.proximal.ray
	most := dense.Largest(ray)
	if !(most > 0) || math.IsInf(most, 0) || !(dense.Dot(s.problem.c, ray) < 0) {
		return false
	}
	for j, v := range ray {
		if ray[j] = v / most; math.Abs(ray[j]) <= rayTolerance {
			ray[j] = 0
		}
	}
	if s.problem.checkRay(ray) != nil {
		return false
	}
	copy(s.x, s.proximal.centre)
	if s.report(r); !(r.PrimalResidual <= s.opt.Tolerance) {
		return false
	}
	r.Ray = resized(r.Ray, s.problem.n)
	copy(r.Ray, ray)
	return true
}
