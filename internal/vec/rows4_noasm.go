//go:build purego || !amd64

package vec

func dot4(dst *[4]float64, a []float64, lda int, x []float64) { dot4Generic(dst, a, lda, x) }
func axpy4(c *[4]float64, a []float64, lda int, y []float64)  { axpy4Generic(c, a, lda, y) }
func dotAxpy4(dst, c *[4]float64, a []float64, lda int, x, y []float64) {
	dotAxpy4Generic(dst, c, a, lda, x, y)
}
