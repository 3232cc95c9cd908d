package boxqp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Exact sums are as good as those of big numbers.
func TestExactSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 46))
	for n := range 60 {
		x, y := make([]float64, n), make([]float64, n)
		want := new(big.Float).SetPrec(2000).SetFloat64(1)
		hi, lo := []float64{1}, []float64{0}
		for k := range n {
			x[k] = math.Ldexp(rng.NormFloat64(), rng.IntN(60))
			y[k] = rng.NormFloat64()
			if k > 0 && k%2 == 0 { // cancels what was there but for a rounding
				x[k], y[k] = x[k-1], -y[k-1]*(1+0x1p-52)
			}
			v := new(big.Float).SetPrec(2000).SetFloat64(x[k])
			want.Add(want, v.Mul(v, new(big.Float).SetFloat64(y[k])))
			addExact(hi, lo, x[k], y[k:k+1])
		}
		w, _ := want.Float64()
		testutil.Near(t, "dot", dotExact(1, x, y), w, 1e-15*max(1, math.Abs(w)))
		testutil.Near(t, "sum", hi[0]+lo[0], w, 1e-15*max(1, math.Abs(w)))
	}
}
