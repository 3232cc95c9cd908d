package ref

import (
	"math"
)

// LogNormal is ln N(t | 0, σ²I + Φ A⁻¹ Φᵀ), the marginal likelihood of real targets t by Tipping (2001), eq. (15), with
// a row of Phi a sample. Weights are not looked at.
func (p BayesProblem) LogNormal(alpha, t []float64, variance float64) float64 {
	c := func() [][]float64 {
		m := make([][]float64, len(t))
		for i := range m {
			m[i] = make([]float64, len(t))
			m[i][i] = variance
			for l := range m {
				for j, a := range alpha {
					m[i][l] += p.Phi[i][j] * p.Phi[l][j] / a
				}
			}
		}
		return m
	}
	x, _ := LSSVMSolve(c(), append([]float64(nil), t...))
	v := -(float64(len(t))*math.Log(2*math.Pi) + BayesLogDet(c())) / 2
	for i := range t {
		v -= t[i] * x[i] / 2
	}
	return v
}

// inverse is Σ⁻¹ = σ⁻²ΦᵀΦ + A.
func (p BayesProblem) inverse(alpha []float64, variance float64) [][]float64 {
	h := make([][]float64, len(alpha))
	for j := range h {
		h[j] = make([]float64, len(alpha))
		h[j][j] = alpha[j]
		for k := range h {
			for _, row := range p.Phi {
				h[j][k] += row[j] * row[k] / variance
			}
		}
	}
	return h
}

// Predictive is σ² + φᵀΣφ, eq. (22).
func (p BayesProblem) Predictive(alpha []float64, variance float64, phi []float64) float64 {
	x, _ := LSSVMSolve(p.inverse(alpha, variance), append([]float64(nil), phi...))
	v := variance
	for j := range phi {
		v += phi[j] * x[j]
	}
	return v
}

// PredictiveByPoints is the same of the normal process that the targets are of, with the covariance k(x, z) =
// Σ_j φ_j(x) φ_j(z)/α_j: σ² + k(x, x) − kᵀ(K + σ²I)⁻¹k over the samples, by which no Σ is formed.
func (p BayesProblem) PredictiveByPoints(alpha []float64, variance float64, phi []float64) float64 {
	k := func(a, b []float64) (sum float64) {
		for j := range alpha {
			sum += a[j] * b[j] / alpha[j]
		}
		return sum
	}
	c, to := make([][]float64, len(p.Phi)), make([]float64, len(p.Phi))
	for i, a := range p.Phi {
		for _, b := range p.Phi {
			c[i] = append(c[i], k(a, b))
		}
		c[i][i] += variance
		to[i] = k(a, phi)
	}
	x, _ := LSSVMSolve(c, append([]float64(nil), to...))
	v := variance + k(phi, phi)
	for i := range x {
		v -= to[i] * x[i]
	}
	return v
}

// Posterior is μ = σ⁻²ΣΦᵀt and the diagonal of Σ = (σ⁻²ΦᵀΦ + A)⁻¹, eq. (12)-(13).
func (p BayesProblem) Posterior(alpha, t []float64, variance float64) (mean, diagonal []float64) {
	m := len(alpha)
	mean, diagonal = make([]float64, m), make([]float64, m)
	for j := range m {
		for i, row := range p.Phi {
			mean[j] += row[j] * t[i] / variance
		}
		unit := make([]float64, m)
		unit[j] = 1
		column, _ := LSSVMSolve(p.inverse(alpha, variance), unit)
		diagonal[j] = column[j]
	}
	mean, _ = LSSVMSolve(p.inverse(alpha, variance), mean)
	return mean, diagonal
}

// Reestimate is α ← γ/μ² with γ = 1 − αΣ, eq. (16)-(17), and σ² ← ‖t − Φμ‖² / (N − Σγ), eq. (18).
func (p BayesProblem) Reestimate(alpha, t []float64, variance float64) (next []float64, noise float64) {
	mean, diagonal := p.Posterior(alpha, t, variance)
	free := float64(len(t))
	for j, a := range alpha {
		gamma := 1 - a*diagonal[j]
		next = append(next, gamma/(mean[j]*mean[j]))
		free -= gamma
	}
	for i, f := range p.F(mean) {
		noise += (t[i] - f) * (t[i] - f) / free
	}
	return next, noise
}
