package vec

func dot4Generic(dst *[4]float64, a []float64, lda int, x []float64) {
	for r := range dst {
		dst[r] = dotGeneric(x, a[r*lda:])
	}
}

func axpy4Generic(c *[4]float64, a []float64, lda int, y []float64) {
	for r, v := range c {
		axpyGeneric(v, a[r*lda:][:len(y)], y)
	}
}

func dotAxpy4Generic(dst, c *[4]float64, a []float64, lda int, x, y []float64) {
	dot4Generic(dst, a, lda, x)
	axpy4Generic(c, a, lda, y)
}
