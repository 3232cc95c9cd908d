package lpfile

import (
	"math"
	"math/rand/v2"

	"github.com/sparsekm/sparsekm/simplex"
)

// rowsOf is a small program written by rows.
type rowsOf struct {
	c            []float64
	a            [][]float64
	rowLo, rowUp []float64
	lo, up       []float64
}

// lp returns the program with a sparse or dense matrix.
func (p *rowsOf) lp(dense bool) simplex.LP {
	m, n := len(p.a), len(p.c)
	lp := simplex.LP{C: p.c, Lo: p.lo, Up: p.up, RowLo: p.rowLo, RowUp: p.rowUp}
	if dense {
		data := make([]float64, 0, m*n)
		for _, row := range p.a {
			data = append(data, row...)
		}
		lp.A = simplex.NewDense(m, n, data)
		return lp
	}
	sp := &simplex.Sparse{Rows: m, Start: []int{0}}
	for j := range n {
		var rows []int32
		var values []float64
		for i := range m {
			if v := p.a[i][j]; v != 0 {
				rows = append(rows, int32(i))
				values = append(values, v)
			}
		}
		sp.Append(rows, values)
	}
	lp.A = sp
	return lp
}

// planted is a random program whose optimum is known because its primal and dual
// solutions were drawn first: x and s = Ax with their bounds, y and d with the
// signs that the bounds ask for, and then c = Aᵀy + d.
func planted(rng *rand.Rand, m, n int, density float64, whole bool) (p *rowsOf, opt float64) {
	draw := func() float64 {
		if whole {
			return float64(rng.IntN(7) - 3)
		}
		return rng.NormFloat64()
	}
	// bounds returns an interval that holds v and a multiplier that is optimal there.
	bounds := func(v float64) (lo, up, d float64) {
		lo, up = v-rng.Float64()*5, v+rng.Float64()*5
		if rng.IntN(3) == 0 {
			lo = -inf
		}
		if rng.IntN(3) == 0 {
			up = inf
		}
		switch rng.IntN(5) {
		case 0:
			lo, d = v, math.Abs(draw())
		case 1:
			up, d = v, -math.Abs(draw())
		case 2:
			lo, up, d = v, v, draw()
		case 3:
			lo = v // degenerate: on its bound with multiplier 0
		}
		return lo, up, d
	}
	p = &rowsOf{c: make([]float64, n), lo: make([]float64, n), up: make([]float64, n),
		rowLo: make([]float64, m), rowUp: make([]float64, m)}
	x := make([]float64, n)
	for j := range x {
		x[j] = draw()
		p.lo[j], p.up[j], p.c[j] = bounds(x[j])
	}
	for i := range m {
		row := make([]float64, n)
		var s float64
		for j := range row {
			if rng.Float64() < density {
				row[j] = draw()
			}
			s += row[j] * x[j]
		}
		p.a = append(p.a, row)
		var y float64
		p.rowLo[i], p.rowUp[i], y = bounds(s)
		for j := range row {
			p.c[j] += row[j] * y
		}
	}
	for j := range x {
		opt += p.c[j] * x[j]
	}
	return p, opt
}

// entries returns a matrix by rows.
func entries(a simplex.Columns) [][]float64 {
	m, n := a.Dims()
	rows := make([][]float64, m)
	for i := range rows {
		rows[i] = make([]float64, n)
	}
	col := make([]float64, m)
	for j := range n {
		a.Column(col, j)
		for i, v := range col {
			rows[i][j] = v
		}
	}
	return rows
}
