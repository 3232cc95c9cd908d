package rational

import "math"

// Vector is numbers and their float64 values, NaN where those are too coarse.
type Vector struct {
	Exact []Number
	Near  []float64
}

// NewVector returns the vector of v.
func NewVector(v []Number) *Vector {
	e := &Vector{Exact: v, Near: make([]float64, len(v))}
	for i, x := range v {
		f := x.Float64()
		if a := math.Abs(f); a != 0 && !(a >= tooSmall && a <= tooLarge) {
			f = math.NaN()
		}
		e.Near[i] = f
	}
	return e
}

// Products outside of these bounds may be denormal or overflow.
const (
	tooSmall = 1e-290
	tooLarge = 1e290
)

// Minus returns Σ value·x[index] − b: its sign is right, and its relative error is small if it is near 0. What is
// below noise relative to the sizes of its terms is 0.
func (x *Vector) Minus(index []int32, value []float64, b float64, noise float64, scratch *Sum) float64 {
	sum, size, sure := -b, math.Abs(b), true
	for t, i := range index {
		v := x.Near[i]
		if v == 0 || value[t] == 0 {
			continue
		}
		v *= value[t]
		a := math.Abs(v)
		sure = sure && a >= tooSmall && a <= tooLarge
		sum += v
		size += a
	}
	if sure && math.Abs(sum) > size*float64(len(index)+8)*0x1p-49 {
		return sum
	}
	scratch.Reset()
	for t, i := range index {
		scratch.Add(value[t], x.Exact[i])
	}
	scratch.Add(-b, OfFloat(1))
	if sum = scratch.Number().Float64(); math.Abs(sum) <= noise*size {
		return 0
	}
	return sum
}
