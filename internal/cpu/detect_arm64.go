//go:build arm64 && !purego

package cpu

import "github.com/klauspost/cpuid/v2"

// Go requires Advanced SIMD with fused multiply-add on arm64.
func detect() []Level {
	dots = cpuid.CPU.Supports(cpuid.ASIMDDP)
	return []Level{NEON}
}
