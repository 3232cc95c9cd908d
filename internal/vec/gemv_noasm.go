//go:build purego || !amd64

package vec

func gemv(dst, a []float64, ld int, x []float64, m int) { gemvGeneric(dst, a, ld, x, m) }
