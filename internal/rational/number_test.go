package rational

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestSum: sums of products over several denominators are those of package big, and their float64 is near.
func TestSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	dens := []*big.Int{One, big.NewInt(3), big.NewInt(12), big.NewInt(35)}
	var s Sum
	for range 500 {
		s.Reset()
		want := new(big.Rat)
		for range rng.IntN(8) {
			v := Number{Num: big.NewInt(rng.Int64N(99) - 50), Den: dens[rng.IntN(len(dens))], Exp: rng.IntN(40) - 20}
			w := OfFloat(rng.NormFloat64())
			a := float64(rng.IntN(9)-4) / 8
			s.Add(a, v)
			s.AddProduct(v, w)
			term := new(big.Rat).SetFloat64(a)
			term.Add(term, w.Rat())
			want.Add(want, term.Mul(term, v.Rat()))
		}
		got := s.Number()
		if got.Rat().Cmp(want) != 0 {
			t.Fatalf("sum %v, want %v", got.Rat(), want)
		}
		f, _ := want.Float64()
		if !testutil.Within(got.Float64(), f, 1e-14*math.Abs(f)) || got.Sign() != want.Sign() ||
			got.Neg().Sign() != -want.Sign() {
			t.Fatalf("%v as float64 is %v", want, got.Float64())
		}
	}
}
