package gemm

import "github.com/sparsekm/sparsekm/internal/cpu"

// A kernel is the part of the package that differs between SIMD levels.
type kernel struct {
	mr, nr  int // rows and columns of the tile that mul computes; mr divides solveRows
	mul     func(k int, a, b, c *float64, ldc int, alpha float64)
	solve   func(tri, x *float64)
	addRows func(n int, y, coef *float64, k int, rows *float64, ld int) // nil: the loop in AddRows does it all
}

// solveRows is the order of the triangle that one call of kernel.solve handles.
const solveRows = 8

// maxTile is room for the largest tile, mr·nr.
const maxTile = 8 * 24

func active() kernel {
	if k, ok := kernels[cpu.Active()]; ok {
		return k
	}
	return portable
}

var portable = kernel{mr: 4, nr: 4, mul: mulGeneric, solve: solveGeneric}
