package smo

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/internal/vec"
)

// Dense is a [Matrix] held in memory: n×n, row-major.
type Dense struct {
	n int
	k []float64
}

// NewDense wraps k, which must be symmetric; it is not copied.
func NewDense(n int, k []float64) *Dense {
	if len(k) < n*n {
		panic(fmt.Sprintf("smo: %d values for a matrix of order %d", len(k), n))
	}
	return &Dense{n, k}
}

func (m *Dense) row(i int) []float64 { return m.k[i*m.n : (i+1)*m.n] }

// Len implements [Matrix].
func (m *Dense) Len() int { return m.n }

// Diag implements [Matrix].
func (m *Dense) Diag(dst []float64) {
	for i := range m.n {
		dst[i] = m.k[i*m.n+i]
	}
}

// Sub implements [Matrix].
func (m *Dense) Sub(dst []float64, ld int, idx []int) {
	for r, i := range idx {
		row := m.row(i)
		for c, j := range idx {
			dst[r*ld+c] = row[j]
		}
	}
}

// AddRows implements [Matrix].
func (m *Dense) AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error {
	for r, i := range idx {
		vec.Axpy(coef[r], m.row(i), g)
	}
	return ctx.Err()
}
