package gram

import (
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testutil"
)

// TestExpNeg64 walks the bit patterns from −0 to −∞.
func TestExpNeg64(t *testing.T) {
	step := uint64(0x7ff0000000000000 / 2_000_003)
	if testing.Short() {
		step *= 16
	}
	testutil.EachLevel(t, func(t *testing.T) {
		const block = 1000
		src, dst := make([]float64, 0, block), make([]float64, block)
		var ulps uint64
		var at float64
		flush := func() {
			ExpNeg(dst, src)
			for i, x := range src {
				if u := testutil.ULP(dst[i], math.Exp(x)); u > ulps {
					ulps, at = u, x
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
		for x := 0.0; x > -750; x -= 750 / (0x7ff0000000000000 / float64(step)) {
			add(x)
		}
		flush()
		if ulps > 2 {
			t.Errorf("e^%v is %d ULP from math.Exp", at, ulps)
		}
		t.Logf("worst %d ULP, at %v", ulps, at)
	})
}

// TestExpNeg32 walks the bit patterns from −0 to −∞.
func TestExpNeg32(t *testing.T) {
	step := uint32(257)
	if testing.Short() {
		step = 2503
	}
	testutil.EachLevel(t, func(t *testing.T) {
		const block = 1000
		src, dst := make([]float32, block), make([]float32, block)
		var worst float64
		var at float32
		for u := uint32(0); u < 0x7f800000-block*step; u += block * step {
			for i := range src {
				src[i] = math.Float32frombits((u + uint32(i)*step) | 1<<31)
			}
			ExpNeg(dst, src)
			for i, x := range src {
				want := math.Exp(float64(x))
				ulp := math.Ldexp(1, max(math.Ilogb(max(want, 1e-300)), -126)-23)
				if e := math.Abs(float64(dst[i])-want) / ulp; !(e <= worst || math.IsNaN(worst)) {
					worst, at = e, x
				}
			}
		}
		if !(worst <= 1) {
			t.Errorf("e^%v is wrong by %.3f ULP", at, worst)
		}
		t.Logf("worst %.3f ULP, at %v", worst, at)
	})
}

func TestExpNegSpecial(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		// Every special value must come out of every lane and of the tail.
		for _, c := range []struct{ x, want float64 }{
			{0, 1}, {math.Copysign(0, -1), 1}, {-math.SmallestNonzeroFloat64, 1}, {-0x1p-53, 1 - 0x1p-53},
			{math.Inf(-1), 0}, {-math.MaxFloat64, 0}, {-745.2, 0}, {-745.13, math.SmallestNonzeroFloat64},
			{math.NaN(), math.NaN()},
		} {
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
