package dense

// Forward overwrites x with L⁻¹x, where row i of the lower triangle L begins at l[i*ld]. For more right sides at once
// see [SolveLower].
func Forward(l []float64, ld int, x []float64) {
	for i := range x {
		row := l[i*ld : i*ld+i+1]
		x[i] = (x[i] - Dot(row[:i], x)) / row[i]
	}
}

// Backward overwrites x with L⁻ᵀx, for L as in [Forward].
func Backward(l []float64, ld int, x []float64) {
	for i := len(x) - 1; i >= 0; i-- {
		row := l[i*ld : i*ld+i+1]
		x[i] /= row[i]
		Axpy(-x[i], row[:i], x)
	}
}
