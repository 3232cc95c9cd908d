//go:build !unix

package main

import "os"

// peakMiB is not known here.
func peakMiB(*os.ProcessState) float64 { return 0 }

// ownPeakMiB is not known here.
func ownPeakMiB() float64 { return 0 }
