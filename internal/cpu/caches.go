package cpu

// defaultL2 is the second-level cache that most servers have, or more.
const defaultL2 = 1 << 20

// l2 is the bytes of a core's second-level cache; 0 is unknown.
var l2 = detectL2()

// L2 returns the bytes of a core's second-level cache, for sizes of blocks. Where it is not known it returns 1 MiB. It
// is at least 256 KiB and at most 2 MiB: larger blocks gain nothing, and a cache that cores share is no core's own.
func L2() int {
	if l2 == 0 {
		return defaultL2
	}
	return min(max(l2, 256<<10), 2<<20)
}
