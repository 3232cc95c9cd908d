package kernellp

import (
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/simplex"
)

// grown is the constraint matrix, which gains rows between solves. Its columns are m_1..m_n and, with a sum
// constraint, λ. Row 0 is the bias row of ones.
type grown struct {
	n    int
	rows [][]float64 // working rows of the kernel matrix
	sign []float64   // coefficient of λ in each row: −y of its sample
	sum  bool        // there is a column λ

	scale    []float64 // of the samples: kernel entries times both samples' are at most 1; nil where they are
	rowScale []float64 // of the rows, where scale is not nil
}

// The optional interfaces are looked for at run time.
var (
	_ simplex.Multiplier = (*grown)(nil)
	_ simplex.Scaler     = (*grown)(nil)
)

// newGrown returns the matrix of the bias row alone.
func newGrown(n int, sum bool, scale []float64) *grown {
	g := &grown{n: n, sum: sum, scale: scale}
	bias := make([]float64, n)
	for j := range bias {
		bias[j] = 1
	}
	g.append(bias, 0, 1/g.largestScale())
	return g
}

// without returns the matrix of the bias row and the rows that are not basic.
func (g *grown) without(position []simplex.Position) *grown {
	f := newGrown(g.n, g.sum, g.scale)
	for r := 1; r < len(position); r++ {
		if position[r] != simplex.Basic {
			f.append(g.rows[r], g.sign[r], g.rowScale[r])
		}
	}
	return f
}

// first returns the matrix of the first rows.
func (g *grown) first(rows int) *grown {
	f := *g
	f.rows, f.sign, f.rowScale = slices.Clip(g.rows[:rows]), slices.Clip(g.sign[:rows]), slices.Clip(g.rowScale[:rows])
	return &f
}

// scalesOf returns powers of two close to 1/√|k_ii|, or nil if the diagonal is close to 1.
//
// The tolerances of package simplex are absolute, for entries of about 1. A kernel of 1e8 would have pivots of 1e-8
// that count as zeros, and programs that look unbounded.
func scalesOf(k Kernel) []float64 {
	scale := make([]float64, k.Len())
	k.Diag(scale)
	near := true
	for i, v := range scale {
		scale[i] = 1
		if v = math.Abs(v); v > 0 && v <= math.MaxFloat64 {
			scale[i] = math.Exp2(-math.Round(math.Log2(v) / 2))
		}
		near = near && scale[i] >= 0.25 && scale[i] <= 4
	}
	if near {
		return nil
	}
	return scale
}

// scaleOf returns the scale of sample i.
func (g *grown) scaleOf(i int) float64 {
	if g.scale == nil {
		return 1
	}
	return g.scale[i]
}

// largestScale returns the largest scale of the samples, or 1 without scales.
func (g *grown) largestScale() float64 {
	if g.scale == nil {
		return 1
	}
	return slices.Max(g.scale)
}

// Scales implements simplex.Scaler.
func (g *grown) Scales() (row, col []float64) {
	if g.scale == nil {
		return nil, nil
	}
	col = slices.Clone(g.scale)
	if g.sum {
		col = append(col, 1/g.largestScale())
	}
	return g.rowScale, col
}

// Dims implements simplex.Columns.
func (g *grown) Dims() (m, n int) {
	n = g.n
	if g.sum {
		n++
	}
	return len(g.rows), n
}

// append adds a row with the coefficient lambda in λ's column.
func (g *grown) append(row []float64, lambda, scale float64) {
	g.rows = append(g.rows, row)
	g.sign = append(g.sign, lambda)
	g.rowScale = append(g.rowScale, scale)
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
