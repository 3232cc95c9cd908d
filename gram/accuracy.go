package gram

import (
	"math"
	"slices"
)

// ErrorBound bounds |computed − exact| of the kernel values of p, in theory and not by measurement: for the RBF kernel
// in panels or in the uint8 layout, and for the Laplacian. It is +Inf where this package has no bound. It reads all
// samples.
//
// Let u be the unit roundoff, t the packed features after centring and scaling, R the largest ‖t‖, and y = γs the
// argument of exp without error. Terms in u² are below 1 % of the result as long as (d+8)u ≤ 2⁻⁸, which is demanded.
//
//   - Packing rounds a feature by u|t|. It moves a distance r by at most 2uR, and e^(−γr²) by √(2γ/e) times that,
//     which is the largest slope of the RBF kernel.
//   - Σ(t−t')² rounds each difference, whose square counts it twice, and each of d sums of terms ≥ 0: (d+2)u of s.
//     The factor γ and its product are 2u more. A relative error η of y moves e^(−y) by at most η·y·e^(−y) ≤ η/e.
//   - ‖t‖² + ‖t'‖² − 2tᵀt' rounds partial sums. Those of ‖t‖² add up to at most P, the largest Σ_k Σ_{l≤k} t_l². Those
//     of tᵀt' are at most the mean of those of ‖t‖² and ‖t'‖². So both norms cost 2P, and twice the product 2P.
//     Their sum costs 2R², and the difference s ≤ 4R² itself: u(4P + 6R²) of s, and γ times that of e^(−y).
//   - The Laplacian's sum of |t−t'| has (d+1)u, and packing moves it by twice u Σ|t|.
//   - exp is within 1 ULP in float32, and 2 in float64: 2u and 4u of values of at most 1. What it makes 0 is below
//     2⁻¹²⁶ and 2⁻¹⁰²², and so below that.
//   - A sum of bytes is exact, and is rounded once. The grid is off by its tolerance in each feature at most.
func (p *Samples[T]) ErrorBound() float64 {
	switch in := p.layout.(type) {
	case *inPanels[T]:
		return in.errorBound()
	case *inUint8[T]:
		if in.decays() {
			off := 2 * in.off * math.Sqrt(float64(p.d))
			_, exp, _ := units[T]()
			return inUnits[T](p.d, 3/math.E+exp) + steepest(p.kernel.Gamma)*off
		}
	}
	return math.Inf(1)
}

// ErrorBound bounds |computed − exact| of the sums of output o, for kernels with 0 ≤ k ≤ 1 in panels or in the uint8
// layout, if no kernel value is off by more than each: see [Samples.ErrorBound]. Let c be the coefficients. Rounding
// them costs u Σ|c|. Each product joins one of sumPanels·lanes partial sums, in one rounding. So an error of u Σ|c| for
// every term of a partial sum bounds those of all. The partial sums are added in double precision.
func (e *Expansion[T]) ErrorBound(each float64, o int) float64 {
	var size float64
	for _, c := range e.coefs[o] {
		size += math.Abs(float64(c))
	}
	terms := len(e.coefs[o])/(sumPanels*lanes[T]()) + 1
	return size*(each+inUnits[T](terms, float64(terms)+2)) + float64(len(e.coefs[o]))*0x1p-126
}

// errorBound is Samples.ErrorBound.
func (p *inPanels[T]) errorBound() float64 {
	gamma, d := p.kernel.Gamma, float64(p.d)
	radius, partial, size := p.extents()
	const widest, steep = 1 << 60, 1 << 64 // neither do squares overflow, nor does γ raise what underflows
	if !p.kernel.trait().decay || !(radius <= widest && gamma <= steep) {
		return math.Inf(1)
	}
	_, exp, rounded := units[T]()
	packed := 2 * rounded * radius * steepest(gamma)
	switch p.form {
	case square:
		return inUnits[T](p.d, (d+4)/math.E+exp+packed)
	case expanded:
		return inUnits[T](p.d, gamma*(4*partial+6*radius*radius)+2/math.E+exp+packed)
	case absolute:
		return inUnits[T](p.d, (d+3)/math.E+exp+2*rounded*gamma*size)
	}
	return math.Inf(1)
}

// extents returns the largest ‖t‖, the largest Σ_k Σ_{l≤k} t_l² and the largest Σ|t| of the packed samples. The form
// square needs the first only.
func (p *inPanels[T]) extents() (radius, partial, size float64) {
	l := lanes[T]()
	if p.form == square {
		var norms [panelWidth / 4]float64
		for i := 0; i < p.n; i += l {
			clear(norms[:])
			panel := p.point(i)
			for k := range p.d {
				for s, v := range panel[k*l:][:min(l, p.n-i)] {
					norms[s] += float64(v) * float64(v)
				}
			}
			radius = max(radius, slices.Max(norms[:]))
		}
		return math.Sqrt(radius), math.NaN(), math.NaN()
	}
	for i := range p.n {
		x, square, squares, sum := p.point(i), 0.0, 0.0, 0.0
		for k := range p.d {
			t := float64(x[k*l])
			square += t * t
			squares += square
			sum += math.Abs(t)
		}
		radius, partial, size = max(radius, square), max(partial, squares), max(size, sum)
	}
	return math.Sqrt(radius), partial, size
}

// steepest is the largest slope of e^(−γr²).
func steepest(gamma float64) float64 { return math.Sqrt(2 * gamma / math.E) }

// units returns u; in units of u the largest error of exp, and the roundings of a packed feature, of which those before
// the one to float32 are in double precision.
func units[T Float]() (u, exp, packed float64) {
	if lanes[T]() == lanes[float32]() {
		return 0x1p-24, 2, 1
	}
	return 0x1p-53, 4, 3
}

// inUnits converts a sum of first-order terms from units of u.
func inUnits[T Float](d int, terms float64) float64 {
	u, _, _ := units[T]()
	if float64(d+8)*u > 0x1p-8 {
		return math.Inf(1)
	}
	return 1.01 * u * terms
}
