package cpu

import "math"

// MulAdd returns x·y + z. It rounds once if FastFMA; otherwise it also rounds the product. Without the instruction,
// math.FMA takes ten times as long as both operations. Loops that need one rounding, such as sums in doubled
// precision, call math.FMA.
func MulAdd(x, y, z float64) float64 {
	if FastFMA {
		return math.FMA(x, y, z)
	}
	return float64(x*y) + z
}
