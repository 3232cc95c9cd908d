package gram

import "github.com/sparsekm/sparsekm/internal/cpu"

// Each run* function selects the assembly of the active level in a switch, and reports whether there is any. It calls
// the assembly by name: a call through a table of functions would move its arguments from the caller's stack to the
// heap.

// variant is a level with an element type.
type variant uint8

const (
	avx2Float64   = variant(cpu.AVX2) << 1
	avx2Float32   = avx2Float64 + 1
	avx512Float64 = variant(cpu.AVX512) << 1
	avx512Float32 = avx512Float64 + 1
	neonFloat64   = variant(cpu.NEON) << 1
	neonFloat32   = neonFloat64 + 1
)

// variantOf returns the variant of the active level.
func variantOf[T Float]() variant {
	v := variant(cpu.Active()) << 1
	if lanes[T]() == lanes[float32]() {
		v++
	}
	return v
}

// maxRows is the largest number of query rows of one tile call. Smaller powers of 2 work too.
func maxRows() int {
	switch cpu.Active() {
	case cpu.AVX2, cpu.NEON:
		return 4
	}
	return 8
}

// canSkip reports whether the active level has skipDot.
func canSkip() bool { return cpu.Active() == cpu.AVX512 }

// canFuse reports whether the active level has runFuse and stores that bypass the caches.
func canFuse() bool { return cpu.Active() == cpu.AVX512 }

// expBlock is the power of 2 of whose multiples runExp takes slices.
func expBlock[T Float]() int {
	if cpu.Active() == cpu.NEON {
		return lanes[T]() / 2
	}
	return 1
}

// tableEntries is the size of the table that runByDistance can read.
func tableEntries(v variant) int {
	switch v {
	case avx512Float64, avx512Float32:
		return 64
	case avx2Float32:
		return 32
	}
	return 0
}

// dots reports whether the best level has dot products of bytes. Tests clear it.
var dots = cpu.Dots()

// vnni reports whether the active level has dot products of bytes in which one operand is signed.
func vnni() bool { return cpu.Active() == cpu.AVX512 && dots }

// uint8Rows is maxRows for the uint8 layout.
func uint8Rows() int {
	switch {
	case cpu.Active() == cpu.NEON:
		return 4
	case cpu.Active() == cpu.Generic || vnni():
		return 8
	}
	return 2
}

// uint8Offset is the number that runUint8Tile subtracts from the bytes of a sample.
func uint8Offset() int32 {
	if vnni() {
		return 128
	}
	return 0
}
