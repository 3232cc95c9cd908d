//go:build purego || !amd64

package vec

func addRows4[T Float](g []float64, rows [][]T, c []float64) { addRows4Generic(g, rows, c) }
