package scsvc

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
)

const (
	shareMissing = 0.3     // share of the gap due to missing coefficients above which more are added
	rowValues    = 1 << 23 // kernel values between two checks of the context
)

// certify computes a certificate of the iterate: feasible dual multipliers and the objective of its model. It returns
// the gap between the best model and the best dual value, whether it has shrunk by a tenth, and whether it is the
// samples without coefficients that keep the gap of the iterate large.
func (s *solver) certify(ctx context.Context) (gap float64, better, missing bool) {
	n := s.n
	alpha, theta := make([]float64, n), make([]float64, n)
	copy(alpha, s.coefficients())
	s.product(alpha[:s.m], s.f)
	sum := s.balance(ctx, theta)
	if ctx.Err() != nil {
		return s.best.primal - s.best.dual, false, false
	}
	primal, b := s.primal(alpha, s.f, s.b)
	dual, over := s.dual(sum, alpha, theta, n)
	s.gap = primal - dual
	if s.m < n {
		within, _ := s.dual(sum, alpha, theta, s.m)
		missing = s.m == 0 || within-dual > shareMissing*s.gap
	}
	if s.best.alpha == nil {
		s.best = certified{primal: math.Inf(1), dual: math.Inf(-1), violation: math.Inf(1)}
	}
	old := s.best.primal - s.best.dual
	if primal < s.best.primal {
		s.best.alpha, s.best.b, s.best.primal = s.byRow(alpha), b, primal
	}
	s.negative = dual-s.best.primal > max(optimalGap*math.Abs(s.best.primal), s.rounding(alpha, theta))
	if s.best.violation > optimalGap && s.best.primal-dual <= optimalGap/10*math.Abs(s.best.primal) {
		better = over-s.Lambda < 0.9*s.best.violation // near the optimum only |Kη| ≤ λ is left to improve
	}
	if dual <= s.best.primal+finest*math.Abs(s.best.primal) && (dual > s.best.dual || better) {
		s.best.dual, s.best.violation = dual, max(0, over-s.Lambda)
		s.best.theta = s.byRow(theta)
		for i, v := range theta {
			theta[i] = (v - alpha[i]) * min(1, s.Lambda/max(s.Lambda, over))
		}
		s.best.eta = s.byRow(theta)
	}
	gap = s.best.primal - s.best.dual
	return gap, better || gap <= 0.9*old || math.IsInf(old, 1), missing
}

// byRow returns values of the samples in the order of the problem's rows.
func (s *solver) byRow(x []float64) []float64 {
	values := make([]float64, s.p.N)
	for i, v := range x {
		values[s.rows[i]] = v
	}
	return values
}

// coefficients returns α of the first m samples.
func (s *solver) coefficients() []float64 {
	alpha := make([]float64, len(s.alpha.Low.Z))
	for i, p := range s.alpha.Low.Z {
		alpha[i] = p - s.alpha.High.Z[i]
	}
	return alpha
}

// balance scales the multipliers of the class with the larger sum down to the other, so that they sum to 0, and writes
// them to theta. It sets s.kEta for these multipliers, and s.kDiff for the iterate's own. It returns Σ β of theta; the
// result is meaningless if the context has ended.
func (s *solver) balance(ctx context.Context, theta []float64) (sum float64) {
	n := s.n
	two := make([]float64, 4*n) // multipliers of either class, then K times them
	parts, products := two[:2*n], two[2*n:]
	var total [2]float64
	for i, y := range s.y {
		class := 0
		if y < 0 {
			class = 1
		}
		parts[class*n+i] = y * s.beta.Low.X[i]
		total[class] += s.beta.Low.X[i]
	}
	rows := max(4, rowValues/n&^3)
	for lo := 0; lo < n && ctx.Err() == nil; lo += rows {
		dense.AddDots(products[lo:], n, s.k[lo*n:], n, min(rows, n-lo), parts, n, 2, n)
	}
	s.betaMin = min(total[0], total[1])
	up, down := 1.0, 1.0
	if total[0] > total[1] {
		up = total[1] / total[0]
	} else if total[1] > 0 {
		down = total[0] / total[1]
	}
	for i, f := range s.f {
		theta[i] = up*parts[i] + down*parts[n+i]
		s.kDiff[i] = f - products[i] - products[n+i]
		s.kEta[i] = up*products[i] + down*products[n+i] - f
	}
	return up*total[0] + down*total[1]
}

// dual returns the dual objective, with η = θ − α scaled down to |Kη| ≤ λ on the first m samples, and the largest |Kη|
// there before the scaling.
func (s *solver) dual(sum float64, alpha, theta []float64, m int) (value, over float64) {
	over = dense.Largest(s.kEta[:m])
	rest := 0.0 // removed share of η
	if over > s.Lambda {
		rest = 1 - s.Lambda/over
	}
	var aa, ae, ee float64
	for i, g := range s.kEta {
		aa += alpha[i] * s.f[i]
		ae += alpha[i] * g
		ee += (theta[i] - alpha[i]) * g
	}
	return sum - max(0, aa+2*rest*ae+rest*rest*ee)/2, over
}

// rounding is an upper bound of the dual objective's rounding error.
func (s *solver) rounding(alpha, theta []float64) (largest float64) {
	for i, g := range s.kEta {
		largest += (math.Abs(alpha[i]) + math.Abs(theta[i])) * (math.Abs(s.f[i]) + math.Abs(s.f[i]+g))
	}
	return 1e-10 * largest
}

// primal is the objective for coefficients with K α = f, at the better of the given bias and the optimal one.
func (s *solver) primal(alpha, f []float64, b float64) (value, bias float64) {
	loss := func(b float64) (sum float64) {
		for i, c := range s.cost {
			sum += c * max(0, 1-s.y[i]*(f[i]+b))
		}
		return sum
	}
	value = dense.Dot(alpha, f) / 2
	for _, a := range alpha {
		value += s.Lambda * math.Abs(a)
	}
	best, bias := loss(b), b
	if c := samples.Bias(s.y, s.cost, func(i int) float64 { return s.y[i] - f[i] }); loss(c) < best {
		best, bias = loss(c), c
	}
	return value + best, bias
}
