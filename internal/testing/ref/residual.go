package ref

import "math"

// LSSVMDualResidual is ‖right − M z‖/‖right‖ of the system that [LSSVMDual] solves, at z = (b, a).
func LSSVMDualResidual(k [][]float64, y, w []float64, use []int, a []float64, b, gamma float64) float64 {
	n := len(use)
	m, right := make([][]float64, n+1), make([]float64, n+1)
	m[0] = make([]float64, n+1)
	for i, p := range use {
		m[0][i+1] = 1
		m[i+1] = make([]float64, n+1)
		m[i+1][0], right[i+1] = 1, y[p]
		for j, q := range use {
			m[i+1][j+1] = k[p][q]
		}
		m[i+1][i+1] += 1 / (gamma * w[p])
	}
	return lssvmRelativeResidual(m, right, append([]float64{b}, a...))
}

// LSSVMNormalResidual is the same of the normal equations of
//
//	½ Σ w_i (y_i − Σ_s v_s k_is − b)² + ½ ρ v'K_SS v + ½ μ v'v
//
// on the samples s; without a bias, b is no unknown and its equation is left out.
func LSSVMNormalResidual(k [][]float64, y, w []float64, s []int, v []float64, b, rho, mu float64, bias bool) float64 {
	column := func(i, j int) float64 { // of the design matrix, the bias behind the samples
		if j == len(s) {
			return 1
		}
		return k[i][s[j]]
	}
	n, z := len(s), append([]float64(nil), v...)
	if bias {
		n, z = n+1, append(z, b)
	}
	m, right := make([][]float64, n), make([]float64, n)
	for p := range n {
		m[p] = make([]float64, n)
		for i := range y {
			right[p] += w[i] * column(i, p) * y[i]
			for q := range n {
				m[p][q] += w[i] * column(i, p) * column(i, q)
			}
		}
		if p == len(s) {
			continue
		}
		m[p][p] += mu
		for q := range s {
			m[p][q] += rho * k[s[p]][s[q]]
		}
	}
	return lssvmRelativeResidual(m, right, z)
}

func lssvmRelativeResidual(m [][]float64, right, z []float64) float64 {
	var left, all float64
	for i, row := range m {
		r := right[i]
		for j, v := range row {
			r -= v * z[j]
		}
		left += r * r
		all += right[i] * right[i]
	}
	return math.Sqrt(left / all)
}
