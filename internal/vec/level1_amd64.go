//go:build !purego

package vec

import "github.com/sparsekm/sparsekm/internal/cpu"

// The level-1 loops read and write more than they compute: one AVX2 kernel each
// serves the AVX-512 level as well.

const (
	level1Min   = 8     // shorter vectors are faster in Go
	level1Block = 32768 // bounds one assembly call to well under 100 µs
)

// dotAVX2 is
//
//	for i := 0; i < n; i++ {
//		s += x[i] * y[i]
//	}
//
// in 32 partial sums.
//
//go:noescape
func dotAVX2(x, y *float64, n int) float64

// axpyAVX2 is
//
//	for i := 0; i < n; i++ {
//		y[i] = math.FMA(a, x[i], y[i])
//	}
//
//go:noescape
func axpyAVX2(a float64, x, y *float64, n int)

func dot(x, y []float64) (s float64) {
	if len(x) < level1Min || cpu.Active() == cpu.Generic {
		return dotGeneric(x, y)
	}
	for len(x) > 0 {
		n := min(len(x), level1Block)
		s += dotAVX2(&x[0], &y[0], n)
		x, y = x[n:], y[n:]
	}
	return s
}

func axpy(a float64, x, y []float64) {
	if len(x) < level1Min || cpu.Active() == cpu.Generic {
		axpyGeneric(a, x, y)
		return
	}
	for len(x) > 0 {
		n := min(len(x), level1Block)
		axpyAVX2(a, &x[0], &y[0], n)
		x, y = x[n:], y[n:]
	}
}
