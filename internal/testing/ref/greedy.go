package ref

import "math"

// LSSVMGreedy describes a forward selection by brute force: each candidate is fitted
// together with the selection from scratch.
type LSSVMGreedy struct {
	Bias     bool
	Ridge    float64 // penalty ρ v'K_SS v
	Matching bool    // choose by (k_j'r)²/‖k_j‖² instead of by the fit's error
}

// Fit minimises ‖y − K_S v − b‖² + ρ v'K_SS v and returns half of the minimum.
func (g LSSVMGreedy) Fit(k [][]float64, y []float64, s []int) (v []float64, b, objective float64) {
	n := len(s)
	a, right := make([][]float64, n), make([]float64, n)
	mean, ymean := g.means(k, y)
	for i, p := range s {
		a[i] = make([]float64, n)
		for j, q := range s {
			a[i][j] = g.Ridge * k[p][q]
			for r := range y {
				a[i][j] += (k[r][p] - mean[p]) * (k[r][q] - mean[q])
			}
		}
		for r := range y {
			right[i] += (k[r][p] - mean[p]) * (y[r] - ymean)
		}
	}
	v, _ = LSSVMSolve(a, right)
	b = ymean
	for i, p := range s {
		b -= v[i] * mean[p]
	}
	for r := range y {
		f := b
		for i, p := range s {
			f += v[i] * k[r][p]
		}
		objective += (y[r] - f) * (y[r] - f) / 2
	}
	for i, p := range s {
		for j, q := range s {
			objective += g.Ridge * v[i] * v[j] * k[p][q] / 2
		}
	}
	return v, b, objective
}

// means are those of the columns and the labels; zeros without a bias.
func (g LSSVMGreedy) means(k [][]float64, y []float64) (mean []float64, ymean float64) {
	mean = make([]float64, len(y))
	for r := 0; g.Bias && r < len(y); r++ {
		ymean += y[r] / float64(len(y))
		for p := range mean {
			mean[p] += k[r][p] / float64(len(y))
		}
	}
	return mean, ymean
}

// Select chooses steps samples, without regard to singular candidates.
func (g LSSVMGreedy) Select(k [][]float64, y []float64, steps int) (s []int) {
	mean, _ := g.means(k, y)
	used := make([]bool, len(y))
	for range steps {
		v, b, _ := g.Fit(k, y, s)
		best, top := -1, math.Inf(-1)
		for j := range y {
			if used[j] {
				continue
			}
			var score float64
			if g.Matching {
				var match, norm float64
				for r := range y {
					f := b
					for i, p := range s {
						f += v[i] * k[r][p]
					}
					match += (k[r][j] - mean[j]) * (y[r] - f)
					norm += (k[r][j] - mean[j]) * (k[r][j] - mean[j])
				}
				score = match * match / norm
			} else {
				_, _, o := g.Fit(k, y, append(s[:len(s):len(s)], j))
				score = -o
			}
			if score > top {
				best, top = j, score
			}
		}
		s = append(s, best)
		used[best] = true
	}
	return s
}
