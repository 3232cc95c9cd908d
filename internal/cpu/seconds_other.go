//go:build !unix

package cpu

import "math"

// Seconds is not known here.
func Seconds() float64 { return math.NaN() }
