//go:build arm64 && !purego

package cpu

// Advanced SIMD with fused multiply-add is part of every arm64 that Go runs on.
func detect() []Level { return []Level{NEON} }
