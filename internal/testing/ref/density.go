package ref

// This file holds the program of Huang et al. (2010), eq. (18)-(20), written down literally, with α ≥ 0, for
// tests, and a slow solver for it.

import (
	"math"
	"slices"
)

// DensityObjective is −C Σ_i w_i ln Σ_j α_j k_ij + Σ λ_j α_j², eq. (18), for Gaussians k of height 1, a row a sample.
func DensityObjective(k [][]float64, w, alpha, lambda []float64, c float64) (v float64) {
	for i, row := range k {
		var p float64
		for j, a := range alpha {
			p += a * row[j]
		}
		v -= c * w[i] * math.Log(p)
	}
	for j, a := range alpha {
		v += lambda[j] * a * a
	}
	return v
}

// DensitySolve minimises it over the simplex by gradient steps that are projected back onto it, halved until they
// descend.
func DensitySolve(k [][]float64, w, lambda []float64, c float64, steps int) []float64 {
	n := len(lambda)
	alpha := make([]float64, n)
	for j := range alpha {
		alpha[j] = 1 / float64(n)
	}
	step, v := 1.0, DensityObjective(k, w, alpha, lambda, c)
	for range steps {
		g := make([]float64, n)
		for i, row := range k {
			var p float64
			for j, a := range alpha {
				p += a * row[j]
			}
			for j := range g {
				g[j] -= c * w[i] * row[j] / p
			}
		}
		for step *= 4; step > 1e-300; step /= 2 {
			next := make([]float64, n)
			for j, a := range alpha {
				next[j] = a - step*(g[j]+2*lambda[j]*a)
			}
			densityProject(next)
			if f := DensityObjective(k, w, next, lambda, c); f <= v {
				alpha, v = next, f
				break
			}
		}
	}
	return alpha
}

// densityProject moves x to the nearest point of the simplex.
func densityProject(x []float64) {
	by := slices.Sorted(slices.Values(x))
	slices.Reverse(by)
	var sum, shift float64
	for j, v := range by {
		if sum += v; v-(sum-1)/float64(j+1) > 0 {
			shift = (sum - 1) / float64(j+1)
		}
	}
	for j := range x {
		x[j] = max(0, x[j]-shift)
	}
}
