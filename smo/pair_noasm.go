//go:build purego || !(amd64 || arm64)

package smo

import "github.com/sparsekm/sparsekm/internal/dense"

func stepExtremes[T dense.Float](g, up, low []float64, ki, kj []T, t float64) (i int, m, M float64) {
	return stepExtremesGeneric(g, up, low, ki, kj, t)
}

func secondOrder[T dense.Float](g, low, d []float64, ki []T, m, kii float64) int {
	return secondOrderGeneric(g, low, d, ki, m, kii)
}
