package dense

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Sums that cancel to 1e-20 of their terms are right to some ten digits, where float64 has none.
func TestDoubled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		exact := new(big.Float).SetPrec(2000)
		var d Doubled
		add := func(x, y float64) {
			d.AddProduct(x, Doubled{Hi: y})
			p := new(big.Float).SetPrec(2000).SetFloat64(x)
			exact.Add(exact, p.Mul(p, new(big.Float).SetFloat64(y)))
		}
		for range 20 {
			x, y := r.NormFloat64(), math.Ldexp(r.NormFloat64(), r.IntN(20))
			add(x, y)
			add(-x, math.Nextafter(y, 0))
		}
		for range 2 { // what is left, to its leading digits, but for a little
			left, _ := exact.Float64()
			add(1, -left*(1-1e-4))
		}
		want, _ := exact.Float64()
		testutil.NearRel(t, "sum", d.Value(), want, 1e-6)
		testutil.NearRel(t, "a third of it", d.Times(1.0/3).Value(), want/3, 1e-6)
	}
}
