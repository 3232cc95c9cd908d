//go:build !purego

package smo

import "github.com/sparsekm/sparsekm/internal/cpu"

// See stepExtremesGeneric; n is a positive multiple of 32.
//
//go:noescape
func stepExtremesAVX512(grad, up, low, ki, kj *float64, n int, t float64) (i int, m, M float64)

//go:noescape
func stepExtremes32AVX512(grad, up, low *float64, ki, kj *float32, n int, t float64) (i int, m, M float64)

// See secondOrderGeneric; n is a positive multiple of 32.
//
//go:noescape
func secondOrderAVX512(grad, low, d, ki *float64, n int, m, kii float64) int

//go:noescape
func secondOrder32AVX512(grad, low, d *float64, ki *float32, n int, m, kii float64) int

// See stepExtremesGeneric; n is a positive multiple of 8. The extremes are left by lane:
// least and index of g + up, most of g − low.
//
//go:noescape
func stepExtremesAVX2(
	grad, up, low, ki, kj *float64, n int, t float64, least *[8]float64, index *[8]int64, most *[8]float64)

//go:noescape
func stepExtremes32AVX2(
	grad, up, low *float64, ki, kj *float32, n int, t float64, least *[8]float64, index *[8]int64, most *[8]float64)

// See secondOrderGeneric; n is a positive multiple of 8. Gains and their indices are left by lane.
//
//go:noescape
func secondOrderAVX2(grad, low, d, ki *float64, n int, m, kii float64, gain *[8]float64, index *[8]int64)

//go:noescape
func secondOrder32AVX2(
	grad, low, d *float64, ki *float32, n int, m, kii float64, gain *[8]float64, index *[8]int64)

var stepTable = cpu.NewTable(portable, map[cpu.Level]steps{
	cpu.AVX2:   {extremesAVX2, secondAVX2, extremes32AVX2, second32AVX2},
	cpu.AVX512: {extremesAVX512, secondAVX512, extremes32AVX512, second32AVX512},
})

func extremesAVX512(g, up, low []float64, ki, kj []float64, t float64) (i int, m, M float64) {
	n := len(g)
	_, _, _, _ = up[n-1], low[n-1], ki[n-1], kj[n-1]
	return stepExtremesAVX512(&g[0], &up[0], &low[0], &ki[0], &kj[0], n, t)
}

func secondAVX512(g, low, d []float64, ki []float64, m, kii float64) int {
	n := len(g)
	_, _, _ = low[n-1], d[n-1], ki[n-1]
	return secondOrderAVX512(&g[0], &low[0], &d[0], &ki[0], n, m, kii)
}

func extremes32AVX512(g, up, low []float64, ki, kj []float32, t float64) (i int, m, M float64) {
	n := len(g)
	_, _, _, _ = up[n-1], low[n-1], ki[n-1], kj[n-1]
	return stepExtremes32AVX512(&g[0], &up[0], &low[0], &ki[0], &kj[0], n, t)
}

func second32AVX512(g, low, d []float64, ki []float32, m, kii float64) int {
	n := len(g)
	_, _, _ = low[n-1], d[n-1], ki[n-1]
	return secondOrder32AVX512(&g[0], &low[0], &d[0], &ki[0], n, m, kii)
}

// The arrays of lanes stay on the stack only where the assembly is called by name.
func extremesAVX2(g, up, low []float64, ki, kj []float64, t float64) (i int, m, M float64) {
	n := len(g)
	_, _, _, _ = up[n-1], low[n-1], ki[n-1], kj[n-1]
	var least, most [8]float64
	var index [8]int64
	stepExtremesAVX2(&g[0], &up[0], &low[0], &ki[0], &kj[0], n, t, &least, &index, &most)
	return foldExtremes(&least, &index, &most)
}

func secondAVX2(g, low, d []float64, ki []float64, m, kii float64) int {
	n := len(g)
	_, _, _ = low[n-1], d[n-1], ki[n-1]
	var gain [8]float64
	var index [8]int64
	secondOrderAVX2(&g[0], &low[0], &d[0], &ki[0], n, m, kii, &gain, &index)
	return foldGains(&gain, &index)
}

func extremes32AVX2(g, up, low []float64, ki, kj []float32, t float64) (i int, m, M float64) {
	n := len(g)
	_, _, _, _ = up[n-1], low[n-1], ki[n-1], kj[n-1]
	var least, most [8]float64
	var index [8]int64
	stepExtremes32AVX2(&g[0], &up[0], &low[0], &ki[0], &kj[0], n, t, &least, &index, &most)
	return foldExtremes(&least, &index, &most)
}

func second32AVX2(g, low, d []float64, ki []float32, m, kii float64) int {
	n := len(g)
	_, _, _ = low[n-1], d[n-1], ki[n-1]
	var gain [8]float64
	var index [8]int64
	secondOrder32AVX2(&g[0], &low[0], &d[0], &ki[0], n, m, kii, &gain, &index)
	return foldGains(&gain, &index)
}
