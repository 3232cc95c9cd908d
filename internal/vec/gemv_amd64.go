//go:build !purego

package vec

import "github.com/sparsekm/sparsekm/internal/cpu"

// gemvRowsAVX512 is
//
//	for i := range m {
//		for j := range n {
//			dst[i] += a[i*ld+j] * x[j]
//		}
//	}
//
// on a zeroed dst, for m ≥ 1 and n ≥ 1. Rows beyond the last multiple of four go
// one by one; a row is summed in the same order either way.
//
//go:noescape
func gemvRowsAVX512(dst, a *float64, ld int, x *float64, m, n int)

// gemvRowsAVX2 is the same loop with 256-bit registers.
//
//go:noescape
func gemvRowsAVX2(dst, a *float64, ld int, x *float64, m, n int)

func gemv(dst, a []float64, ld int, x []float64, m int) {
	switch cpu.Active() {
	case cpu.AVX512:
		gemvRowsAVX512(&dst[0], &a[0], ld, &x[0], m, len(x))
	case cpu.AVX2:
		gemvRowsAVX2(&dst[0], &a[0], ld, &x[0], m, len(x))
	default:
		gemvGeneric(dst, a, ld, x, m)
	}
}
