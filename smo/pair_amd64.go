//go:build !purego

package smo

import (
	"unsafe"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/dense"
)

// The functions with 32 in their names take rows ki and kj of float32, the others of float64.

// See stepExtremesGeneric; n is a positive multiple of 32.
//
//go:noescape
func stepExtremesAVX512(grad, up, low *float64, ki, kj unsafe.Pointer, n int, t float64) (i int, m, M float64)

//go:noescape
func stepExtremes32AVX512(grad, up, low *float64, ki, kj unsafe.Pointer, n int, t float64) (i int, m, M float64)

// See secondOrderGeneric; n is a positive multiple of 32.
//
//go:noescape
func secondOrderAVX512(grad, low, d *float64, ki unsafe.Pointer, n int, m, kii float64) int

//go:noescape
func secondOrder32AVX512(grad, low, d *float64, ki unsafe.Pointer, n int, m, kii float64) int

// See stepExtremesGeneric; n is a positive multiple of 8.
//
//go:noescape
func stepExtremesAVX2(grad, up, low *float64, ki, kj unsafe.Pointer, n int, t float64) (i int, m, M float64)

//go:noescape
func stepExtremes32AVX2(grad, up, low *float64, ki, kj unsafe.Pointer, n int, t float64) (i int, m, M float64)

// See secondOrderGeneric; n is a positive multiple of 8.
//
//go:noescape
func secondOrderAVX2(grad, low, d *float64, ki unsafe.Pointer, n int, m, kii float64) int

//go:noescape
func secondOrder32AVX2(grad, low, d *float64, ki unsafe.Pointer, n int, m, kii float64) int

// stepExtremes runs stepExtremesGeneric at the level in use; len(g) is a positive multiple of lanes. Rule 1: the
// assembly for T reads elements of type T.
func stepExtremes[T dense.Float](g, up, low []float64, ki, kj []T, t float64) (i int, m, M float64) {
	n := len(g)
	_, _, _, _ = up[n-1], low[n-1], ki[n-1], kj[n-1]
	pi, pj, single := unsafe.Pointer(&ki[0]), unsafe.Pointer(&kj[0]), unsafe.Sizeof(ki[0]) == 4
	switch level := cpu.Active(); {
	case level == cpu.AVX512 && single:
		return stepExtremes32AVX512(&g[0], &up[0], &low[0], pi, pj, n, t)
	case level == cpu.AVX512:
		return stepExtremesAVX512(&g[0], &up[0], &low[0], pi, pj, n, t)
	case level == cpu.AVX2 && single:
		return stepExtremes32AVX2(&g[0], &up[0], &low[0], pi, pj, n, t)
	case level == cpu.AVX2:
		return stepExtremesAVX2(&g[0], &up[0], &low[0], pi, pj, n, t)
	}
	return stepExtremesGeneric(g, up, low, ki, kj, t)
}

// secondOrder runs secondOrderGeneric at the level in use; len(g) is a positive multiple of lanes. Rule 1: the
// assembly for T reads elements of type T.
func secondOrder[T dense.Float](g, low, d []float64, ki []T, m, kii float64) int {
	n := len(g)
	_, _, _ = low[n-1], d[n-1], ki[n-1]
	pi, single := unsafe.Pointer(&ki[0]), unsafe.Sizeof(ki[0]) == 4
	switch level := cpu.Active(); {
	case level == cpu.AVX512 && single:
		return secondOrder32AVX512(&g[0], &low[0], &d[0], pi, n, m, kii)
	case level == cpu.AVX512:
		return secondOrderAVX512(&g[0], &low[0], &d[0], pi, n, m, kii)
	case level == cpu.AVX2 && single:
		return secondOrder32AVX2(&g[0], &low[0], &d[0], pi, n, m, kii)
	case level == cpu.AVX2:
		return secondOrderAVX2(&g[0], &low[0], &d[0], pi, n, m, kii)
	}
	return secondOrderGeneric(g, low, d, ki, m, kii)
}
