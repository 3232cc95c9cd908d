//go:build !unix

package processor

import "math"

// Seconds is not known here.
func Seconds() float64 { return math.NaN() }
