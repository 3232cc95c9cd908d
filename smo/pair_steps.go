package smo

//go:generate go run ../internal/asmgen

import (
	"unsafe"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/dense"
)

// The two passes over a working set that a two-variable step costs are stepExtremes and secondOrder. All levels add up
// in the same order with fused multiplications, so gradients are the same bits at every one; secondOrder may pick
// another variable where gains agree to rounding, because assembly compares without dividing.
// Rows of the matrix are float64 or, which halves the memory that large working sets read, float32.

// lanes divides the length of every vector of a working set.
const lanes = 32

// stepExtremes runs stepExtremesGeneric at the level in use; len(g) is a positive multiple of lanes. Rule 1: the
// assembly for T reads elements of type T.
func stepExtremes[T dense.Float](g, up, low []float64, ki, kj []T, t float64) (i int, m, M float64) {
	n := len(g)
	_, _, _, _ = up[n-1], low[n-1], ki[n-1], kj[n-1]
	pi, pj := unsafe.Pointer(&ki[0]), unsafe.Pointer(&kj[0])
	if i, m, M, done := runStepExtremes[T](&g[0], &up[0], &low[0], pi, pj, n, t); done {
		return i, m, M
	}
	var least, most [8]float64
	var index [8]int64
	if runExtremesByLane[T](&g[0], &up[0], &low[0], pi, pj, n, t, &least, &index, &most) {
		return foldExtremes(&least, &index, &most)
	}
	return stepExtremesGeneric(g, up, low, ki, kj, t)
}

// secondOrder runs secondOrderGeneric at the level in use; len(g) is a positive multiple of lanes. Rule 1: the
// assembly for T reads elements of type T.
func secondOrder[T dense.Float](g, low, d []float64, ki []T, m, kii float64) int {
	n := len(g)
	_, _, _ = low[n-1], d[n-1], ki[n-1]
	pi := unsafe.Pointer(&ki[0])
	if j, done := runSecondOrder[T](&g[0], &low[0], &d[0], pi, n, m, kii); done {
		return j
	}
	var gain [8]float64
	var index [8]int64
	if runGainsByLane[T](&g[0], &low[0], &d[0], pi, n, m, kii, &gain, &index) {
		return foldGains(&gain, &index)
	}
	return secondOrderGeneric(g, low, d, ki, m, kii)
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

// stepExtremesGeneric does g += t (k_i − k_j), then returns i = argmax −g over variables that
// may rise with m = −g_i, and M = min −g over those that may fall. Ties go to the lowest index.
func stepExtremesGeneric[T dense.Float](g, up, low []float64, ki, kj []T, t float64) (i int, m, M float64) {
	m, M = -inf, inf
	up, low, ki, kj = up[:len(g)], low[:len(g)], ki[:len(g)], kj[:len(g)]
	for s, v := range g {
		v = cpu.MulAdd(t, float64(ki[s])-float64(kj[s]), v)
		g[s] = v
		if u := -(v + up[s]); u > m {
			i, m = s, u
		}
		M = min(M, -(v - low[s]))
	}
	return i, m, M
}

// secondOrderGeneric returns the j that may fall, has −g_j < m and gains most with i,
// (m + g_j)² / (k_ii + k_jj − 2 k_ij): Fan, Chen and Lin (2005), WSS 2. It returns −1 when there is none.
func secondOrderGeneric[T dense.Float](g, low, d []float64, ki []T, m, kii float64) int {
	best, j := 0.0, -1
	low, d, ki = low[:len(g)], d[:len(g)], ki[:len(g)]
	for s, v := range g {
		if b := v - low[s] + m; b > 0 {
			if gain := b * b / max(kii+d[s]-2*float64(ki[s]), tau); gain > best {
				best, j = gain, s
			}
		}
	}
	return j
}
