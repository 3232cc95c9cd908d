package ref

// This file holds the formulas of Tipping (2001), Tipping & Faul (2003) and Figueiredo (2003) written down
// literally, for tests: matrices as they are printed, systems by elimination.

import (
	"math"
)

// BayesProblem is a design matrix, one row a sample, with labels ±1 and weights.
type BayesProblem struct {
	Phi    [][]float64
	Y      []float64
	Weight []float64
}

// F returns Φ w.
func (p BayesProblem) F(w []float64) []float64 {
	f := make([]float64, len(p.Phi))
	for i, row := range p.Phi {
		for j, v := range row {
			f[i] += v * w[j]
		}
	}
	return f
}

// Curve is B of Tipping (2001), eq. (25): σ(1 − σ), times the weights.
func (p BayesProblem) Curve(w []float64) []float64 {
	b := p.F(w)
	for i, f := range b {
		s := 1 / (1 + math.Exp(-f))
		b[i] = p.Weight[i] * s * (1 - s)
	}
	return b
}

// Gradient is ΦᵀW(t − σ) − A w.
func (p BayesProblem) Gradient(alpha, w []float64) []float64 {
	g := make([]float64, len(w))
	for i, f := range p.F(w) {
		r := p.Weight[i] * ((1+p.Y[i])/2 - 1/(1+math.Exp(-f)))
		for j, v := range p.Phi[i] {
			g[j] += r * v
		}
	}
	for j, a := range alpha {
		g[j] -= a * w[j]
	}
	return g
}

// Hessian is ΦᵀBΦ + A, eq. (25), for the curvatures b.
func (p BayesProblem) Hessian(alpha, b []float64) [][]float64 {
	h := make([][]float64, len(alpha))
	for j := range h {
		h[j] = make([]float64, len(alpha))
		h[j][j] = alpha[j]
		for k := range h {
			for i, row := range p.Phi {
				h[j][k] += b[i] * row[j] * row[k]
			}
		}
	}
	return h
}

// Mode is the maximum of eq. (24) by Newton's method from 0 with halved steps.
func (p BayesProblem) Mode(alpha []float64) []float64 {
	w := make([]float64, len(alpha))
	for range 200 {
		d, _ := LSSVMSolve(p.Hessian(alpha, p.Curve(w)), p.Gradient(alpha, w))
		t, v := 1.0, p.LogPosterior(alpha, w)
		for p.LogPosterior(alpha, bayesAlong(w, d, t)) < v && t > 1e-12 {
			t /= 2
		}
		w = bayesAlong(w, d, t)
	}
	return w
}

func bayesAlong(w, d []float64, t float64) []float64 {
	x := make([]float64, len(w))
	for j := range w {
		x[j] = w[j] + t*d[j]
	}
	return x
}

// LogPosterior is eq. (24).
func (p BayesProblem) LogPosterior(alpha, w []float64) (v float64) {
	for i, f := range p.F(w) {
		v -= p.Weight[i] * math.Log(1+math.Exp(-p.Y[i]*f))
	}
	for j, a := range alpha {
		v -= a * w[j] * w[j] / 2
	}
	return v
}

// Evidence is ln ∫ p(t|w) p(w|α) dw by Laplace's approximation at the mode.
func (p BayesProblem) Evidence(alpha []float64) float64 {
	w := p.Mode(alpha)
	v := p.LogPosterior(alpha, w) - BayesLogDet(p.Hessian(alpha, p.Curve(w)))/2
	for _, a := range alpha {
		v += math.Log(a) / 2
	}
	return v
}

// BayesLogDet is ln |a| by elimination, of a positive definite a.
func BayesLogDet(a [][]float64) (sum float64) {
	for k := range a {
		sum += math.Log(a[k][k])
		for i := k + 1; i < len(a); i++ {
			f := a[i][k] / a[k][k]
			for j := k; j < len(a); j++ {
				a[i][j] -= f * a[k][j]
			}
		}
	}
	return sum
}

// Factors are S_m = φ_mᵀC⁻¹φ_m and Q_m = φ_mᵀC⁻¹z of Tipping & Faul (2003), eq. (22), with
// C = B⁻¹ + Σ φφᵀ/α over the basis functions at, for every column m of Phi.
func (p BayesProblem) Factors(indices []int, alpha, b, z []float64) (s, q []float64) {
	n := len(p.Phi)
	c := func() [][]float64 {
		m := make([][]float64, n)
		for i := range m {
			m[i] = make([]float64, n)
			m[i][i] = 1 / b[i]
			for l := range m {
				for k, j := range indices {
					m[i][l] += p.Phi[i][j] * p.Phi[l][j] / alpha[k]
				}
			}
		}
		return m
	}
	cols := len(p.Phi[0])
	s, q = make([]float64, cols), make([]float64, cols)
	for m := range cols {
		phi := make([]float64, n)
		for i := range phi {
			phi[i] = p.Phi[i][m]
		}
		x, _ := LSSVMSolve(c(), append([]float64(nil), phi...))
		for i, v := range x {
			s[m] += v * phi[i]
			q[m] += v * z[i]
		}
	}
	return s, q
}

// ProbitStep is one step of Figueiredo (2003), section 4.2: z_i = h_iᵀβ + y_i φ(h_iᵀβ)/Φ(y_i h_iᵀβ), then
// β = (V⁻¹ + HᵀWH)⁻¹ HᵀWz with V = diag(β²): (17) of Huang et al. (2010).
func (p BayesProblem) ProbitStep(beta []float64) []float64 {
	m := len(beta)
	a, right := make([][]float64, m), make([]float64, m)
	z := p.F(beta)
	for i, f := range z {
		density := math.Exp(-f*f/2) / math.Sqrt(2*math.Pi)
		z[i] += p.Y[i] * density / (math.Erfc(-p.Y[i]*f/math.Sqrt2) / 2)
	}
	for j := range m {
		a[j] = make([]float64, m)
		a[j][j] = 1 / (beta[j] * beta[j])
		for i, row := range p.Phi {
			right[j] += row[j] * p.Weight[i] * z[i]
			for k := range m {
				a[j][k] += row[j] * p.Weight[i] * row[k]
			}
		}
	}
	x, _ := LSSVMSolve(a, right)
	return x
}
