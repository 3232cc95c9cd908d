package svc

import (
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
)

// held reports whether single precision holds the points well enough for the kernel. Rounding moves a
// feature by 2⁻²⁴ of half its range at most, and a value of the RBF kernel by √(2γ) times the distance
// moved, of the Laplacian by γ times. Where that is many times 2⁻²⁴, points close to one another are one
// to the kernel. Features beyond 1e18 have squares that overflow.
func held(p *learn.Problem) bool {
	if p.Kernel.Rows != nil {
		return p.Kernel.Singles()
	}
	const most = 256 // with γ ten times too large for scaled features it is 30
	lo, hi := slices.Repeat([]float64{math.Inf(1)}, p.D), slices.Repeat([]float64{math.Inf(-1)}, p.D)
	for i := range p.N {
		for k, v := range p.X[i*p.D : (i+1)*p.D] {
			lo[k], hi[k] = min(lo[k], v), max(hi[k], v)
		}
	}
	var square, sum float64
	for k := range p.D {
		if !(max(-lo[k], hi[k]) <= 1e18) {
			return false
		}
		half := (hi[k] - lo[k]) / 2
		if w := p.Kernel.Weights; w != nil {
			half *= math.Sqrt(w[k])
		}
		square, sum = square+half*half, sum+half
	}
	return max(p.Kernel.Gamma*sum, math.Sqrt(2*p.Kernel.Gamma*square)) <= most
}
