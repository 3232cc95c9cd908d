package svc

import (
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// singleSuffices reports whether the samples fit single precision well enough for the kernel. Rounding moves a feature
// by at most 2⁻²⁴ of half its range. It changes a value of the RBF kernel by √(2γ) times that distance, and of the
// Laplacian by γ times. If this is many times 2⁻²⁴, the kernel cannot tell close samples apart. The squares of features
// beyond 1e18 overflow.
func singleSuffices(p *learn.Problem) bool {
	if p.Kernel.Rows != nil {
		return p.Kernel.Singles()
	}
	least, largest := extremes(p.X[:p.N*p.D])
	if !(max(-least, largest) <= 1e18) {
		return false
	}
	heaviest := 1.0
	if w := p.Kernel.Weights; len(w) > 0 {
		heaviest = math.Sqrt(slices.Max(w))
	}
	d, half := float64(p.D), heaviest*(largest-least)/2 // at most: no feature has a wider range
	if fine(p.Kernel, d*half*half, d*half) {
		return true
	}
	lo, hi := slices.Repeat([]float64{math.Inf(1)}, p.D), slices.Repeat([]float64{math.Inf(-1)}, p.D)
	for i := range p.N {
		for k, v := range p.X[i*p.D : (i+1)*p.D] {
			lo[k], hi[k] = min(lo[k], v), max(hi[k], v)
		}
	}
	var square, sum float64
	for k := range p.D {
		half := (hi[k] - lo[k]) / 2
		if w := p.Kernel.Weights; w != nil {
			half *= math.Sqrt(w[k])
		}
		square, sum = square+half*half, sum+half
	}
	return fine(p.Kernel, square, sum)
}

// fine reports whether rounding stays small, from the sum of the weighted half ranges of the features and of their
// squares.
func fine(k gram.Kernel, square, sum float64) bool {
	const most = 256 // with γ ten times too large for scaled features it is 30
	return max(k.Gamma*sum, math.Sqrt(2*k.Gamma*square)) <= most
}

// extremes returns the smallest and the largest of x; +Inf and −Inf if x is empty.
func extremes(x []float64) (least, largest float64) {
	least, largest = math.Inf(1), math.Inf(-1)
	for _, v := range x { // branches that are rarely taken are faster than min and max
		if v < least {
			least = v
		}
		if v > largest {
			largest = v
		}
	}
	return least, largest
}
