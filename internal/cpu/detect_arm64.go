//go:build arm64 && !purego

package cpu

import "github.com/klauspost/cpuid/v2"

// Advanced SIMD with fused multiply-add is part of every arm64 that Go runs on.
func detect() []Level {
	dots = cpuid.CPU.Supports(cpuid.ASIMDDP)
	return []Level{NEON}
}
