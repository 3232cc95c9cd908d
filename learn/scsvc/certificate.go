package scsvc

import (
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// look certifies the iterate: multipliers that meet the dual's constraints, and the objective of its machine. It
// returns the gap of the best machine and bound, and whether it has become smaller by a tenth.
func (s *solver) look() (gap float64, better bool) {
	v, n := &s.v, s.n
	alpha, theta, eta := make([]float64, n), make([]float64, n), make([]float64, n)
	var up, down float64
	for i := range n {
		alpha[i] = v.p[i] - v.q[i]
		if s.y[i] > 0 {
			up += v.beta[i]
		} else {
			down += v.beta[i]
		}
	}
	var sum float64
	for i, y := range s.y {
		share := min(1, down/up) // the heavier class comes down to the other
		if y < 0 {
			share = min(1, up/down)
		}
		theta[i] = y * v.beta[i] * share
		sum += v.beta[i] * share
		eta[i] = theta[i] - alpha[i]
	}
	s.product(alpha, s.f)
	s.product(eta, s.g)
	var over float64
	for _, g := range s.g {
		over = max(over, math.Abs(g))
	}
	scale := min(1, s.Lambda/over)
	if over == 0 {
		scale = 1
	}
	for i := range eta {
		eta[i] = theta[i] - scale*eta[i]
	}
	s.product(eta, s.g)
	dual := sum - dense.Dot(eta, s.g)/2
	primal, b := s.primal(alpha, s.f, v.b)
	copy(s.g, s.f) // what the step needs
	s.product(theta, eta)
	for i := range s.g {
		s.g[i] -= eta[i]
	}
	if !s.found {
		s.best = found{primal: math.Inf(1), dual: math.Inf(-1), violation: math.Inf(1)}
	}
	old := s.best.primal - s.best.dual
	if primal < s.best.primal {
		s.best.alpha, s.best.b, s.best.primal = alpha, b, primal
	}
	if dual > s.best.dual {
		s.best.dual, s.best.violation = dual, max(0, over-s.Lambda)
	}
	s.found = s.best.alpha != nil
	gap = s.best.primal - s.best.dual
	return gap, gap <= 0.9*old || math.IsInf(old, 1)
}

// primal is the objective of coefficients with K α = f, at the given bias or a better one.
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
	if c := s.bias(f); loss(c) < best {
		best, bias = loss(c), c
	}
	return value + best, bias
}

// bias returns the b of the least loss: where the costs of the margins that are not met balance.
func (s *solver) bias(f []float64) float64 {
	order := make([]int, s.n)
	at := make([]float64, s.n) // b at which the margin is met
	var slope float64          // of the loss far to the left
	for i, y := range s.y {
		order[i], at[i] = i, y-f[i]
		if y > 0 {
			slope -= s.cost[i]
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case at[a] < at[b]:
			return -1
		case at[a] > at[b]:
			return 1
		}
		return a - b
	})
	for _, i := range order {
		if slope += s.cost[i]; slope >= 0 {
			return at[i]
		}
	}
	return at[order[s.n-1]]
}
