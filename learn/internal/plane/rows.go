package plane

import (
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/csr"
)

// rows is compressed rows in a quarter of the memory or less, for every step reads them several times: indices of 16
// bits, and no values where all are 1, as of categories.
type rows struct {
	start []int
	index []uint16
	value []float64 // nil where all are 1
}

// compact is m as rows. Its values are shared.
func compact(m *csr.Matrix) *rows {
	if m.D > math.MaxUint16 {
		panic(fmt.Sprintf("plane: %d features, want at most %d", m.D, math.MaxUint16))
	}
	r := &rows{start: m.Start, index: make([]uint16, len(m.Index))}
	for k, j := range m.Index {
		r.index[k] = uint16(j)
	}
	for _, v := range m.Value {
		if v != 1 {
			r.value = m.Value
			break
		}
	}
	return r
}

// mul is dst = X w + b of the rows from lo to hi.
func (r *rows) mul(dst, w []float64, b float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		from, to := r.start[i], r.start[i+1]
		sum := b
		if r.value == nil {
			for _, j := range r.index[from:to] {
				sum += w[j]
			}
		} else {
			value := r.value[from:to]
			for k, j := range r.index[from:to] {
				sum += value[k] * w[j]
			}
		}
		dst[i] = sum
	}
}

// add adds t times row i to dst.
func (r *rows) add(dst []float64, i int, t float64) {
	from, to := r.start[i], r.start[i+1]
	if r.value == nil {
		for _, j := range r.index[from:to] {
			dst[j] += t
		}
		return
	}
	value := r.value[from:to]
	for k, j := range r.index[from:to] {
		dst[j] += t * value[k]
	}
}

// pairs adds the lower triangle of t [x; 1][x; 1]ᵀ for x row i to m, of some order.
func (r *rows) pairs(m []float64, order, i int, t float64) {
	from, to := r.start[i], r.start[i+1]
	column, last := r.index[from:to], m[(order-1)*order:order*order]
	last[order-1] += t
	if r.value == nil {
		addOnes(m, order, column, t)
		return
	}
	value := r.value[from:to]
	for a, j := range column {
		tv := t * value[a]
		row := m[int(j)*order : int(j)*order+int(j)+1]
		for b, k := range column[:a+1] {
			row[k] += tv * value[b]
		}
		last[j] += tv
	}
}

// addOnes adds t to the lower triangle of m where row and column are both listed, and to the last row's columns, four
// rows at once: the loops are few and their ends less often a surprise to the processor.
func addOnes(m []float64, order int, column []uint16, t float64) {
	last := m[(order-1)*order : order*order]
	for _, k := range column {
		last[k] += t
	}
	for len(column) >= 4 {
		at := column[len(column)-4:]
		column = column[:len(column)-4]
		a, b := m[int(at[0])*order:][:order], m[int(at[1])*order:][:order]
		c, d := m[int(at[2])*order:][:order], m[int(at[3])*order:][:order]
		for _, k := range column {
			a[k] += t
			b[k] += t
			c[k] += t
			d[k] += t
		}
		a[at[0]] += t
		b[at[0]] += t
		b[at[1]] += t
		c[at[0]] += t
		c[at[1]] += t
		c[at[2]] += t
		for _, k := range at {
			d[k] += t
		}
	}
	for n, j := range column {
		row := m[int(j)*order:][:order]
		for _, k := range column[:n+1] {
			row[k] += t
		}
	}
}
