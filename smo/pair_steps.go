package smo

import (
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/dense"
)

// The two passes over a working set that a two-variable step costs are stepExtremes and secondOrder. All levels add up
// in the same order with fused multiplications, so gradients are the same bits at every one; secondOrder may pick
// another variable where gains agree to rounding, because assembly compares without dividing.
// Rows of the matrix are float64 or, which halves the memory that large working sets read, float32.

// lanes divides the length of every vector of a working set.
const lanes = 32

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
