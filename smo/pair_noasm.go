//go:build purego || !amd64

package smo

func stepExtremes(g, up, low, ki, kj []float64, t float64) (i int, m, M float64) {
	return stepExtremesGeneric(g, up, low, ki, kj, t)
}

func secondOrder(g, low, d, ki []float64, m, kii float64) int {
	return secondOrderGeneric(g, low, d, ki, m, kii)
}
