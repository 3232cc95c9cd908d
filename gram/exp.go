package gram

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// ExpNeg writes e^src[i] to dst[i] for src[i] ≤ 0. Dst may be src. It panics if dst is shorter than src.
//
// Accuracy: where e^x is at least the least normal number, 2⁻¹⁰²² in float64 and 2⁻¹²⁶ in float32, the error is at
// most 2 ULP in float64 and 1 ULP in float32. The largest measured errors are 0.88 and 0.85 ULP from the true value
// (160 bits, 20000 arguments). Results are within 2 and 1 ULP of math.Exp, which has an error of its own.
// Smaller values become exactly 0: no result is subnormal, since processors take many times as long for those. This
// error is below 2⁻¹⁰²² and 2⁻¹²⁶; that of a value next to 1 may be 2⁻⁵² and 2⁻²⁴.
// e⁰ is exactly 1 and no result exceeds 1. NaN stays NaN. From 0 to 600 (float32: 40) the error has the same bounds;
// results for larger arguments are unspecified.
func ExpNeg[T Float](dst, src []T) { expScaled(dst, src, 1) }

// Every level uses this algorithm, which ARM's optimized routines, SLEEF and Go's math.Exp share:
//
//	n = round(x / ln 2)             by adding and subtracting 1.5·2⁵²
//	r = x − n·ln 2                  with ln 2 in two parts, |r| ≤ ln 2 / 2
//	e^x = 2ⁿ (1 + r (1 + r c(r)))   c interpolates (e^r − 1 − r)/r² at Chebyshev points
//
// Where e^x is below the least normal number the result is 0 instead. So n ≥ −1022, and 2ⁿ is normal too. The error
// that c(r) causes is below 2⁻⁵⁶ of e^r in float64 and 2⁻²⁷ in float32. A generator writes the constants for Go and
// both assemblers.

// expGeneric64 writes e^(scale·src[i]). It is the portable reference.
func expGeneric64(dst, src []float64, scale float64) { expPortable64(dst, src, scale, cpu.FastFMA) }

// expPortable64 is expGeneric64 with fused multiply-adds or, for hosts without the instruction, with none. There the
// first part of ln 2 has 32 bits, and n has 11, so their product is exact (Cody and Waite, Software Manual for the
// Elementary Functions, 1980, chapter 6).
func expPortable64(dst, src []float64, scale float64, fma bool) {
	for i, v := range src {
		x := scale * v
		if x <= expClamp64 {
			dst[i] = 0
			continue
		}
		var n float64
		p := expPoly64[len(expPoly64)-1]
		if fma {
			n = math.FMA(x, log2e64, shift64) - shift64
			r := math.FMA(n, -ln2lo64, math.FMA(n, -ln2hi64, x))
			for j := len(expPoly64) - 2; j >= 0; j-- {
				p = math.FMA(p, r, expPoly64[j])
			}
			p = math.FMA(math.FMA(p, r, 1), r, 1)
		} else {
			n = (float64(x*log2e64) + shift64) - shift64
			r := (x - float64(n*ln2top64)) - float64(n*ln2rest64)
			for j := len(expPoly64) - 2; j >= 0; j-- {
				p = float64(p*r) + expPoly64[j]
			}
			p = 1 + (r + float64(float64(r*r)*p))
		}
		dst[i] = p * pow2(n)
	}
}

// pow2 returns 2ⁿ for an integer −1022 ≤ n ≤ 1023, and any number for NaN.
func pow2(n float64) float64 { return math.Float64frombits(uint64(1023+int(n)) << 52) }

func expGeneric32(dst, src []float32, scale float32) {
	for i, v := range src {
		x := scale * v
		if x <= expClamp32 {
			dst[i] = 0
			continue
		}
		n := fma32(x, log2e32, shift32) - shift32
		r := fma32(n, -ln2lo32, fma32(n, -ln2hi32, x))
		p := expPoly32[len(expPoly32)-1]
		for j := len(expPoly32) - 2; j >= 0; j-- {
			p = fma32(p, r, expPoly32[j])
		}
		p = fma32(fma32(p, r, 1), r, 1)
		dst[i] = p * float32(pow2(float64(n)))
	}
}

// fma32 returns x·y + z. The product is exact. The sum is rounded to float64 and then to float32, which differs from
// one rounding for about one argument in 2²⁹.
func fma32(x, y, z float32) float32 { return float32(float64(x)*float64(y) + float64(z)) }
