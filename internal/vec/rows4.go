package vec

import "fmt"

// Dot4 writes dst[r] = Σ_j a[r·lda+j] x[j] for the four rows r of a, j < len(x).
func Dot4(dst *[4]float64, a []float64, lda int, x []float64) {
	checkRows4(a, lda, len(x))
	dot4(dst, a, lda, x)
}

// Axpy4 does y[j] += Σ_r c[r] a[r·lda+j] for the four rows r of a, j < len(y).
func Axpy4(c *[4]float64, a []float64, lda int, y []float64) {
	checkRows4(a, lda, len(y))
	axpy4(c, a, lda, y)
}

// DotAxpy4 does [Dot4] with x and [Axpy4] with y in one pass over a, which is
// what the product with one triangle of a symmetric matrix needs. x and y have
// the same length and must not overlap.
func DotAxpy4(dst, c *[4]float64, a []float64, lda int, x, y []float64) {
	checkRows4(a, lda, len(x))
	dotAxpy4(dst, c, a, lda, x, y[:len(x)])
}

func checkRows4(a []float64, lda, n int) {
	if lda < 0 || n > 0 && len(a) < 3*lda+n {
		panic(fmt.Sprintf("vec: %d values for four rows of %d, %d apart", len(a), n, lda))
	}
}
