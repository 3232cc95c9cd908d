package vec

// Dot returns Σ x_i y_i.
func Dot(x, y []float64) float64 { return dotGeneric(x, y) }

// Axpy does y += a·x.
func Axpy(a float64, x, y []float64) { axpyGeneric(a, x, y) }
