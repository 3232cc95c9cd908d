package simplex

import (
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// looseTolerance is what residuals and gap of an optimum may be where rounding
// keeps the solver from its own tolerances; they are in the result for all to see.
const looseTolerance = 1e-8

// result scales the point back and attaches its certificate.
func (s *Solver) result(st status.Status) *Result {
	n, m := s.matrix.n, s.matrix.m
	r := &Result{Status: st, Iterations: s.iterations,
		X: make([]float64, n), Activity: make([]float64, m), Y: make([]float64, m), ReducedCosts: make([]float64, n)}
	lp := &s.program.lp
	for j := range r.X {
		r.X[j] = s.values.x[j] * s.matrix.scaleOfCol(j)
		if s.values.position[j] != Basic { // exactly on the bound, whatever scaling rounds
			r.X[j] = s.originalRest(j)
		}
	}
	s.matrix.mulAddRaw(r.Activity, r.X)
	for i := range r.Y {
		if s.values.position[n+i] != Basic {
			r.Y[i] = s.costs.d[n+i] * s.matrix.scaleOfRow(i) / s.program.costScale
		}
	}
	priceOut(lp, r)
	r.Certificate = certify(lp, r)
	r.Objective = dense.Dot(lp.C, r.X) + lp.Offset
	if c := r.Certificate; st == status.Numerical && max(c.PrimalResidual, c.DualResidual, c.Gap) <= looseTolerance {
		r.Status = status.Optimal
	}
	switch st {
	case status.Infeasible:
		r.Farkas = make([]float64, m)
		for i := range r.Farkas {
			r.Farkas[i] = s.farkas[i] * s.matrix.scaleOfRow(i)
		}
	case status.Unbounded:
		r.Ray = make([]float64, n)
		for j := range r.Ray {
			r.Ray[j] = s.ray[j] * s.matrix.scaleOfCol(j)
		}
	}
	return r
}

// originalRest returns the caller's bound that nonbasic column j rests on.
func (s *Solver) originalRest(j int) float64 {
	switch s.values.position[j] {
	case AtLower:
		return s.program.lp.Lo[j]
	case AtUpper:
		return s.program.lp.Up[j]
	}
	return 0
}

// priceOut sets the reduced costs to c − Aᵀy of the result's own y, so that the pair is consistent.
func priceOut(lp *LP, r *Result) {
	y := newVector(r.Y)
	lp.A.Price(r.ReducedCosts, y.index, y.value)
	for j, c := range lp.C {
		r.ReducedCosts[j] = c - r.ReducedCosts[j]
	}
}

// provesInfeasible keeps the pivot row as a Farkas ray if it proves that no point
// meets the true bounds.
func (s *Solver) provesInfeasible() bool {
	f := make([]float64, s.matrix.m)
	for t, r := range s.row.inverse.index {
		f[r] = s.row.inverse.value[t]
	}
	original := make([]float64, len(f))
	for i, v := range f {
		original[i] = v * s.matrix.scaleOfRow(i)
	}
	if farkasGap(&s.program.lp, original) <= 0 {
		return false
	}
	s.farkas = f
	return true
}

// setRay keeps the direction in which the entering variable of e goes up (sign 1)
// or down (−1), and the basic ones with it.
func (s *Solver) setRay(e exchange, sign float64) {
	s.ray = make([]float64, s.program.variables())
	s.ray[e.entering] = sign
	s.basis.each(e.direction, func(v int32, element float64) { s.ray[v] = -sign * element })
}
