package duals

import (
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/rational"
)

// Bytes of a [rational.Products], and of a variable in the box and its reduced gradient, of as many words at most.
const ProductsBytes, NumberBytes = 1080, 720

// Sums are those of a bound.
type Sums struct {
	A          []float64         // the point, moved into the box
	D          []rational.Number // its reduced gradient
	Gap, Shift rational.Sum
	Infinite   bool // nothing is proved

	lo, hi []float64
}

// NewSums moves a point into the box.
func NewSums(point, lo, hi []float64) *Sums {
	b := &Sums{lo: lo, hi: hi, A: slices.Clone(point), D: make([]rational.Number, len(point))}
	for i, v := range b.A {
		b.Infinite = b.Infinite || v-v != 0 || !(lo[i] <= hi[i])
		if b.A[i] = min(max(v, lo[i]), hi[i]); b.Infinite || b.A[i] == v {
			continue
		}
		if b.A[i]-b.A[i] != 0 {
			b.Infinite = true
			continue
		}
		sign := math.Copysign(1, b.A[i]-v)
		b.Shift.Add(sign, rational.OfFloat(b.A[i]))
		b.Shift.Add(-sign, rational.OfFloat(v))
	}
	return b
}

// Difference returns x − y.
func Difference(x, y float64) rational.Number {
	var s rational.Sum
	s.Add(1, rational.OfFloat(x))
	s.Add(-1, rational.OfFloat(y))
	return s.Number()
}

// Complement adds the share of each variable, the most that d_i (a_i − u) is for a u within its bounds.
func (b *Sums) Complement() {
	for i, d := range b.D {
		end := b.lo[i]
		switch {
		case d.Sign() == 0:
			continue
		case d.Sign() < 0:
			end = b.hi[i]
		}
		if math.IsInf(end, 0) {
			b.Infinite = true
			return
		}
		b.Gap.AddProduct(d, Difference(b.A[i], end))
	}
}

// Rounded returns the sums, rounded up.
func (b *Sums) Rounded() (gap, shift float64) {
	if b.Infinite {
		return math.Inf(1), 0
	}
	return b.Gap.Number().AtLeast(), b.Shift.Number().AtLeast()
}

// HalfSquare returns ½v².
func HalfSquare(v rational.Number) rational.Number {
	var s rational.Sum
	s.AddProduct(v, v)
	half := s.Number()
	half.Exp--
	return half
}
