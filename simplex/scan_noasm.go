//go:build purego || !amd64

package simplex

func scan(colMax, row []float64) (most float64, ok bool) { return scanGeneric(colMax, row) }
