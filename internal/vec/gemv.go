package vec

// gemvWork bounds the multiplications of one assembly call, which cannot be
// preempted, to some tens of microseconds.
const gemvWork = 1 << 17

// Gemv writes dst[i] = Σ_j a[i·ld+j] x[j] for 0 ≤ i < m: the product of an m×len(x)
// row-major matrix with row stride ld ≥ len(x) and a vector. An element's bits do
// not depend on m or i, so rows may be split over workers.
func Gemv(dst, a []float64, ld int, x []float64, m int) {
	if m == 0 {
		return
	}
	n := len(x)
	if n == 0 {
		clear(dst[:m])
		return
	}
	_, _ = dst[m-1], a[(m-1)*ld+n-1]
	step := max(4, gemvWork/n&^3)
	for i := 0; i < m; i += step {
		gemv(dst[i:], a[i*ld:], ld, x, min(step, m-i))
	}
}

// gemvGeneric is the portable reference of Gemv.
func gemvGeneric(dst, a []float64, ld int, x []float64, m int) {
	for i := range m {
		dst[i] = dotGeneric(a[i*ld:i*ld+len(x)], x)
	}
}
