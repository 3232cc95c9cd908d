package rational

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// anyFloat draws numbers of all exponents, zeros and denormal ones among them.
func anyFloat(rng *rand.Rand) float64 {
	for {
		f := math.Float64frombits(rng.Uint64())
		switch rng.IntN(8) {
		case 0:
			f = math.Copysign(math.Float64frombits(rng.Uint64N(1<<53)), f)
		case 1:
			f = []float64{0, math.Copysign(0, -1), math.MaxFloat64, math.SmallestNonzeroFloat64, 1}[rng.IntN(5)]
		case 2, 3, 4:
			f = rng.NormFloat64()
		}
		if f-f == 0 {
			return f
		}
	}
}

// TestProducts: sums of products are those of package big, whatever the exponents, and those that cancel are 0.
func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		var s Products
		want := new(big.Rat)
		var factors [][2]float64
		for range rng.IntN(20) {
			a, b := anyFloat(rng), anyFloat(rng)
			factors = append(factors, [2]float64{a, b})
			s.Add(a, b)
			want.Add(want, new(big.Rat).Mul(new(big.Rat).SetFloat64(a), new(big.Rat).SetFloat64(b)))
		}
		got, finite := s.Number()
		if !finite || got.Rat().Cmp(want) != 0 {
			t.Fatalf("sum of the products of %v is %v, want %v", factors, got.Rat(), want)
		}
		for k, f := range factors {
			s.Add(-f[1], f[0])
			if k == 0 {
				s.Add(math.NaN(), 0)
			}
		}
		if got, finite := s.Number(); got.Sign() != 0 || finite != (len(factors) == 0) {
			t.Fatalf("%v − itself is %v, finite %v", factors, got.Rat(), finite)
		}
	}
}

// TestProductsCarry: a sum that fills words with ones carries through all of them.
func TestProductsCarry(t *testing.T) {
	var s Products
	want := new(big.Rat)
	for e := -1022; e < 1023; e++ { // 2^1023 − 2^-1022, then 2^-1022
		s.Add(math.Ldexp(1, e), 1)
		want.Add(want, new(big.Rat).SetFloat64(math.Ldexp(1, e)))
	}
	s.Add(math.Ldexp(1, -1022), 1)
	if got, _ := s.Number(); got.Rat().Cmp(new(big.Rat).SetFloat64(0x1p1023)) != 0 {
		t.Errorf("got %v", got.Float64())
	}
	for range 1000 {
		s.Add(math.MaxFloat64, -math.MaxFloat64)
	}
	square := new(big.Rat).SetFloat64(math.MaxFloat64)
	square.Mul(square, square).Mul(square, new(big.Rat).SetInt64(-1000))
	square.Add(square, new(big.Rat).SetFloat64(0x1p1023))
	if got, _ := s.Number(); got.Rat().Cmp(square) != 0 {
		t.Errorf("1000 products below -2^2047: %v", got.Float64())
	}
}

// TestAtLeast: the float64 is not below the number, and the one before it is.
func TestAtLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 2000 {
		v := OfFloat(anyFloat(rng))
		if v.Sign() != 0 && rng.IntN(4) > 0 {
			v = Number{Num: v.Num, Den: big.NewInt(1 + rng.Int64N(9)), Exp: v.Exp + rng.IntN(30) - 15}
		}
		f := v.AtLeast()
		switch exact := v.Rat(); {
		case math.IsInf(f, 1):
			if exact.Cmp(new(big.Rat).SetFloat64(math.MaxFloat64)) <= 0 {
				t.Fatalf("%v became infinite", exact)
			}
		case new(big.Rat).SetFloat64(f).Cmp(exact) < 0:
			t.Fatalf("%v is below %v", f, exact)
		default:
			before := math.Nextafter(f, math.Inf(-1))
			if !math.IsInf(before, -1) && new(big.Rat).SetFloat64(before).Cmp(exact) >= 0 {
				t.Fatalf("%v is above %v by too much", f, exact)
			}
		}
	}
}

// BenchmarkProducts adds 8 products to each of 1024 sums.
func BenchmarkProducts(b *testing.B) {
	rng := rand.New(rand.NewPCG(11, 12))
	x := make([]float64, 1024)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	s := make([]Products, len(x))
	for b.Loop() {
		for i, v := range x {
			for _, w := range x[:8] {
				s[i].Add(v, w)
			}
		}
	}
}
