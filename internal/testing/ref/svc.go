package ref

// This file is the C-SVC dual of Vapnik (1995) written down literally, for tests:
//
//	max Σ α_i − ½ Σ_ij α_i α_j y_i y_j k_ij   subject to   0 ≤ α_i ≤ C_i,  Σ α_i y_i = 0
//
// with a slow solver that needs no clever selection, and a checker that takes nothing from a solver on trust.

import "math"

// SVCProblem is the dual of n samples: the kernel matrix, labels ±1 and upper bounds.
type SVCProblem struct {
	K [][]float64
	Y []float64
	C []float64
}

// Dual is the objective at α.
func (p *SVCProblem) Dual(alpha []float64) float64 {
	var s float64
	for i, a := range alpha {
		s += a
		for j, b := range alpha {
			s -= 0.5 * a * b * p.Y[i] * p.Y[j] * p.K[i][j]
		}
	}
	return s
}

// Solve goes through all pairs of variables again and again and maximises over each
// exactly, until a whole round gains nothing that a float64 can show.
func (p *SVCProblem) Solve() (alpha []float64) {
	n := len(p.Y)
	alpha = make([]float64, n)
	for round := 0; round < 200000; round++ {
		var moved float64
		for i := range n {
			for j := range n {
				if i != j {
					moved = math.Max(moved, p.pair(alpha, i, j))
				}
			}
		}
		if moved <= 1e-15 {
			break
		}
	}
	return alpha
}

// pair maximises over α_i and α_j with y_i α_i + y_j α_j fixed, and returns how far α_i moved.
func (p *SVCProblem) pair(alpha []float64, i, j int) float64 {
	// α_i = old + t, α_j = old − s t with s = y_i y_j: the slope in t at 0, and the curvature.
	s := p.Y[i] * p.Y[j]
	slope := p.slope(alpha, i) - s*p.slope(alpha, j)
	curvature := p.K[i][i] + p.K[j][j] - 2*p.K[i][j]
	lo, hi := -alpha[i], p.C[i]-alpha[i]
	if s > 0 {
		lo, hi = math.Max(lo, alpha[j]-p.C[j]), math.Min(hi, alpha[j])
	} else {
		lo, hi = math.Max(lo, -alpha[j]), math.Min(hi, p.C[j]-alpha[j])
	}
	var t float64
	switch {
	case curvature > 1e-14:
		t = math.Max(lo, math.Min(hi, slope/curvature))
	case slope > 1e-14:
		t = hi
	case slope < -1e-14:
		t = lo
	}
	alpha[i] += t
	alpha[j] -= s * t
	return math.Abs(t)
}

// slope is the derivative of the dual by α_i: 1 − y_i Σ_j α_j y_j k_ij.
func (p *SVCProblem) slope(alpha []float64, i int) float64 {
	var f float64
	for j, a := range alpha {
		f += a * p.Y[j] * p.K[i][j]
	}
	return 1 - p.Y[i]*f
}

// SVCCertificate holds what an expansion f(x) = Σ coef_i k(x, x_i) + bias is worth.
type SVCCertificate struct {
	Primal, Dual float64
	Equality     float64 // |Σ coef_i|
	Bounds       float64 // how far a coefficient leaves [0, C_i] y_i
	// KKT is the largest violation of y_i f(x_i) ≥ 1 for α_i = 0, ≤ 1 for α_i = C_i and = 1
	// between, with the best bias for these coefficients. An α_i is at a bound if it differs from it by no more than
	// 1e-15 of the largest.
	KKT float64
	// KKTBias is the same with the bias given.
	KKTBias float64
}

// Check evaluates coefficients, one a sample.
func (p *SVCProblem) Check(coef []float64, bias float64) SVCCertificate {
	var c SVCCertificate
	var sum, norm, hinge, size float64
	up, low := math.Inf(-1), math.Inf(1) // bias has to be at least up and at most low
	rounding := 0.0
	for _, a := range coef {
		rounding = math.Max(rounding, 1e-15*math.Abs(a))
	}
	for i, y := range p.Y {
		var f float64
		for j, a := range coef {
			f += a * p.K[i][j]
		}
		alpha := y * coef[i]
		sum += coef[i]
		size += alpha
		norm += coef[i] * f
		hinge += p.C[i] * math.Max(0, 1-y*(f+bias))
		c.Bounds = math.Max(c.Bounds, math.Max(-alpha, alpha-p.C[i]))
		r := 1 - y*(f+bias)
		own := math.Min(rounding, p.C[i]/4)
		above, below := alpha > own, alpha < p.C[i]-own
		if above {
			c.KKTBias = math.Max(c.KKTBias, -r)
		}
		if below {
			c.KKTBias = math.Max(c.KKTBias, r)
		}
		// y f ≥ 1 wants bias ≥ 1 − f for a positive, ≤ −1 − f for a negative point.
		if (y > 0 && below) || (y < 0 && above) {
			up = math.Max(up, y-f)
		}
		if (y > 0 && above) || (y < 0 && below) {
			low = math.Min(low, y-f)
		}
	}
	c.Equality = math.Abs(sum)
	c.Primal = 0.5*norm + hinge
	c.Dual = size - 0.5*norm
	c.KKT = math.Max(0, up-low)
	return c
}
