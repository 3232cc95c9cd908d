//go:build !purego

package smo

import (
	"unsafe"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/dense"
)

// The functions with 32 in their names take rows ki and kj of float32, the others of float64.

// See stepExtremesGeneric; n is a positive multiple of 8. The extremes are left by lane:
// least and index of g + up, most of g − low.
//
//go:noescape
func stepExtremesNEON(grad, up, low *float64, ki, kj unsafe.Pointer, n int, t float64,
	least *[8]float64, index *[8]int64, most *[8]float64)

//go:noescape
func stepExtremes32NEON(grad, up, low *float64, ki, kj unsafe.Pointer, n int, t float64,
	least *[8]float64, index *[8]int64, most *[8]float64)

// See secondOrderGeneric; n is a positive multiple of 8. Gains and their indices are left by lane.
//
//go:noescape
func secondOrderNEON(grad, low, d *float64, ki unsafe.Pointer, n int, m, kii float64,
	gain *[8]float64, index *[8]int64)

//go:noescape
func secondOrder32NEON(grad, low, d *float64, ki unsafe.Pointer, n int, m, kii float64,
	gain *[8]float64, index *[8]int64)

// stepExtremes runs stepExtremesGeneric at the level in use; len(g) is a positive multiple of lanes. Rule 1: the
// assembly for T reads elements of type T.
func stepExtremes[T dense.Float](g, up, low []float64, ki, kj []T, t float64) (i int, m, M float64) {
	if cpu.Active() != cpu.NEON {
		return stepExtremesGeneric(g, up, low, ki, kj, t)
	}
	n := len(g)
	_, _, _, _ = up[n-1], low[n-1], ki[n-1], kj[n-1]
	pi, pj := unsafe.Pointer(&ki[0]), unsafe.Pointer(&kj[0])
	var least, most [8]float64
	var index [8]int64
	if unsafe.Sizeof(ki[0]) == 4 {
		stepExtremes32NEON(&g[0], &up[0], &low[0], pi, pj, n, t, &least, &index, &most)
	} else {
		stepExtremesNEON(&g[0], &up[0], &low[0], pi, pj, n, t, &least, &index, &most)
	}
	return foldExtremes(&least, &index, &most)
}

// secondOrder runs secondOrderGeneric at the level in use; len(g) is a positive multiple of lanes. Rule 1: the
// assembly for T reads elements of type T.
func secondOrder[T dense.Float](g, low, d []float64, ki []T, m, kii float64) int {
	if cpu.Active() != cpu.NEON {
		return secondOrderGeneric(g, low, d, ki, m, kii)
	}
	n := len(g)
	_, _, _ = low[n-1], d[n-1], ki[n-1]
	var gain [8]float64
	var index [8]int64
	if unsafe.Sizeof(ki[0]) == 4 {
		secondOrder32NEON(&g[0], &low[0], &d[0], unsafe.Pointer(&ki[0]), n, m, kii, &gain, &index)
	} else {
		secondOrderNEON(&g[0], &low[0], &d[0], unsafe.Pointer(&ki[0]), n, m, kii, &gain, &index)
	}
	return foldGains(&gain, &index)
}

// foldExtremes is the end of stepExtremesGeneric for assembly that keeps eight lanes of
// element numbers mod 8: the least g + up, its index, and the largest g − low.
func foldExtremes(least *[8]float64, index *[8]int64, most *[8]float64) (i int, m, M float64) {
	l := 0
	M = most[0]
	for s := 1; s < 8; s++ {
		if least[s] < least[l] || (least[s] == least[l] && index[s] < index[l]) {
			l = s
		}
		M = max(M, most[s])
	}
	return int(index[l]), -least[l], -M
}

// foldGains is the same for secondOrderGeneric.
func foldGains(gain *[8]float64, index *[8]int64) int {
	l := 0
	for s := 1; s < 8; s++ {
		if gain[s] > gain[l] || (gain[s] == gain[l] && index[s] < index[l]) {
			l = s
		}
	}
	return int(index[l])
}
