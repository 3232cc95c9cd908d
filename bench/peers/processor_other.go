//go:build !unix

package main

import "math"

// processorSeconds is not known here.
func processorSeconds() float64 { return math.NaN() }
