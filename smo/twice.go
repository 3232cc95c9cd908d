package smo

import (
	"context"

	"github.com/sparsekm/sparsekm/smo/internal/duals"
)

// Twice is the matrix [[K, K], [K, K]] of two variables for each of k's: i and k.Len() + i. A [Pair] over it has
//
//	min ½ aᵀKa + Σ p_i(a_i)   with   a_i = b_i + b_{n+i},  0 ≤ b_i ≤ hi_i,  lo_i ≤ b_{n+i} ≤ 0
//
// where the slope of p_i is P_i on the right of 0 and P_{n+i} < P_i on its left: the dual of a regression. Rows of K
// are asked for once for both. If k is a [Single], so is what is returned.
func Twice(k Matrix) Matrix {
	t := &twice{Matrix: k, n: k.Len()}
	if s, ok := k.(Single); ok {
		return &twiceSingle{twice: t, k: s}
	}
	return t
}

type twice struct {
	Matrix
	n      int
	places []int // row or column of the selection → place of its row of K among those selected
	place  []int // row of K → that place plus 1, 0 for none
	rows   []int // of K that are selected
	row    []float64
	g      []float64
	sum    []float64 // by row of K: of its coefficients
	moved  []bool
}

func (m *twice) doubled() {}

// Len implements [Matrix].
func (m *twice) Len() int { return 2 * m.n }

// Diag implements [Matrix].
func (m *twice) Diag(dst []float64) {
	m.Matrix.Diag(dst[:m.n])
	copy(dst[m.n:2*m.n], dst[:m.n])
}

// Select implements [Matrix].
func (m *twice) Select(idx []int) {
	m.place = duals.Grow(m.place, m.n)
	clear(m.place)
	m.places, m.rows = m.places[:0], m.rows[:0]
	for _, i := range idx {
		i %= m.n
		if m.place[i] == 0 {
			m.rows = append(m.rows, i)
			m.place[i] = len(m.rows)
		}
		m.places = append(m.places, m.place[i]-1)
	}
	m.Matrix.Select(m.rows)
}

// SubRow implements [Matrix].
func (m *twice) SubRow(dst []float64, r int) {
	m.row = duals.Grow(m.row, len(m.rows))
	m.Matrix.SubRow(m.row, m.places[r])
	for c, q := range m.places {
		dst[c] = m.row[q]
	}
}

// AddRows implements [Matrix].
func (m *twice) AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error {
	m.g, m.sum, m.moved = duals.Grow(m.g, m.n), duals.Grow(m.sum, m.n), duals.Grow(m.moved, m.n)
	clear(m.g)
	clear(m.moved)
	var rows []int
	for s, i := range idx {
		i %= m.n
		if !m.moved[i] {
			m.moved[i], m.sum[i] = true, 0
			rows = append(rows, i)
		}
		m.sum[i] += coef[s]
	}
	sums := make([]float64, len(rows))
	for s, i := range rows {
		sums[s] = m.sum[i]
	}
	err := m.Matrix.AddRows(ctx, m.g, rows, sums)
	for i, v := range m.g {
		g[i] += v
		g[m.n+i] += v
	}
	return err
}

// twiceSingle is a [Single].
type twiceSingle struct {
	*twice
	k     Single
	row32 []float32
}

// SubRow32 implements [Single].
func (m *twiceSingle) SubRow32(dst []float32, r int) {
	m.row32 = duals.Grow(m.row32, len(m.rows))
	m.k.SubRow32(m.row32, m.places[r])
	for c, q := range m.places {
		dst[c] = m.row32[q]
	}
}
