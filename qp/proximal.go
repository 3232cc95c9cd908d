package qp

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// proximalShares are the proximal terms by the diagonal of Q: a small one first, with which few steps are needed, then
// others, where rounding errors keep it from the optimum.
var proximalShares = [...]float64{1e-8, 1e-6, 1e-9}

// proximalLimit is the largest number of proximal steps with one share, and idleLimit that of steps without progress.
const (
	proximalLimit = 100
	idleLimit     = 10
)

// proximal is the term ½(x−x̄)ᵀD(x−x̄) that makes a semidefinite program definite; d is empty if Q is definite.
type proximal struct {
	curves       []float64 // Q's diagonal, and its largest element instead of zeros
	d, centre, c []float64 // D's diagonal, x̄, and c − Dx̄
	ray          []float64
	share        int // of proximalShares
	steps        int
}

func (s *Solver) newProximal() {
	p, n := s.problem, s.problem.n
	memory := make(slab, 5*n)
	s.proximal = proximal{curves: memory.take(n), d: memory.take(n), centre: memory.take(n), c: memory.take(n),
		ray: memory.take(n)}
	most := 0.0
	for j := range n {
		most = max(most, p.q[j*n+j])
	}
	if most == 0 {
		if most = 1e3 * dense.Largest(p.c); most == 0 {
			most = 1
		}
	}
	for j := range n {
		if s.proximal.curves[j] = p.q[j*n+j]; p.q[j*n+j] == 0 {
			s.proximal.curves[j] = most
		}
	}
}

// regularize is tryFactor with the present share.
func (s *Solver) regularize() (pivot int, err error) {
	for j, v := range s.proximal.curves {
		s.proximal.d[j] = proximalShares[s.proximal.share] * v
	}
	return s.tryFactor()
}

// proximalSteps solves a program whose Q is only semidefinite.
func (s *Solver) proximalSteps(ctx context.Context, r *Result) (st status.Status) {
	x := &s.proximal
	for range proximalShares {
		if st = s.approach(ctx, r); st != status.Numerical {
			return st
		}
		x.share = (x.share + 1) % len(proximalShares)
		if pivot, err := s.regularize(); pivot >= 0 || err != nil {
			break
		}
		s.clear()
	}
	return st
}

// approach goes from one proximal step to the next until they have reached an optimum, or get nowhere.
func (s *Solver) approach(ctx context.Context, r *Result) status.Status {
	x := &s.proximal
	clear(x.centre) // whatever was solved before: of many optima, the one near 0
	before, idle := inf, 0
	for step := range proximalLimit {
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
		if step > 0 && s.unbounded(r) { // even where |Qx| is so large that the residual is small
			return status.Unbounded
		}
		if worst > before/2 {
			if worst <= s.opt.Tolerance {
				return status.Optimal
			}
			if idle++; idle == idleLimit {
				break
			}
		}
		before = min(before, worst)
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
	copy(s.scratch.kept, s.x)
	copy(s.x, s.proximal.centre)
	if s.report(r); !(r.PrimalResidual <= s.opt.Tolerance) {
		copy(s.x, s.scratch.kept)
		s.report(r)
		return false
	}
	r.Ray = resized(r.Ray, s.problem.n)
	copy(r.Ray, ray)
	return true
}
