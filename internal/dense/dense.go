package dense

import "github.com/sparsekm/sparsekm/internal/cpu"

//go:generate go run ../asmgen

// blocks is the block sizes of a level's kernels.
type blocks struct {
	mr, nr       int  // rows and columns of the tile; mr divides solveRows
	across       int  // columns of a call of transpose; rows is a positive multiple of it
	smallKernels bool // has mulRows4, addDots42 and scale; without them, row by row is as fast
}

var table = cpu.NewTable(blocks{mr: 4, nr: 4, across: 4}, map[cpu.Level]blocks{
	cpu.SIMD:   {mr: 4, nr: 16, across: 4},
	cpu.NEON:   {mr: 4, nr: 12, across: 4, smallKernels: true},
	cpu.AVX2:   {mr: 4, nr: 12, across: 4, smallKernels: true},
	cpu.AVX512: {mr: 8, nr: 24, across: 8, smallKernels: true},
})

// callWork is the number of multiplications of one kernel call. Assembly cannot be preempted. A call of this size
// takes well below 100 µs, even with operands in main memory.
const callWork = 1 << 16

// Blocks returns the block sizes in use at the active level, by name.
func Blocks() map[string]int {
	k := table.Active()
	return map[string]int{"tile_rows": k.mr, "tile_columns": k.nr, "depth": depth, "width": width, "height": height}
}
