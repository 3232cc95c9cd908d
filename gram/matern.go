package gram

import (
	"math"
)

// The Matérn kernels and the rational quadratic one are functions of the sum of RBF, s = Σ w_k (x_k−z_k)². Their γ is
// RBF's too: with a length scale ℓ, as scikit-learn has it, γ = 1/(2ℓ²), and so ℓ is the σ of [RBFSigma]. For ν → ∞ or
// α → ∞ they become RBF with the same γ. See Rasmussen and Williams, Gaussian Processes for Machine Learning (2006),
// (4.14), (4.17) and (4.19).

// Matern12 is e^(−√(2γ)‖x−z‖), the Matérn kernel with ν = 1/2: e^(−‖x−z‖/ℓ) for γ = 1/(2ℓ²).
func Matern12(gamma float64) Kernel { return Kernel{Kind: KindMatern12, Gamma: gamma} }

// Matern32 is (1 + t) e^(−t) for t = √(6γ)‖x−z‖, the Matérn kernel with ν = 3/2: t = √3‖x−z‖/ℓ for γ = 1/(2ℓ²).
func Matern32(gamma float64) Kernel { return Kernel{Kind: KindMatern32, Gamma: gamma} }

// Matern52 is (1 + t + t²/3) e^(−t) for t = √(10γ)‖x−z‖, the Matérn kernel with ν = 5/2: t = √5‖x−z‖/ℓ for
// γ = 1/(2ℓ²).
func Matern52(gamma float64) Kernel { return Kernel{Kind: KindMatern52, Gamma: gamma} }

// RationalQuadratic is (1 + γ‖x−z‖²/α)^(−α): (1 + ‖x−z‖²/(2αℓ²))^(−α) for γ = 1/(2ℓ²).
func RationalQuadratic(alpha, gamma float64) Kernel {
	return Kernel{Kind: KindRationalQuadratic, Alpha: alpha, Gamma: gamma}
}

// MaxAlpha is the largest α of [RationalQuadratic], which is RBF to nine digits there.
const MaxAlpha = 1e9

// curve is a kernel value as a function of the sum s: e^(−t)(1 + t(first + second·t)) for t = √(root·γ·s), or the
// rational quadratic kernel if root is 0.
type curve struct{ root, first, second float64 }

var (
	matern12 = curve{root: 2}
	matern32 = curve{6, 1, 0}
	matern52 = curve{10, 1, 1.0 / 3}
	rational = curve{}
)

// sharp reports whether the slope is infinite at s = 0. There only the form square is exact enough.
func (c *curve) sharp() bool { return c == &matern12 }

// of is the formula in plain Go.
func (c *curve) of(k Kernel, s float64) float64 {
	if c.root == 0 {
		return math.Exp(-k.Alpha * math.Log1p(k.Gamma/k.Alpha*s))
	}
	t := min(math.Sqrt(c.root*k.Gamma*s), farthestRoot)
	return min(1, math.Exp(-t)*(1+t*(c.first+c.second*t)))
}

// slope is the curve, and its factor, of −∂k/∂(γs), for the Matérn kernels that have one at s = 0.
func (c *curve) slope() (*curve, float64) {
	if c == &matern32 {
		return &curve{root: c.root}, 3
	}
	return &curve{root: c.root, first: 1}, 5.0 / 3
}

// Slopes writes the values of k, as its function of the exponent e = −γ Σ w_k (x_k−z_k)² ≤ 0 of [RBF], and their
// derivatives by e, which are that function for RBF. Values may be exponents. k must pass [Kernel.ValidateSlopes].
func (k Kernel) Slopes(values, slopes, exponents []float64) {
	c := k.trait().curve
	k.Gamma = 1
	switch {
	case c == nil:
		ExpNeg(values, exponents)
		copy(slopes, values)
	case c.root == 0:
		bend(c, k, slopes, exponents, -1)
		values = values[:len(exponents)]
		for i, v := range slopes[:len(exponents)] {
			slopes[i] = v / (1 - exponents[i]/k.Alpha)
			values[i] = v
		}
	default:
		down, factor := c.slope()
		bend(down, k, slopes, exponents, -1)
		for i := range slopes[:len(exponents)] {
			slopes[i] *= factor
		}
		bend(c, k, values, exponents, -1)
	}
}

// farthestRoot bounds t, so that t² does not overflow: e^(−t) is 0 there in both element types.
const farthestRoot = 1000

// bendBlock is the number of values of a pass of bend, which stay in the first-level cache.
const bendBlock = 128

// bend writes the values of the curve c of k for the sums unit·src[i]. Dst may be src. A value does not depend on its
// place in a slice.
func bend[T Float](c *curve, k Kernel, dst, src []T, unit float64) {
	dst = dst[:len(src):len(dst)]
	n := len(src) / lanes[T]() * lanes[T]()
	if c.root == 0 || !bell(c, dst[:n], src, T(c.root*k.Gamma*unit)) {
		n = 0
	}
	if n < len(src) {
		bendBlocks(c, k, dst[n:], src[n:], unit)
	}
}

// bendBlocks is bend for what bell does not take. It is a function of its own so that bend need not clear the block.
//
//go:noinline
func bendBlocks[T Float](c *curve, k Kernel, dst, src []T, unit float64) {
	var block [2][bendBlock]T
	scale := T(c.root * k.Gamma * unit)
	for n := 0; len(src) > 0; dst, src = dst[n:], src[n:] {
		n = min(len(src), bendBlock)
		l := lanes[T]()
		whole := (n + l - 1) / l * l
		t, e := block[0][:whole], block[1][:whole]
		from, to := src[:n], e
		if whole > n {
			from = e
			copy(from, src[:n])
		} else {
			to = dst[:n]
		}
		switch {
		case c.root == 0:
			logs(to, from, k.Gamma*unit/k.Alpha, k.Alpha)
			expScaled(to, to, -1)
		case bell(c, to, from, scale):
		default:
			roots(t, from, scale)
			expScaled(to, t, -1)
			if c.first != 0 {
				bends(to, t, T(c.first), T(c.second))
			}
		}
		if whole > n {
			copy(dst, e[:n])
		}
	}
}

// rootsGeneric writes t = √(scale·src[i]), at most farthestRoot. NaN stays NaN.
func rootsGeneric[T Float](dst, src []T, scale T) {
	src = src[:len(dst)]
	for i, v := range src {
		t := T(math.Sqrt(float64(scale * v)))
		if t > farthestRoot {
			t = farthestRoot
		}
		dst[i] = t
	}
}

// bendsGeneric multiplies dst[i] = e^(−t) by 1 + t(first + second·t). No result exceeds 1. NaN stays NaN.
func bendsGeneric[T Float](dst, t []T, first, second T) {
	t = t[:len(dst)]
	for i, v := range t {
		p := dst[i] * fused(fused(second, v, first), v, 1)
		if p > 1 {
			p = 1
		}
		dst[i] = p
	}
}

// log1p returns ln(1 + x) for x ≥ 0, within 2 units in the last place: the algorithm of FreeBSD's e_log.c, whose bits
// do not depend on fused instructions. With m·2ᵏ = 1 + x + rounding, ln m is a series in f/(2+f), f = m − 1.
func log1p(x float64) float64 {
	const (
		ln2Hi, ln2Lo = 6.93147180369123816490e-01, 1.90821492927058770002e-10
		l1, l2, l3   = 6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01
		l4, l5       = 2.222219843214978396e-01, 1.818357216161805012e-01
		l6, l7       = 1.531383769920937332e-01, 1.479819860511658591e-01
		half         = 0x3fe6a09e667f3bcd // the bits of √½
	)
	if !(x < math.MaxFloat64) {
		return x
	}
	u := 1 + x
	lost := float64(x-(u-1)) / u // the rounding of u, relative: for u > 2⁵³ the 1 itself, which is as good as lost
	bits := math.Float64bits(u) - half
	n := float64(int64(bits) >> 52)
	f := math.Float64frombits(bits&(1<<52-1)+half) - 1
	s := f / (2 + f)
	z := float64(s * s)
	w := float64(z * z)
	even := float64(w * (l2 + float64(w*(l4+float64(w*l6)))))
	odd := float64(z * (l1 + float64(w*(l3+float64(w*(l5+float64(w*l7)))))))
	square := float64(float64(0.5*f) * f)
	tail := float64(s*(square+(even+odd))) + (float64(n*ln2Lo) + lost)
	return float64(n*ln2Hi) - ((square - tail) - f)
}
