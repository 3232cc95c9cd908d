//go:build !purego

package vec

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// The four-row loops read a matrix once, so memory is their limit: one AVX2
// kernel each serves the AVX-512 level as well. It keeps eight partial sums a
// row; the columns that do not fill a block of eight are added in Go.

// rows4Block bounds one assembly call to well under 100 µs.
const rows4Block = 8192

// dot4AVX2 is
//
//	for r := range dst {
//		for j := 0; j < n; j++ {
//			dst[r] += a[r*lda+j] * x[j]
//		}
//	}
//
// n is a multiple of 8; lane l of a row's eight sums takes the columns j ≡ l mod 8.
//
//go:noescape
func dot4AVX2(dst *[4]float64, a *float64, lda int, x *float64, n int)

// axpy4AVX2 is
//
//	for j := 0; j < n; j++ {
//		for r := range c {
//			y[j] += c[r] * a[r*lda+j]
//		}
//	}
//
// n is a multiple of 8.
//
//go:noescape
func axpy4AVX2(c *[4]float64, a *float64, lda int, y *float64, n int)

// dotAxpy4AVX2 does both in one pass over a.
//
//go:noescape
func dotAxpy4AVX2(dst, c *[4]float64, a *float64, lda int, x, y *float64, n int)

func dot4(dst *[4]float64, a []float64, lda int, x []float64) {
	if cpu.Active() == cpu.Generic {
		dot4Generic(dst, a, lda, x)
		return
	}
	*dst = [4]float64{}
	n := len(x) &^ 7
	for j := 0; j < n; j += rows4Block {
		dot4AVX2(dst, &a[j], lda, &x[j], min(rows4Block, n-j))
	}
	dot4Tail(dst, a, lda, x, n)
}

func axpy4(c *[4]float64, a []float64, lda int, y []float64) {
	if cpu.Active() == cpu.Generic {
		axpy4Generic(c, a, lda, y)
		return
	}
	n := len(y) &^ 7
	for j := 0; j < n; j += rows4Block {
		axpy4AVX2(c, &a[j], lda, &y[j], min(rows4Block, n-j))
	}
	axpy4Tail(c, a, lda, y, n)
}

func dotAxpy4(dst, c *[4]float64, a []float64, lda int, x, y []float64) {
	if cpu.Active() == cpu.Generic {
		dotAxpy4Generic(dst, c, a, lda, x, y)
		return
	}
	*dst = [4]float64{}
	n := len(x) &^ 7
	for j := 0; j < n; j += rows4Block {
		dotAxpy4AVX2(dst, c, &a[j], lda, &x[j], &y[j], min(rows4Block, n-j))
	}
	dot4Tail(dst, a, lda, x, n)
	axpy4Tail(c, a, lda, y, n)
}

// dot4Tail and axpy4Tail do the columns from n on, fused like the assembly.

func dot4Tail(dst *[4]float64, a []float64, lda int, x []float64, n int) {
	for j := n; j < len(x); j++ {
		for r := range dst {
			dst[r] = math.FMA(a[r*lda+j], x[j], dst[r])
		}
	}
}

func axpy4Tail(c *[4]float64, a []float64, lda int, y []float64, n int) {
	for j := n; j < len(y); j++ {
		for r, v := range c {
			y[j] = math.FMA(v, a[r*lda+j], y[j])
		}
	}
}
