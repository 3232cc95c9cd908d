//go:build amd64 && !purego

package cpu

import "github.com/klauspost/cpuid/v2"

func detect() []Level {
	var ls []Level
	if cpuid.CPU.Supports(cpuid.AVX, cpuid.AVX2, cpuid.FMA3) {
		ls = append(ls, AVX2)
		if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL) {
			ls = append(ls, AVX512)
			dots = cpuid.CPU.Supports(cpuid.AVX512VNNI)
		}
	}
	return ls
}
