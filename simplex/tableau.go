package simplex

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// tableau is T = B⁻¹N of a small program, kept whole: x_B + T·x_N = 0. The reduced costs are one more row, so that a
// pivot changes them with the same sweep.
type tableau struct {
	m, n, stride int       // rows are stride apart and padded with zeros, so that kernels see whole vectors
	t            []float64 // m+1 rows
	basic        []int32   // variable of every row
	nonbasic     []int32   // variable of every column

	pivotRow, column []float64 // of the next exchange
	vector           []float64 // scratch by column, padded
	squares          []float64 // m+1: of the rows' norms, after an exchange
}

// wholeVectors is the number of elements that rows are padded to a multiple of.
const wholeVectors = 8

func newTableau(m, n int) tableau {
	stride := (n + wholeVectors - 1) / wholeVectors * wholeVectors
	return tableau{m: m, n: n, stride: stride, t: make([]float64, (m+1)*stride), basic: make([]int32, m),
		nonbasic: make([]int32, n), pivotRow: make([]float64, stride), column: make([]float64, m+1),
		vector: make([]float64, stride), squares: make([]float64, m+1)}
}

// row returns row r with its padding; row m holds the reduced costs.
func (t *tableau) row(r int) []float64 { return t.t[r*t.stride : (r+1)*t.stride] }

// entry returns the element of row r and column q.
func (t *tableau) entry(r, q int) float64 { return t.t[r*t.stride+q] }

// start makes it that of the slack basis: B = −I, T = −A.
func (t *tableau) start(scaled []float64) {
	for i := range t.m {
		row := t.row(i)
		for j, v := range scaled[i*t.stride : (i+1)*t.stride] {
			row[j] = -v
		}
		t.basic[i] = int32(t.n + i)
	}
	for j := range t.nonbasic {
		t.nonbasic[j] = int32(j)
	}
	clear(t.row(t.m))
}

// factor makes it that of the basis of the given positions, of which m are Basic: structural columns enter one by one,
// each for the logical that is to leave with the largest element. It reports whether all elements were large enough.
func (t *tableau) factor(scaled []float64, position []Position) bool {
	t.start(scaled)
	for q := range t.n {
		if position[q] != Basic {
			continue
		}
		t.load(q)
		r, largest := -1, minPivot*t.size()
		for i, v := range t.basic {
			if a := math.Abs(t.entry(i, q)); a > largest && int(v) >= t.n && position[v] != Basic {
				r, largest = i, a
			}
		}
		if r < 0 {
			return false
		}
		t.exchange(r, q)
	}
	return true
}

// minPivot is the size of elements that no exchange pivots on, relative to the column: they may be what rounding
// has left of 0.
const minPivot = 1e-9

// size returns the norm of the loaded column, or 1.
func (t *tableau) size() float64 {
	column := t.column[:t.m]
	return max(1, math.Sqrt(dense.Dot(column, column)))
}

// load copies column q, that of the reduced costs included.
func (t *tableau) load(q int) {
	pos := q
	for i := range t.column {
		t.column[i] = t.t[pos]
		pos += t.stride
	}
}

// exchange makes the nonbasic variable of column q, which is loaded, basic in row r: T −= column·row/pivot.
func (t *tableau) exchange(r, q int) {
	row := t.row(r)
	copy(t.pivotRow, row)
	t.pivotRow[q] = 1
	reciprocal := 1 / t.column[r]
	for pos := q; pos < len(t.t); pos += t.stride {
		t.t[pos] = 0
	}
	t.column[r] = 0
	t.add(-reciprocal)
	for k, v := range t.pivotRow {
		row[k] = v * reciprocal
	}
	t.squares[r] = dense.Dot(row, row)
	t.basic[r], t.nonbasic[q] = t.nonbasic[q], t.basic[r]
}

// sweep does T += factor·column·row, the row being that of number r.
func (t *tableau) sweep(r int, factor float64) {
	copy(t.pivotRow, t.row(r))
	t.add(factor)
}

// add does T += factor·column·pivotRow. The column is multiplied by the factor.
func (t *tableau) add(factor float64) {
	for i := range t.column {
		t.column[i] *= factor
	}
	dense.AddOuterSquares(t.t, t.stride, t.column, t.pivotRow, t.squares)
}

// times writes T·v for the nonbasic columns, v padded with zeros.
func (t *tableau) times(dst, v []float64) { dense.MulVec(dst[:t.m], t.t, t.stride, v) }

// price sets the reduced costs to c_N − c_B·T; cost is that of every basic variable.
func (t *tableau) price(basicCost []float64, cost func(v int32) float64) {
	d := t.row(t.m)
	clear(d)
	dense.AddRows(d, basicCost, t.t, t.stride)
	for k, v := range t.nonbasic {
		d[k] = cost(v) - d[k]
	}
}
