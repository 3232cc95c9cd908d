package gram

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestExpNeg64 walks the bit patterns from −0 to −∞, and 0 to 600.
func TestExpNeg64(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) { walkExp64(t, ExpNeg[float64]) })
}

// TestExpPlain64 holds the loop for processors without fused multiply-adds to the same bound.
func TestExpPlain64(t *testing.T) {
	plain := func(dst, src []float64) { expPortable64(dst, src, 1, false) }
	walkExp64(t, plain)
	for _, c := range specialExps {
		dst := []float64{0}
		if plain(dst, []float64{c.x}); dst[0] != c.want && !(dst[0] != dst[0] && c.want != c.want) {
			t.Errorf("e^%v is %v, want %v", c.x, dst[0], c.want)
		}
	}
}

// walkExp64 holds exp against math.Exp at the bit patterns from −0 to −∞, and evenly from 600 to −750.
func walkExp64(t *testing.T, exp func(dst, src []float64)) {
	t.Helper()
	step := uint64(0x7ff0000000000000 / 2_000_003)
	if testing.Short() {
		step *= 16
	}
	const block = 1000
	src, dst := make([]float64, 0, block), make([]float64, block)
	var ulps uint64
	var value float64
	flush := func() {
		exp(dst, src)
		for i, x := range src {
			want := math.Exp(x)
			if x <= expClamp64 {
				want = 0
			}
			if u := testutil.ULP(dst[i], want); u > ulps {
				ulps, value = u, x
			}
		}
		src = src[:0]
	}
	add := func(x float64) {
		if src = append(src, x); len(src) == block {
			flush()
		}
	}
	for u := uint64(0); u < 0x7ff0000000000000; u += step {
		add(math.Float64frombits(u | 1<<63))
	}
	// Most patterns are tiny or huge; walk the interesting interval evenly as well.
	for x := 600.0; x > -750; x -= 750 / (0x7ff0000000000000 / float64(step)) {
		add(x)
	}
	flush()
	if ulps > 2 {
		t.Errorf("e^%v is %d ULP from math.Exp", value, ulps)
	}
	t.Logf("worst %d ULP, at %v", ulps, value)
}

// TestExpNeg32 walks the bit patterns from −0 to −∞, and from 0 to 40.
func TestExpNeg32(t *testing.T) {
	step := uint32(257)
	if testing.Short() {
		step = 2503
	}
	testutil.EachLevel(t, func(t *testing.T) {
		const block = 1000
		src, dst := make([]float32, block), make([]float32, block)
		var worst float64
		var value float32
		for u := uint32(0); u < 0x7f800000-block*step; u += block * step {
			for i := range src {
				src[i] = math.Float32frombits((u + uint32(i)*step) | 1<<31)
				if i%2 == 1 && src[i] > -40 {
					src[i] = -src[i]
				}
			}
			ExpNeg(dst, src)
			for i, x := range src {
				want := math.Exp(float64(x))
				ulp := math.Ldexp(1, max(math.Ilogb(max(want, 1e-300)), -126)-23)
				if x <= expClamp32 {
					want = 0
				}
				if e := math.Abs(float64(dst[i])-want) / ulp; !(e <= worst || math.IsNaN(worst)) {
					worst, value = e, x
				}
			}
		}
		if !(worst <= 1) {
			t.Errorf("e^%v is wrong by %.3f ULP", value, worst)
		}
		t.Logf("worst %.3f ULP, at %v", worst, value)
	})
}

var specialExps = []struct{ x, want float64 }{
	{0, 1}, {math.Copysign(0, -1), 1}, {-math.SmallestNonzeroFloat64, 1}, {-0x1p-53, 1 - 0x1p-53},
	{math.Inf(-1), 0}, {-math.MaxFloat64, 0}, {-745.13, 0}, {expClamp64, 0}, {math.NaN(), math.NaN()},
}

// TestExpNegLeast walks the arguments next to the logarithm of the least normal number: e^x is 0 exactly where it is
// less, and else not subnormal. The logarithm is the exact one, so that no level can have a place of its own.
func TestExpNegLeast(t *testing.T) {
	log := new(big.Float).SetPrec(160).Mul(bigLn2, big.NewFloat(-1022))
	log32 := new(big.Float).SetPrec(160).Mul(bigLn2, big.NewFloat(-126))
	at, _ := log.Float64()
	at32, _ := log32.Float32()
	const n = 130 // whole vectors, and the rest
	src, dst, src32, dst32 := make([]float64, n), make([]float64, n), make([]float32, n), make([]float32, n)
	for i := range src {
		src[i] = math.Float64frombits(math.Float64bits(at) + uint64(n/2-i))
		src32[i] = math.Float32frombits(math.Float32bits(at32) + uint32(n/2-i))
	}
	check := func(t *testing.T, x, got, least float64, log *big.Float) {
		t.Helper()
		if below := big.NewFloat(x).Cmp(log) < 0; below && got != 0 || !below && !(got >= least && got < 1.01*least) {
			t.Errorf("e^%v is %v, want a number of at least %v unless the exact value is below", x, got, least)
		}
	}
	testutil.EachLevel(t, func(t *testing.T) {
		ExpNeg(dst, src)
		ExpNeg(dst32, src32)
		for i := range src {
			check(t, src[i], dst[i], 0x1p-1022, log)
			check(t, float64(src32[i]), float64(dst32[i]), 0x1p-126, log32)
		}
	})
	expPortable64(dst, src, 1, false)
	for i := range src {
		check(t, src[i], dst[i], 0x1p-1022, log)
	}
}

func TestExpNegSpecial(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		// Every special value must come out of every lane and of the tail.
		for _, c := range specialExps {
			for n := range 70 {
				src, dst := make([]float64, n), make([]float64, n)
				src32, dst32 := make([]float32, n), make([]float32, n)
				for i := range src {
					src[i], src32[i] = c.x, float32(c.x)
				}
				ExpNeg(dst, src)
				ExpNeg(dst32, src32)
				want32 := float32(c.want)
				if c.x == -0x1p-53 {
					want32 = 1
				}
				for i := range dst {
					if dst[i] != c.want && !(dst[i] != dst[i] && c.want != c.want) {
						t.Fatalf("float64 e^%v at %d of %d is %v, want %v", c.x, i, n, dst[i], c.want)
					}
					if dst32[i] != want32 && !(dst32[i] != dst32[i] && want32 != want32) {
						t.Fatalf("float32 e^%v at %d of %d is %v, want %v", c.x, i, n, dst32[i], want32)
					}
				}
			}
		}
	})
}

// exactExp is e^x for x ≤ 0 in 160 bits: e^r by its series, r = x − n·ln 2, times 2ⁿ.
func exactExp(x float64) *big.Float {
	const bits = 160
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(v) }
	n := int(math.Round(x / math.Ln2))
	r := number(x)
	r.Sub(r, new(big.Float).SetPrec(bits).Mul(number(float64(n)), bigLn2))
	sum, term := number(1), number(1)
	for i := 1.0; i < 40; i++ {
		term.Mul(term, r)
		term.Quo(term, number(i))
		sum.Add(sum, term)
	}
	return sum.SetMantExp(sum, n)
}

var bigLn2, _ = new(big.Float).SetPrec(200).SetString(
	"0.693147180559945309417232121458176568075500134360255254120680009493393621969694715605863326996")

// ulps is the error of got in units in the last place of the exact value, for a type
// with so many bits and such a smallest exponent.
func ulps(got float64, exact *big.Float, mantissa, atLeast int) float64 {
	e := new(big.Float).SetPrec(160).SetFloat64(got)
	e.Sub(e, exact)
	ulp := max(exact.MantExp(nil)-1, atLeast) - mantissa
	v, _ := e.SetMantExp(e, -ulp).Float64()
	return math.Abs(v)
}

// TestExpExact measures the error against the true value, not against math.Exp,
// which has one of its own.
func TestExpExact(t *testing.T) {
	count := 20000
	if testing.Short() {
		count = 2000
	}
	rng := rand.New(rand.NewPCG(8, 9))
	src, src32 := make([]float64, count), make([]float32, count)
	exact, exact32 := make([]*big.Float, count), make([]*big.Float, count)
	for i := range src {
		switch i % 4 {
		case 0:
			src[i] = -math.Exp(rng.NormFloat64() * 2)
		case 1: // where the reduced argument is largest
			src[i] = -(float64(rng.IntN(1000)) + 0.5 + rng.NormFloat64()*1e-3) * math.Ln2
		case 2: // results about the least normal number, and below
			src[i] = -707 - 2*rng.Float64()
		default:
			src[i] = -750 * rng.Float64()
		}
		src32[i] = float32(src[i])
		if i%4 == 2 {
			src32[i] = -86 - 2*rng.Float32()
		}
		exact[i], exact32[i] = exactExp(src[i]), exactExp(float64(src32[i]))
		if exact[i].Cmp(big.NewFloat(0x1p-1022)) < 0 {
			exact[i].SetInt64(0)
		}
		if exact32[i].Cmp(big.NewFloat(0x1p-126)) < 0 {
			exact32[i].SetInt64(0)
		}
	}
	testutil.EachLevel(t, func(t *testing.T) {
		dst, dst32 := make([]float64, count), make([]float32, count)
		ExpNeg(dst, src)
		ExpNeg(dst32, src32)
		var worst, worst32 float64
		for i := range dst {
			worst = max(worst, ulps(dst[i], exact[i], 52, -1022))
			worst32 = max(worst32, ulps(float64(dst32[i]), exact32[i], 23, -126))
		}
		testutil.AtMost(t, "error in ULP, float64", worst, 1)
		testutil.AtMost(t, "error in ULP, float32", worst32, 1)
		t.Logf("worst %.3f ULP in float64, %.3f in float32", worst, worst32)
	})
	var worst float64
	dst := make([]float64, count)
	expPortable64(dst, src, 1, false)
	for i := range dst {
		worst = max(worst, ulps(dst[i], exact[i], 52, -1022))
	}
	testutil.AtMost(t, "error in ULP without fused multiply-adds", worst, 1)
	t.Logf("worst %.3f ULP without fused multiply-adds", worst)
}

// TestNarrowKernels looks for subnormal values where kernels are so narrow that many values are next to the least
// normal number: in rows, matrices that are mirrored, and decisions.
func TestNarrowKernels(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for kind, own := range kinds {
			if !own.distance || own.curve == &rational {
				continue
			}
			for _, far := range []float64{87, 708} {
				k := Kernel{Kind: Kind(kind), Gamma: far}
				if own.curve != nil {
					k.Gamma *= far
				}
				if far == 87 {
					testNarrow[float32](t, k, 0x1p-126)
				} else {
					testNarrow[float64](t, k, 0x1p-1022)
				}
			}
		}
	})
}

func testNarrow[T Float](t *testing.T, k Kernel, least T) {
	t.Helper()
	const n, d = 150, 2
	x := points(n, d)
	for i := range x {
		x[i] *= 0.5
	}
	p := Pack[T](k, x, n, d)
	full, row := make([]T, n*n), make([]T, n)
	p.Full(full, n)
	var none, few int
	check := func(what string, v T) {
		t.Helper()
		if v != 0 && v < least || v != v {
			t.Fatalf("%v, %T: %s is %v, a subnormal number", k.Kind, v, what, v)
		}
	}
	for i := range n {
		p.Row(row, i)
		for j, v := range row {
			check("a value of a row", v)
			check("a value of the matrix", full[i*n+j])
			if v == 0 {
				none++
			} else if v < 1e9*least {
				few++
			}
		}
		s := NewSmall(Pack[float64](k, x[:d], 1, d).Expand([]float64{1}), nil, []float64{0})
		var decision [1]float64
		s.Eval(decision[:], x[i*d:(i+1)*d])
		if v := decision[0]; v != 0 && v < 0x1p-1022 {
			t.Fatalf("%v: a decision is %v, a subnormal number", k.Kind, v)
		}
	}
	if none < 100 || few < 10 {
		t.Errorf("%v, %T: %d values are 0 and %d tiny: the test sees too little", k.Kind, least, none, few)
	}
}
