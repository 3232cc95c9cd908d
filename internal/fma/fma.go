// Package fma multiplies and adds with one rounding where the processor does so, and with two where it does not: the
// software of package math, which rounds once, takes ten times as long as both operations. Loops that need the
// single rounding for what they compute, as sums in doubled precision do, call math.FMA.
package fma

import "math"

// MulAdd returns x·y + z, rounded once if Fast, else after the product too.
func MulAdd(x, y, z float64) float64 {
	if Fast {
		return math.FMA(x, y, z)
	}
	return float64(x*y) + z
}
