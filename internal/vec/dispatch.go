package vec

// Dot returns Σ x_i y_i. Assembly adds longer vectors in 32 partial sums and
// so rounds differently from the portable loop.
func Dot(x, y []float64) float64 { return dot(x, y[:len(x)]) }

// Axpy does y += a·x; assembly fuses the multiplication with the addition.
func Axpy(a float64, x, y []float64) { axpy(a, x, y[:len(x)]) }
