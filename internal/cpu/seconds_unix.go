//go:build unix

package cpu

import (
	"math"
	"syscall"
	"time"
)

// Seconds is the time that the threads of this process have run.
func Seconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return math.NaN()
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
