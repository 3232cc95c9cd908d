package gram

import "github.com/sparsekm/sparsekm/internal/cpu"

// The run* functions choose the assembly of the active level in a switch and report whether there is any. They call it
// by name: a call through a table of functions would move its arguments from the caller's stack to the heap.

// variant is a level and an element type.
type variant uint8

const (
	avx2Float64   = variant(cpu.AVX2) << 1
	avx2Float32   = avx2Float64 + 1
	avx512Float64 = variant(cpu.AVX512) << 1
	avx512Float32 = avx512Float64 + 1
	neonFloat64   = variant(cpu.NEON) << 1
	neonFloat32   = neonFloat64 + 1
)

// variantOf is the variant of the active level.
func variantOf[T Float]() variant {
	v := variant(cpu.Active()) << 1
	if lanes[T]() == lanes[float32]() {
		v++
	}
	return v
}

// maxRows is the largest number of query rows that one tile call takes; smaller powers of 2 work too.
func maxRows() int {
	switch cpu.Active() {
	case cpu.AVX2, cpu.NEON:
		return 4
	}
	return 8
}

// canSkip reports whether the active level has skipDot.
func canSkip() bool { return cpu.Active() == cpu.AVX512 }

// canFuse reports whether the active level has runFuse, and stores that bypass the caches.
func canFuse() bool { return cpu.Active() == cpu.AVX512 }

// expBlock is the power of 2 that runExp takes multiples of.
func expBlock[T Float]() int {
	if cpu.Active() == cpu.NEON {
		return lanes[T]() / 2
	}
	return 1
}

// tableEntries is the number of values that runByDistance reads a value from.
func tableEntries(v variant) int {
	switch v {
	case avx512Float64, avx512Float32:
		return 64
	case avx2Float32:
		return 32
	}
	return 0
}

// dots reports whether the best level has dot products of bytes; tests clear it.
var dots = cpu.Dots()

// vnni reports whether the active level has dot products of bytes, which take one operand with a sign.
func vnni() bool { return cpu.Active() == cpu.AVX512 && dots }

// uint8Rows is maxRows for uint8 samples.
func uint8Rows() int {
	switch {
	case cpu.Active() == cpu.NEON:
		return 4
	case cpu.Active() == cpu.Generic || vnni():
		return 8
	}
	return 2
}

// uint8Offset is what runUint8Tile subtracts from a sample's bytes.
func uint8Offset() int32 {
	if vnni() {
		return 128
	}
	return 0
}
