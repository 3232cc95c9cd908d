package kernellp

import "github.com/sparsekm/sparsekm/internal/dense"

// grown is the constraint matrix, which gains rows between solves. Its columns are
// m_1..m_n and, with a sum constraint, λ. Row 0 is the bias row, all ones.
type grown struct {
	n    int
	rows [][]float64 // working rows of the kernel matrix
	sign []float64   // coefficient of λ in each row: −y of its point
	sum  bool        // there is a λ
}

// newGrown starts with the bias row.
func newGrown(n int, sum bool) *grown {
	g := &grown{n: n, sum: sum}
	bias := make([]float64, n)
	for j := range bias {
		bias[j] = 1
	}
	g.append(bias, 0)
	return g
}

// Dims implements simplex.Columns.
func (g *grown) Dims() (m, n int) {
	n = g.n
	if g.sum {
		n++
	}
	return len(g.rows), n
}

// append adds a row whose coefficient in λ's column is lambda.
func (g *grown) append(row []float64, lambda float64) {
	g.rows, g.sign = append(g.rows, row), append(g.sign, lambda)
}

// Column implements simplex.Columns.
func (g *grown) Column(dst []float64, j int) {
	if j == g.n {
		copy(dst, g.sign)
		return
	}
	for r, row := range g.rows {
		dst[r] = row[j]
	}
}

// Price implements simplex.Columns.
func (g *grown) Price(dst []float64, rows []int32, y []float64) {
	_, n := g.Dims()
	clear(dst[:n])
	sum := dense.NewGather()
	for t, r := range rows {
		sum.Add(y[t], g.rows[r])
		if g.sum {
			dst[g.n] += y[t] * g.sign[r]
		}
	}
	sum.AddTo(dst[:g.n])
}

// MulAdd implements simplex.Multiplier.
func (g *grown) MulAdd(dst, x []float64) {
	dense.AddMulGathered(dst[:len(g.rows)], g.rows, x[:g.n])
	if g.sum {
		dense.Axpy(x[g.n], g.sign, dst)
	}
}
