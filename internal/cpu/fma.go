package cpu

import "math"

// MulAdd returns x·y + z, rounded once if FastFMA, else after the product too. The software of package math, which
// rounds once, takes ten times as long as both operations. Loops whose result needs one rounding, such as sums in
// doubled precision, call math.FMA.
func MulAdd(x, y, z float64) float64 {
	if FastFMA {
		return math.FMA(x, y, z)
	}
	return float64(x*y) + z
}
