//go:build !purego

package cpu

// cpuid runs the instruction of this name.
func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// detectL2 reads the list of caches: leaf 4 of Intel's processors, and leaf 8000001D of AMD's, which has the same form
// (Intel, Software Developer's Manual, volume 2A, CPUID; AMD, Architecture Programmer's Manual, volume 3, appendix E).
func detectL2() int {
	const intel, amd, topology, last, instructions = 4, 0x8000001d, 1 << 22, 8, 2
	leaf := uint32(intel)
	if largest, _, _, _ := cpuid(0x80000000, 0); largest >= amd {
		if _, _, c, _ := cpuid(0x80000001, 0); c&topology != 0 {
			leaf = amd
		}
	}
	if highest, _, _, _ := cpuid(0, 0); leaf == intel && highest < intel {
		return 0
	}
	for i := range uint32(last) {
		a, b, c, _ := cpuid(leaf, i)
		if kind, level := a&31, a>>5&7; level == 2 && kind != 0 && kind != instructions {
			return int(b>>22+1) * int(b>>12&0x3ff+1) * int(b&0xfff+1) * int(c+1)
		}
	}
	return 0
}
