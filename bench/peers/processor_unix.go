//go:build unix

package main

import (
	"math"
	"syscall"
	"time"
)

// processorSeconds is the time that the threads of this process have run, which
// other work on the machine does not add to.
func processorSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return math.NaN()
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
