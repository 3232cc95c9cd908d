package kernellp

import (
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// finish reads the model out of the program's duals and evaluates both objectives
// from scratch, over all rows and not the working ones only.
func (s *Solver) finish(sol *Solution, p Costs, res *simplex.Result) *Solution {
	n := len(s.y)
	sol.A, sol.M = make([]float64, n), append([]float64(nil), s.m...)
	sol.Rows, sol.Margins = len(s.working), n
	sol.Bias = s.coefficient(-res.Y[0], 0, p.Bias)
	for t, i := range s.working {
		sol.A[i] = s.coefficient(-res.Y[t+1], s.y[i], p.Coef[i])
	}
	if s.shape.SumToOne {
		sumToOne(sol)
	}
	sol.Output = slices.Repeat([]float64{sol.Bias}, n)
	sum := dense.NewGather()
	for t, i := range s.working {
		sum.Add(sol.A[i], s.mx.rows[t+1])
	}
	sum.AddTo(sol.Output)
	return s.conclude(sol, p)
}

// conclude evaluates both objectives of the model and multipliers in sol, and settles its status.
func (s *Solver) conclude(sol *Solution, p Costs) *Solution {
	s.values(sol, p)
	if sol.Gap() > maxRounding {
		s.lift(sol, p)
	}
	if sol.Status.Limit() && sol.Violation > OptimalViolation {
		s.shrink(sol, p)
	}
	if !sol.proved() {
		s.release(sol, p)
	}
	proved := sol.proved()
	switch {
	case sol.Status == status.Optimal && !(math.Abs(sol.Gap()) <= OptimalGap && sol.Violation >= 0):
		sol.Status = status.Numerical // with a bias of 1e9 the outputs are differences that a float64 does not hold
	case (sol.Status == status.Numerical || sol.Status == status.IterationLimit) && proved &&
		sol.Violation <= OptimalViolation:
		sol.Status = status.Optimal // by weak duality, however the pivots ended
	}
	for _, v := range []*float64{&sol.Objective, &sol.Dual, &sol.Loss} {
		*v = math.Ldexp(*v, -s.unit)
	}
	sol.M = shifted(sol.M, -s.unit)
	return sol
}

// proved reports whether the gap is small next to the objective itself.
func (s *Solution) proved() bool {
	return math.Abs(s.Objective-s.Dual) <= OptimalGap*math.Abs(s.Objective)
}

// release makes the multipliers 0 where that bounds the objective better: by the least cost, since Σ|a| = 1. The basis
// of a margin that is a breakpoint of the path holds to the tolerance of its rows only, and may bound an objective of 0
// by −1e-12.
func (s *Solver) release(sol *Solution, p Costs) {
	if !s.shape.SumToOne {
		return
	}
	if smallest := slices.Min(p.Coef); smallest > sol.Dual {
		clear(sol.M)
		sol.Dual, sol.Violation = smallest, math.Abs(sumOf(sol.A)-1)
	}
}

// shrink makes multipliers feasible that a limit left otherwise: M becomes smaller, down to 0, so that the
// dual value bounds the objective from below wherever the program was stopped.
func (s *Solver) shrink(sol *Solution, p Costs) {
	var sum, largest float64 // Σ m; the most of a row relative to its cost
	for i, m := range sol.M {
		sum += m
		if math.IsInf(p.Coef[i], 1) {
			continue
		}
		if v := s.excess(p, i); v > 0 && !s.shape.SumToOne {
			largest = max(largest, v/p.Coef[i])
		}
	}
	by := 1 / (1 + largest)
	if sum != 0 {
		by = min(by, p.Bias/math.Abs(sum))
	}
	sol.Dual, sol.Violation = 0, 0
	lambda := math.Inf(-1) // the least that the rows allow
	for i, y := range s.y {
		sol.M[i] *= by
		sol.Dual += p.Margin * s.shape.edge(i) * y * sol.M[i]
		lambda = max(lambda, by*y*s.g[i]-p.Coef[i])
	}
	if s.shape.SumToOne {
		sol.Dual -= lambda
	}
}

// sumToOne makes the model one of Σ|a| = 1, which rows of scales many decades apart leave to rounding; what
// that costs is in the gap.
func sumToOne(sol *Solution) {
	const rounding = 1e-10
	sum := sumOf(sol.A)
	if by := 1 / sum; by > 0 && !math.IsInf(by, 0) && math.Abs(sum-1) > rounding {
		sol.A, sol.Bias = scaled(sol.A, by), by*sol.Bias
	}
}

// sumOf is Σ|a|.
func sumOf(a []float64) (sum float64) {
	for _, v := range a {
		sum += math.Abs(v)
	}
	return sum
}

// maxRounding is the gap at which what rounding does to the margins is looked at, and the shortfall of a
// margin that may be its work.
const maxRounding = 1e-8

// lift makes the model a little larger where that is worth it: the samples on the margin are short of it by
// rounding, which at a large cost is more than what the coefficients cost. Four times the
// largest shortfall leaves room for the rounding of another evaluation.
func (s *Solver) lift(sol *Solution, p Costs) {
	if s.shape.SumToOne || s.shape.Edge != nil || p.Margin <= 0 {
		return
	}
	var by float64
	for i, y := range s.y {
		if short := (p.Margin - y*sol.Output[i]) / p.Margin; short <= maxRounding {
			by = max(by, 4*short)
		}
	}
	up := *sol
	up.Bias *= 1 + by
	up.A, up.Output = scaled(sol.A, 1+by), scaled(sol.Output, 1+by)
	if c := s.shape.Ceiling; c > 0 && slices.ContainsFunc(up.A, func(a float64) bool { return math.Abs(a) > c }) {
		return
	}
	if s.values(&up, p); up.Objective < sol.Objective {
		*sol = up
	}
}

func scaled(x []float64, by float64) []float64 {
	z := make([]float64, len(x))
	for i, v := range x {
		z[i] = by * v
	}
	return z
}

// coefficient cleans a dual of the row of a sample with label y: the wrong sign, what is beyond the
// ceiling, and the coefficients that the cost forbids are rounding errors.
func (s *Solver) coefficient(a, y, cost float64) float64 {
	if math.IsInf(cost, 1) || (s.shape.OneSided && a*y < 0) {
		return 0
	}
	if largest := s.shape.Ceiling; largest > 0 && y != 0 && math.Abs(a) > largest {
		return math.Copysign(largest, a)
	}
	return a
}

// values fills the objectives, Σξ and the violation.
func (s *Solver) values(sol *Solution, p Costs) {
	sol.Objective, sol.Hinge, sol.Loss, sol.Dual = 0, 0, 0, 0
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
		if xi := p.Margin*s.shape.edge(i) - y*sol.Output[i]; xi > 0 || xi-xi != 0 { // not finite: no optimum
			sol.Hinge += xi
			sol.Loss += math.Ldexp(s.cap[i], s.unit) * xi
		}
		sol.Dual += p.Margin * s.shape.edge(i) * y * sol.M[i]
		sum += sol.M[i]
	}
	sol.Objective += sol.Loss
	sol.Dual -= s.lambda
	sol.Violation = max(0, math.Abs(sum)-p.Bias)
	var way, worst float64 // all that rows give way, and the most relative to a cost
	for i := range s.y {
		if math.IsInf(p.Coef[i], 1) {
			continue
		}
		switch v := s.excess(p, i); {
		case v-v != 0: // not finite
			way, sol.Violation = math.NaN(), math.NaN()
		case v > 0:
			way += v
			worst = max(worst, v/p.Coef[i])
			sol.Violation = max(sol.Violation, v/max(1, p.Coef[i]))
		}
	}
	if s.shape.SumToOne {
		sol.Violation = max(sol.Violation, math.Abs(sumOf(sol.A)-1))
	}
	if s.shape.Ceiling > 0 {
		// Any row may give way at the cost of the ceiling: η_i = the excess. Or M is made smaller until none has to.
		sol.Dual = max(sol.Dual-s.shape.Ceiling*way, sol.Dual/(1+worst))
		sol.Violation = max(0, math.Abs(sum)-p.Bias)
	}
}
