package dense

import "github.com/sparsekm/sparsekm/internal/cpu"

// kernels holds the functions that differ between SIMD levels. The portable versions in dense_generic.go define what
// each does. Callers check lengths, and never pass empty vectors, coef or rows.
type kernels struct {
	dot  func(x, y []float64) float64
	axpy func(a float64, x, y []float64)

	addStrided    func(y, coef, a []float64, ld int)
	addGathered64 func(y, coef []float64, rows [][]float64, at int)
	addGathered32 func(y, coef []float64, rows [][]float32, at int)
	mulStrided    func(dst, a []float64, ld int, x []float64, add bool)
	mulGathered   func(dst []float64, rows [][]float64, at int, x []float64)
	both          func(dst, coef, a []float64, ld int, x, y []float64) // for four rows

	// For few rows; nil if a level has nothing faster than row by row. The columns are whole vectors.
	mulRows4  func(c []float64, ldc int, start, q []float64, ldq int, a []float64, lda, k, n int)
	addDots42 func(dst []float64, ldd int, a []float64, lda int, x []float64, ldx, n int)
	scale     func(y, x []float64)

	mr, nr int // rows and columns of the tile; mr divides solveRows
	tile   func(k int, a, b, c []float64, at, ldc int, alpha float64)
	solve  func(tri, x []float64)

	packRows  func(dst, src []float64, at, ld, rows, panels, lanes, panel int)
	across    int // columns of a call of transpose; rows is a positive multiple of it
	transpose func(dst, src []float64, to, at, ld, rows, step int)
}

var table = cpu.NewTable(kernels{
	dot:           dotGeneric,
	axpy:          axpyGeneric,
	addStrided:    addStridedGeneric,
	addGathered64: addGatheredGeneric[float64],
	addGathered32: addGatheredGeneric[float32],
	mulStrided:    mulStridedGeneric,
	mulGathered:   mulGatheredGeneric,
	both:          bothGeneric,
	mr:            4,
	nr:            4,
	tile:          tileGeneric,
	solve:         solveGeneric,
	packRows:      packRowsGeneric,
	across:        4,
	transpose:     transposeGeneric,
}, levels)

// callWork is the number of multiplications of one kernel call. Assembly cannot be preempted. A call of this size
// takes well below 100 µs, even with operands in main memory.
const callWork = 1 << 16

// Blocks returns the block sizes in use at the active level, by name.
func Blocks() map[string]int {
	k := table.Active()
	return map[string]int{"tile_rows": k.mr, "tile_columns": k.nr, "depth": depth, "width": width, "height": height}
}
