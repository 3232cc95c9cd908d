package bayes

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/ref/lssvm"
)

// LogNormal is ln N(t | 0, σ²I + Φ A⁻¹ Φᵀ), the marginal likelihood of real targets t by Tipping (2001), eq. (15), with
// a row of Phi a sample. Weights are not looked at.
func (p Problem) LogNormal(alpha, t []float64, variance float64) float64 {
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
	x, _ := lssvm.Solve(c(), append([]float64(nil), t...))
	v := -(float64(len(t))*math.Log(2*math.Pi) + LogDet(c())) / 2
	for i := range t {
		v -= t[i] * x[i] / 2
	}
	return v
}

// Posterior is μ = σ⁻²ΣΦᵀt and the diagonal of Σ = (σ⁻²ΦᵀΦ + A)⁻¹, eq. (12)-(13).
func (p Problem) Posterior(alpha, t []float64, variance float64) (mean, diagonal []float64) {
	m := len(alpha)
	inverse := func() [][]float64 {
		h := make([][]float64, m)
		for j := range h {
			h[j] = make([]float64, m)
			h[j][j] = alpha[j]
			for k := range h {
				for _, row := range p.Phi {
					h[j][k] += row[j] * row[k] / variance
				}
			}
		}
		return h
	}
	mean, diagonal = make([]float64, m), make([]float64, m)
	for j := range m {
		for i, row := range p.Phi {
			mean[j] += row[j] * t[i] / variance
		}
		unit := make([]float64, m)
		unit[j] = 1
		column, _ := lssvm.Solve(inverse(), unit)
		diagonal[j] = column[j]
	}
	mean, _ = lssvm.Solve(inverse(), mean)
	return mean, diagonal
}

// Reestimate is α ← γ/μ² with γ = 1 − αΣ, eq. (16)-(17), and σ² ← ‖t − Φμ‖² / (N − Σγ), eq. (18).
func (p Problem) Reestimate(alpha, t []float64, variance float64) (next []float64, noise float64) {
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
