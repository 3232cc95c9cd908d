package dense

import "math"

import "fmt"

// Float is the element type of the rows of [AddGathered].
type Float interface{ float32 | float64 }

// short is the length below which plain Go is faster than a call of assembly.
const short = 12

// Dot returns Σ x_i y_i over len(x) elements; it panics if y has fewer.
func Dot(x, y []float64) (s float64) {
	checkVectors(len(x), len(y))
	if len(x) < short {
		return dotGeneric(x, y)
	}
	for len(x) > callWork {
		s += runDot(x[:callWork], y)
		x, y = x[callWork:], y[callWork:]
	}
	return s + runDot(x, y)
}

// Axpy does y += a·x over len(x) elements. It panics if y has fewer. It is [AddRows] for one row, except that the
// portable level rounds the products.
func Axpy(a float64, x, y []float64) {
	checkVectors(len(x), len(y))
	if len(x) < short {
		axpyGeneric(a, x, y)
		return
	}
	for len(x) > callWork {
		runAxpy(a, x[:callWork], y)
		x, y = x[callWork:], y[callWork:]
	}
	runAxpy(a, x, y)
}

func checkVectors(x, y int) {
	if y < x {
		panic(fmt.Sprintf("dense: vectors of %d and %d elements", x, y))
	}
}

// Sum adds up x in its order.
func Sum(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// Largest returns the largest absolute value of x, 0 if x is empty, NaN if it has one. Positive numbers have the order
// of their bits, which processors compare faster, four at a time.
func Largest(x []float64) (largest float64) {
	const size = 1<<63 - 1 // all bits but the sign
	var a, b, c, d uint64
	for ; len(x) >= 4; x = x[4:] {
		a, b = max(a, math.Float64bits(x[0])&size), max(b, math.Float64bits(x[1])&size)
		c, d = max(c, math.Float64bits(x[2])&size), max(d, math.Float64bits(x[3])&size)
	}
	for _, v := range x {
		a = max(a, math.Float64bits(v)&size)
	}
	return math.Float64frombits(max(a, b, c, d))
}
