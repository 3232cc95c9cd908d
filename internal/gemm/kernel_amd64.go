//go:build !purego

package gemm

import "github.com/sparsekm/sparsekm/internal/cpu"

var kernels = map[cpu.Level]kernel{
	cpu.AVX2:   {mr: 4, nr: 12, mul: mulAVX2, solve: solveAVX2, addRows: addRowsAVX2},
	cpu.AVX512: {mr: 8, nr: 24, mul: mulAVX512, solve: solveAVX512, addRows: addRowsAVX512},
}

// mulAVX2 is, for a 4×12 tile with rows of c ldc elements apart,
//
//	for i := range 4 {
//		for j := range 12 {
//			s := 0.0
//			for p := range k {
//				s = math.FMA(a[4*p+i], b[12*p+j], s)
//			}
//			c[i*ldc+j] = math.FMA(alpha, s, c[i*ldc+j])
//		}
//	}
//
//go:noescape
func mulAVX2(k int, a, b, c *float64, ldc int, alpha float64)

// mulAVX512 is the same for an 8×24 tile.
//
//go:noescape
func mulAVX512(k int, a, b, c *float64, ldc int, alpha float64)

// solveAVX2 is, for an 8×12 tile x,
//
//	for j := range 8 {
//		x[j] *= tri[8*j+j] // the diagonal holds reciprocals
//		for i := j + 1; i < 8; i++ {
//			x[i] = math.FMA(-tri[8*i+j], x[j], x[i]) // on every lane
//		}
//	}
//
//go:noescape
func solveAVX2(tri, x *float64)

// solveAVX512 is the same for an 8×24 tile.
//
//go:noescape
func solveAVX512(tri, x *float64)

// addRowsAVX2 is, for n rounded down to a multiple of addLanes and k ≥ 1,
//
//	for j := range n {
//		for q := range k {
//			y[j] = math.FMA(coef[q], rows[q*ld+j], y[j])
//		}
//	}
//
//go:noescape
func addRowsAVX2(n int, y, coef *float64, k int, rows *float64, ld int)

// addRowsAVX512 is the same.
//
//go:noescape
func addRowsAVX512(n int, y, coef *float64, k int, rows *float64, ld int)
