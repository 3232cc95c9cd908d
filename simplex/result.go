package simplex

import (
	"math"

	"github.com/sparsekm/sparsekm/status"
)

// looseTolerance is what residuals and gap of an optimum may be where rounding
// keeps the solver from its own tolerances; they are in the result for all to see.
const looseTolerance = 1e-8

// result scales the point back and attaches its certificate.
func (s *Solver) result(st status.Status) *Result {
	n, m := s.mx.n, s.mx.m
	r := &Result{Status: st, Iterations: s.iter, X: make([]float64, n), Activity: make([]float64, m), Y: make([]float64, m), ReducedCosts: make([]float64, n)}
	for j := range r.X {
		r.X[j] = s.x[j] * s.mx.scaleOfCol(j)
		if s.pos[j] != Basic { // exactly on the bound, whatever scaling rounds
			r.X[j] = s.originalRest(j)
		}
	}
	s.mx.mulAddRaw(r.Activity, r.X)
	for i := range r.Y {
		r.Y[i] = s.d[n+i] * s.mx.scaleOfRow(i) / s.costScale
		if s.pos[n+i] == Basic {
			r.Y[i] = 0
		}
	}
	s.fillReducedCosts(r)
	r.Certificate = certify(&s.lp, r)
	r.Objective = dot(s.lp.C, r.X) + s.lp.Offset
	if c := r.Certificate; st == status.Numerical && max(c.PrimalResidual, c.DualResidual, c.Gap) <= looseTolerance {
		r.Status = status.Optimal
	}
	switch st {
	case status.Infeasible:
		r.Farkas = make([]float64, m)
		for i := range r.Farkas {
			r.Farkas[i] = s.farkas[i] * s.mx.scaleOfRow(i)
		}
	case status.Unbounded:
		r.Ray = make([]float64, n)
		for j := range r.Ray {
			r.Ray[j] = s.ray[j] * s.mx.scaleOfCol(j)
		}
	}
	return r
}

// originalRest returns the caller's bound that nonbasic column j rests on.
func (s *Solver) originalRest(j int) float64 {
	switch s.pos[j] {
	case AtLower:
		return s.lp.Lo[j]
	case AtUpper:
		return s.lp.Up[j]
	}
	return 0
}

// fillReducedCosts sets c − Aᵀy; y is exact data here, so that the pair is consistent.
func (s *Solver) fillReducedCosts(r *Result) {
	var rows []int32
	var y []float64
	for i, v := range r.Y {
		if v != 0 {
			rows, y = append(rows, int32(i)), append(y, v)
		}
	}
	s.lp.A.Price(r.ReducedCosts, rows, y)
	for j, c := range s.lp.C {
		r.ReducedCosts[j] = c - r.ReducedCosts[j]
	}
}

// provesInfeasible keeps the pivot row as a Farkas ray if it proves that no point
// meets the true bounds.
func (s *Solver) provesInfeasible() bool {
	f := make([]float64, s.mx.m)
	for t, r := range s.rho.index {
		f[r] = s.rho.value[t]
	}
	original := make([]float64, len(f))
	for i, v := range f {
		original[i] = v * s.mx.scaleOfRow(i)
	}
	if farkasGap(&s.lp, original) <= 0 {
		return false
	}
	s.farkas = f
	return true
}

// setRay keeps the direction of the primal step on q.
func (s *Solver) setRay(q int32, dir float64) {
	s.ray = make([]float64, s.mx.n+s.mx.m)
	s.ray[q] = dir
	for r, v := range s.b.cover {
		if v >= 0 {
			s.ray[v] = -dir * s.col[r]
		}
	}
	for i, v := range s.b.vars {
		s.ray[v] = -dir * s.cols[i]
	}
	for v, x := range s.ray {
		if math.Abs(x) < pivotZero {
			s.ray[v] = 0
		}
	}
}
