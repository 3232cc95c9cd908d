//go:build !purego

package cpu

// cpuid runs the instruction of this name.
func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// detectCaches reads the list of caches: leaf 4 of Intel's processors, and leaf 8000001D of AMD's, which has the same
// form (Intel, Software Developer's Manual, volume 2A, CPUID; AMD, Architecture Programmer's Manual, volume 3,
// appendix E).
func detectCaches() (bytes [4]int) {
	const intel, amd, topology = 4, 0x8000001d, 1 << 22
	leaf := uint32(intel)
	if most, _, _, _ := cpuid(0x80000000, 0); most >= amd {
		if _, _, c, _ := cpuid(0x80000001, 0); c&topology != 0 {
			leaf = amd
		}
	}
	if most, _, _, _ := cpuid(0, 0); leaf == intel && most < intel {
		return bytes
	}
	const most = 8
	for i := range uint32(most) {
		a, b, c, _ := cpuid(leaf, i)
		kind, level := a&31, a>>5&7
		if kind == 0 {
			break
		}
		const instructions = 2
		if kind != instructions && level >= 1 && level <= 3 {
			ways, parts, line := int(b>>22+1), int(b>>12&0x3ff+1), int(b&0xfff+1)
			bytes[level] = ways * parts * line * int(c+1)
		}
	}
	return bytes
}
