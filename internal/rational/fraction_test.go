package rational

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// number draws a positive number of the given size.
func number(rng *rand.Rand, bits int) *big.Int {
	x := big.NewInt(1)
	for x.BitLen() < bits {
		x.Lsh(x, 16)
		x.Or(x, big.NewInt(rng.Int64N(1<<16)))
	}
	return x
}

// TestFraction: a fraction is found from its residue if it is small enough, and a random residue has none.
func TestFraction(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		m := number(rng, 200+rng.IntN(3000))
		m.SetBit(m, 0, 1)
		n := number(rng, 1+rng.IntN(m.BitLen()-100))
		d := number(rng, 1+rng.IntN(m.BitLen()-60-n.BitLen()))
		if rng.IntN(2) == 0 {
			n.Neg(n)
		}
		inverse := new(big.Int).ModInverse(d, m)
		if inverse == nil {
			continue
		}
		v := inverse.Mul(inverse, n)
		v.Mod(v, m)
		want := new(big.Rat).SetFrac(n, d)
		gotN, gotD := fraction(v, m)
		if gotN == nil || gotD.Sign() <= 0 || new(big.Rat).SetFrac(gotN, gotD).Cmp(want) != 0 {
			t.Fatalf("%v/%v modulo %v: found %v/%v", n, d, m, gotN, gotD)
		}
		random := new(big.Int).Mod(number(rng, 2*m.BitLen()), m)
		if gotN, gotD = fraction(random, m); gotN != nil && gotN.BitLen()+gotD.BitLen() > m.BitLen()-guard+2 {
			t.Fatalf("a random residue modulo %v is %v/%v", m, gotN, gotD)
		}
	}
}
