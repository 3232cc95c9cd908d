//go:build purego || !amd64

package vec

func dot(x, y []float64) float64 { return dotGeneric(x, y) }

func axpy(a float64, x, y []float64) { axpyGeneric(a, x, y) }
