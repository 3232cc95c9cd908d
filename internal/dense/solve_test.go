package dense

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// The product of the triangle, or of its transpose, with what Forward and Backward return is the right side, and only
// the elements of x are written.
func TestForwardBackward(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(2, 1))
		for _, n := range lengths() {
			ld := n + 3
			l := make([]float64, n*ld)
			for i := range l {
				l[i] = rng.Float64() - 0.5
			}
			for i := range n {
				l[i*ld+i] = float64(n) + rng.Float64()
			}
			x := make([]float64, n+2)
			for i := range x {
				x[i] = rng.Float64() - 0.5
			}
			for name, solve := range map[string]func([]float64, int, []float64){"Forward": Forward, "Backward": Backward} {
				got := slices.Clone(x)
				solve(l, ld, got[:n])
				for i := range n {
					var sum float64
					for k := range n {
						switch {
						case name == "Forward" && k <= i:
							sum += l[i*ld+k] * got[k]
						case name == "Backward" && k >= i:
							sum += l[k*ld+i] * got[k]
						}
					}
					if !(math.Abs(sum-x[i]) <= 1e-13) {
						t.Errorf("n=%d: %s: element %d of the product is %v, want %v", n, name, i, sum, x[i])
					}
				}
				if !slices.Equal(got[n:], x[n:]) {
					t.Errorf("n=%d: %s writes behind its vector", n, name)
				}
			}
		}
	})
}
