package qp

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// byLinear asks linear programs for what the dual method has no proof of: that no x is feasible, or that a ray lowers
// the objective for ever. Its status is Numerical if they have none either.
func (s *Solver) byLinear(ctx context.Context, r *Result) status.Status {
	p := s.problem
	feasible := solved(ctx, simplex.LP{A: simplex.NewDense(p.m, p.n, p.a), Lo: p.lo, Up: p.up, RowLo: p.rowLo,
		RowUp: p.rowUp})
	if feasible == nil {
		return status.Numerical
	}
	if feasible.Status == status.Infeasible && len(feasible.Farkas) == p.m {
		r.Farkas = append(r.Farkas[:0], feasible.Farkas...)
		if s.provesInfeasible(r) {
			return status.Infeasible
		}
	}
	if feasible.Status != status.Optimal || len(s.proximal.d) == 0 {
		return status.Numerical
	}
	s.proximal.feasible = append(s.proximal.feasible[:0], feasible.X...)
	ray := solved(ctx, p.rays())
	if ray == nil || ray.Status != status.Optimal || !(ray.Objective < 0) {
		return status.Numerical
	}
	copy(s.proximal.ray, ray.X)
	if s.unboundedFrom(r, true) {
		return status.Unbounded
	}
	return status.Numerical
}

// unboundedFrom is unbounded from the feasible x that a linear program has found; it leaves no constraint active.
func (s *Solver) unboundedFrom(r *Result, straighten bool) bool {
	copy(s.proximal.centre, s.proximal.feasible)
	s.clear()
	return s.unbounded(r, straighten, false)
}

// solved is the result of a linear program, nil if it cannot be had.
func solved(ctx context.Context, lp simplex.LP) *simplex.Result {
	s, err := simplex.New(lp, simplex.Options{})
	if err != nil {
		return nil
	}
	return s.Solve(ctx)
}

// rays is the program of the ray in [−1, 1]ⁿ along which the objective falls most and does not curve.
func (s *problem) rays() simplex.LP {
	n, m := s.n, s.m
	lp := simplex.LP{C: s.c, A: simplex.NewDense(n+m, n, append(s.q[:n*n:n*n], s.a...)), Lo: make([]float64, n),
		Up: make([]float64, n), RowLo: make([]float64, n+m), RowUp: make([]float64, n+m)}
	for j := range n {
		lp.Lo[j], lp.Up[j] = recession(s.lo[j], s.up[j], 1)
	}
	for i := range m {
		lp.RowLo[n+i], lp.RowUp[n+i] = recession(s.rowLo[i], s.rowUp[i], inf)
	}
	return lp
}

// recession is the range of a ray's component: 0 where a bound is finite, else this large.
func recession(lo, up, large float64) (smallest, largest float64) {
	if math.IsInf(lo, 0) {
		smallest = -large
	}
	if math.IsInf(up, 0) {
		largest = large
	}
	return smallest, largest
}
