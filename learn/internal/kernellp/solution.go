package kernellp

import (
	"math"

	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// finish reads the machine out of the program's duals and evaluates both objectives
// from scratch, over all rows and not the working ones only.
func (s *Solver) finish(sol *Solution, p Prices, res *simplex.Result) *Solution {
	n := len(s.y)
	sol.A, sol.M = make([]float64, n), append([]float64(nil), s.m...)
	sol.Rows = len(s.working)
	sol.Bias = s.coefficient(-res.Y[0], 0, p.Bias)
	sol.Output = make([]float64, n)
	for i := range sol.Output {
		sol.Output[i] = sol.Bias
	}
	for t, i := range s.working {
		a := s.coefficient(-res.Y[t+1], s.y[i], p.Coef[i])
		if a == 0 {
			continue
		}
		sol.A[i] = a
		for j, k := range s.mx.rows[t+1] {
			sol.Output[j] += a * k
		}
	}
	s.values(sol, p)
	if sol.Status == status.Optimal && !(math.Abs(sol.Gap()) <= OptimalGap) {
		sol.Status = status.Numerical // with a bias of 1e9 the outputs are differences that a float64 does not hold
	}
	return sol
}

// coefficient cleans a dual of the row of a point with label y: the wrong sign and
// the coefficients that the price forbids are rounding errors.
func (s *Solver) coefficient(a, y, price float64) float64 {
	if math.IsInf(price, 1) || (s.shape.OneSided && a*y < 0) {
		return 0
	}
	return a
}

// values fills the objectives, Σξ and the violation.
func (s *Solver) values(sol *Solution, p Prices) {
	if sol.Bias != 0 {
		sol.Objective = p.Bias * math.Abs(sol.Bias)
	}
	for i, a := range sol.A {
		if a != 0 {
			sol.Objective += p.Coef[i] * math.Abs(a)
		}
	}
	var sum float64
	for i, y := range s.y {
		if xi := p.Margin - y*sol.Output[i]; xi > 0 {
			sol.Hinge += xi
			sol.Loss += s.cap[i] * xi
		}
		sol.Dual += p.Margin * y * sol.M[i]
		sum += sol.M[i]
	}
	sol.Objective += sol.Loss
	sol.Dual -= s.lambda
	sol.Violation = math.Max(0, math.Abs(sum)-p.Bias)
	for i := range s.y {
		if math.IsInf(p.Coef[i], 1) {
			continue
		}
		v := s.excess(p, i)
		if s.shape.Ceiling > 0 && v > 0 {
			// Any row may give way at the price of the ceiling: η_i = the excess.
			sol.Dual -= s.shape.Ceiling * v
			v = 0
		}
		sol.Violation = math.Max(sol.Violation, v/math.Max(1, p.Coef[i]))
	}
}
