//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakMiB is the peak resident memory of a process that has ended.
func peakMiB(p *os.ProcessState) float64 {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return inMiB(u)
}

// ownPeakMiB is that of this process so far.
func ownPeakMiB() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return inMiB(&u)
}

func inMiB(u *syscall.Rusage) float64 {
	if runtime.GOOS == "darwin" {
		return float64(u.Maxrss) / (1 << 20)
	}
	return float64(u.Maxrss) / (1 << 10)
}
