package lssvm

import (
	"fmt"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// PerInput divides an RBF kernel's γ by the number of inputs d. Abe's γ is meant
// so, k = exp(−(γ/d)‖x−z‖²) with inputs in [0, 1]: the paper does not print it,
// but its support vector counts follow from nothing else (banana 93 as printed,
// 131 with γ undivided).
func PerInput(k gram.Kernel, d int) gram.Kernel {
	k.Gamma /= float64(max(d, 1))
	return k
}

// Mahalanobis is the diagonal Mahalanobis kernel
// exp(−(δ/d) Σ_k (x_k−z_k)²/s_k²) with the variances s_k² (divisor M, weighted)
// of p's points; Abe (2008), section 4. A constant feature takes no part. For
// several classes make one from each pair's own points
// ([github.com/sparsekm/sparsekm/learn/multiclass.Problem.KernelOf]): with one
// vector of variances for all, Abe's satimage counts do not come out.
func Mahalanobis(p *learn.Problem, delta float64) (gram.Kernel, error) {
	if err := positive("delta", delta); err != nil {
		return gram.Kernel{}, err
	}
	if p.N < 1 || len(p.X) < p.N*p.D {
		return gram.Kernel{}, fmt.Errorf("lssvm: %d values for %d points of dimension %d", len(p.X), p.N, p.D)
	}
	w := func(i int) float64 {
		if p.Weight == nil {
			return 1
		}
		return p.Weight[i]
	}
	inverse := make([]float64, p.D)
	for k := range inverse {
		var total, mean, variance float64
		for i := range p.N {
			total += w(i)
			mean += w(i) * p.X[i*p.D+k]
		}
		mean /= total
		for i := range p.N {
			d := p.X[i*p.D+k] - mean
			variance += w(i) * d * d
		}
		if variance > 0 {
			inverse[k] = total / variance
		}
	}
	return gram.WeightedRBF(delta/float64(max(p.D, 1)), inverse), nil
}
