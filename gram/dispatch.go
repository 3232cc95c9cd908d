package gram

import "github.com/sparsekm/sparsekm/internal/cpu"

//go:generate go run ../internal/asmgen

// loops describes the assembly of a level; see assembly.go.
type loops struct {
	rows      int    // the most query rows of one tile call
	uint8Rows int    // the same for the uint8 layout, without dot products of bytes
	signed    bool   // in dot products of bytes, one operand is signed
	halves    bool   // expScaled takes multiples of half a panel
	entries   [2]int // sizes of the tables that byDistance can read, for float64 and float32
	skips     bool   // has skipDot
	streams   bool   // has the fuse functions, moreDot, and stores that bypass the caches
}

var levels = cpu.NewTable(loops{rows: 8, uint8Rows: 8}, map[cpu.Level]loops{
	cpu.NEON:   {rows: 4, uint8Rows: 4, halves: true},
	cpu.AVX2:   {rows: 4, uint8Rows: 2, signed: true, entries: [2]int{0, 32}, streams: true},
	cpu.AVX512: {rows: 8, uint8Rows: 2, signed: true, entries: [2]int{64, 64}, skips: true, streams: true},
})

// maxRows is the largest number of query rows of one tile call. Smaller powers of 2 work too.
func maxRows() int { return levels.Active().rows }

// expBlock is the power of 2 of whose multiples runExpScaled takes slices.
func expBlock[T Float]() int {
	if levels.Active().halves {
		return lanes[T]() / 2
	}
	return 1
}

// tableEntries is the size of the table that runByDistance can read.
func tableEntries[T Float]() int { return levels.Active().entries[lanes[T]()/lanes[float32]()] }

// noDots keeps the active level from dot products of bytes. Tests set it.
var noDots bool

// hasDots reports whether the active level has dot products of bytes.
func hasDots() bool { return !noDots && cpu.Active().Dots() }

// vnni reports whether the active level has dot products of bytes in which one operand is signed.
func vnni() bool { return levels.Active().signed && hasDots() }

// uint8Rows is maxRows for the uint8 layout.
func uint8Rows() int {
	if vnni() {
		return maxRows()
	}
	return levels.Active().uint8Rows
}

// uint8Offset is the number that the uint8 tiles subtract from the bytes of a sample.
func uint8Offset() int32 {
	if vnni() {
		return 128
	}
	return 0
}
