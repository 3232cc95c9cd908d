package smo

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// Dense is a [Matrix] held in memory: n×n, row-major.
type Dense struct {
	n   int
	k   []float64
	idx []int
}

// NewDense wraps k, which must be symmetric; it is not copied.
func NewDense(n int, k []float64) *Dense {
	if len(k) < n*n {
		panic(fmt.Sprintf("smo: %d values for a matrix of order %d", len(k), n))
	}
	return &Dense{n: n, k: k}
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

// Select implements [Matrix].
func (m *Dense) Select(idx []int) { m.idx = idx }

// SubRow implements [Matrix].
func (m *Dense) SubRow(dst []float64, r int) {
	row := m.row(m.idx[r])
	for c, j := range m.idx {
		dst[c] = row[j]
	}
}

// AddRows implements [Matrix].
func (m *Dense) AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error {
	sum := dense.NewGather()
	for r, i := range idx {
		sum.Add(coef[r], m.row(i))
	}
	sum.AddTo(g[:m.n])
	return ctx.Err()
}
