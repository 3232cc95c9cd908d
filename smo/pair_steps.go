package smo

import (
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/dense"
)

// steps is the two passes over a working set that a two-variable step costs, at one
// SIMD level. All levels add up in the same order with fused multiplications, so
// gradients are the same bits at every one; second may pick another variable where
// gains agree to rounding, because assembly compares without dividing.
// Rows of the matrix are float64 or, in the second pair, float32, which halves the memory that large
// working sets read.
type steps struct {
	extremes   func(g, up, low, ki, kj []float64, t float64) (i int, m, M float64)
	second     func(g, low, d, ki []float64, m, kii float64) int
	extremes32 func(g, up, low []float64, ki, kj []float32, t float64) (i int, m, M float64)
	second32   func(g, low, d []float64, ki []float32, m, kii float64) int
}

var portable = steps{stepExtremesGeneric[float64], secondOrderGeneric[float64],
	stepExtremesGeneric[float32], secondOrderGeneric[float32]}

// lanes divides the length of every vector of a working set.
const lanes = 32

// stepExtremes runs stepExtremesGeneric at the level in use; len(g) is a positive multiple of lanes.
func stepExtremes[T dense.Float](g, up, low []float64, ki, kj []T, t float64) (i int, m, M float64) {
	if k32, ok := any(ki).([]float32); ok {
		return stepTable.Active().extremes32(g, up, low, k32, any(kj).([]float32), t)
	}
	return stepTable.Active().extremes(g, up, low, any(ki).([]float64), any(kj).([]float64), t)
}

// secondOrder runs secondOrderGeneric at the level in use; len(g) is a positive multiple of lanes.
func secondOrder[T dense.Float](g, low, d []float64, ki []T, m, kii float64) int {
	if k32, ok := any(ki).([]float32); ok {
		return stepTable.Active().second32(g, low, d, k32, m, kii)
	}
	return stepTable.Active().second(g, low, d, any(ki).([]float64), m, kii)
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
