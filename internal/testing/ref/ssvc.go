package ref

// This file transcribes Huang et al. (2010) literally: explicit matrices, one
// multiplier at a time, no shortcuts. Only tests import it.

import (
	"math"
)

// SSVCHessian returns H = K̄ᵀ diag(λ)⁻¹ K̄ of the dual (11). K̄ has a row for the bias, then one
// a sample, and a column a sample: K̄_ri = y_i k(x_i, x_r).
func SSVCHessian(kbar [][]float64, lambda []float64) [][]float64 {
	l := len(kbar[0])
	h := make([][]float64, l)
	for i := range h {
		h[i] = make([]float64, l)
		for j := range h[i] {
			for r, row := range kbar {
				h[i][j] += row[i] * row[j] / lambda[r]
			}
		}
	}
	return h
}

// SSVCKBar returns K̄ for the kernel matrix k and the labels y.
func SSVCKBar(k [][]float64, y []float64) [][]float64 {
	kbar := [][]float64{append([]float64(nil), y...)} // y_i · 1
	for r := range k {
		row := make([]float64, len(y))
		for i := range row {
			row[i] = y[i] * k[i][r]
		}
		kbar = append(kbar, row)
	}
	return kbar
}

// SSVCSMO minimises ½ bᵀHb + pᵀb over lo ≤ b ≤ hi by (12) and (13), from zero moved into
// the box, until no variable's gradient exceeds tau or steps are used up. It
// returns b and the gradient.
func SSVCSMO(h [][]float64, p, lo, hi []float64, tau float64, steps int) (b, g []float64) {
	b, g = make([]float64, len(p)), append([]float64(nil), p...)
	move := func(i int, v float64) {
		for j := range g {
			g[j] += h[i][j] * (v - b[i])
		}
		b[i] = v
	}
	for i := range b {
		move(i, math.Min(math.Max(0, lo[i]), hi[i]))
	}
	for range steps {
		best, gain := -1, 0.0
		for i := range b {
			if g[i] > tau && b[i] > lo[i] || g[i] < -tau && b[i] < hi[i] {
				if v := g[i] * g[i] / h[i][i]; v > gain {
					best, gain = i, v
				}
			}
		}
		if best < 0 {
			break
		}
		move(best, math.Min(math.Max(lo[best], b[best]-g[best]/h[best][best]), hi[best]))
	}
	return b, g
}

// SSVCRound solves (9) for given λ through its dual (11) and returns α = diag(λ)⁻¹ K̄ β with
// the objective of (9).
func SSVCRound(kbar [][]float64, lambda, c []float64, tau float64, steps int) (alpha []float64,
	objective float64) {
	p := make([]float64, len(c))
	for i := range p {
		p[i] = -1
	}
	return SSVCRoundOf(kbar, p, lambda, c, tau, steps)
}

// SSVCTube returns K̄ and p of (9) with the ε-insensitive loss of the targets t, section 3.5.2: every sample twice,
// with
// the label 1 and the margin t − ε, and with the label −1 and the margin −t − ε. K̄ has a row a coefficient, so the
// samples once.
func SSVCTube(k [][]float64, t []float64, epsilon float64) (kbar [][]float64, p []float64) {
	kbar = make([][]float64, 1+len(k))
	for i, v := range t {
		p = append(p, epsilon-v, epsilon+v)
		kbar[0] = append(kbar[0], 1, -1)
		for r := range k {
			kbar[1+r] = append(kbar[1+r], k[i][r], -k[i][r])
		}
	}
	return kbar, p
}

// SSVCRoundOf is SSVCRound for the margins −p.
func SSVCRoundOf(kbar [][]float64, p, lambda, c []float64, tau float64, steps int) (alpha []float64,
	objective float64) {
	l := len(c)
	beta, g := SSVCSMO(SSVCHessian(kbar, lambda), p, make([]float64, l), c, tau, steps)
	alpha = make([]float64, len(kbar))
	for r, row := range kbar {
		for i, b := range beta {
			alpha[r] += row[i] * b / lambda[r]
		}
		objective += lambda[r] * alpha[r] * alpha[r] / 2
	}
	for i := range g {
		objective += c[i] * math.Max(0, -g[i]) // ξ_i = max(0, −p_i − y_i f(x_i)), and g_i = y_i f(x_i) + p_i
	}
	return alpha, objective
}

// SSVCLinearRound solves (10) for given λ as it stands, min Σ λ_r |α_r| + Σ C_i ξ_i subject to K̄ᵀα + ξ ≥ 1, ξ ≥ 0,
// with
// α as the difference of two numbers that are not negative, in exact arithmetic.
func SSVCLinearRound(kbar [][]float64, lambda, c []float64) (alpha []float64, objective float64) {
	r, l := len(kbar), len(c)
	n := 2*r + l
	cost, lo, up := make([]float64, n), make([]float64, n), make([]float64, n)
	for j := range up {
		up[j] = math.Inf(1)
	}
	for k, v := range lambda {
		cost[k], cost[r+k] = v, v
	}
	copy(cost[2*r:], c)
	a, rowLo, rowUp := make([][]float64, l), make([]float64, l), make([]float64, l)
	for i := range a {
		a[i], rowLo[i], rowUp[i] = make([]float64, n), 1, math.Inf(1)
		for k, row := range kbar {
			a[i][k], a[i][r+k] = row[i], -row[i]
		}
		a[i][2*r+i] = 1
	}
	_, objective, x := LPSolve(cost, a, rowLo, rowUp, lo, up)
	for k := range kbar {
		alpha = append(alpha, x[k]-x[r+k])
	}
	return alpha, objective
}
