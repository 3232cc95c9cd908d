package simplex

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// inverse is the explicit inverse M of the k×k block A[R,S]: row i belongs to the
// i-th column of S, column t to the t-th row of R. Pivots change it by rank one.
//
// The basis knows it by its methods alone: blank, set and factor make it afresh;
// solve, solveT and unitT use it; border, remove, replaceColumn and replaceRow
// follow a pivot. A factorisation of another kind needs these ten and nothing else.
type inverse struct {
	k, stride int
	a         []float64 // row i is a[i*stride : i*stride+k]

	rowBuffer        []float64 // scratch of replaceRow and unpermute
	order, pivotRows []int32   // scratch of factor
	size, perRow     []float64 // the same: columns' largest entries, one over rows' largest
}

// row returns row i, a view.
func (v *inverse) row(i int) []float64 { return v.a[i*v.stride : i*v.stride+v.k] }

// reserve makes room for k rows, keeping the contents.
func (v *inverse) reserve(k int) {
	if k <= v.stride {
		return
	}
	stride := max(2*v.stride, (k+15)&^7)
	a := make([]float64, stride*stride)
	for i := range v.k {
		copy(a[i*stride:], v.row(i))
	}
	v.stride, v.a = stride, a
}

// blank begins another block, of k rows and columns that are all 0.
func (v *inverse) blank(k int) {
	v.k = 0
	v.reserve(k)
	v.k = k
	for t := range k {
		clear(v.row(t))
	}
}

// set writes the entry of the t-th row of R and the s-th column of S, for factor to invert.
func (v *inverse) set(t, s int, x float64) { v.a[t*v.stride+s] = x }

// unitT writes dst = Mᵀ·e_i, row i.
func (v *inverse) unitT(dst []float64, i int) { copy(dst, v.row(i)) }

// solve writes the elements of M·t from number i on to dst.
func (v *inverse) solve(dst []float64, i int, t []float64) {
	dense.MulVec(dst, v.a[i*v.stride:], v.stride, t[:v.k])
}

// solveT writes dst = Mᵀ·t.
func (v *inverse) solveT(dst, t []float64) {
	g := dense.NewGather()
	for i := range v.k {
		g.Add(t[i], v.row(i))
	}
	clear(dst[:v.k])
	g.AddTo(dst[:v.k])
}

// border makes M the inverse of [F f; gᵀ h], given u = M·f, w = Mᵀ·g and the
// Schur complement sigma = h − gᵀu.
func (v *inverse) border(u, w []float64, sigma float64) {
	v.reserve(v.k + 1)
	k := v.k
	for i := range k {
		s := u[i] / sigma
		if s != 0 {
			dense.Axpy(s, w[:k], v.row(i))
		}
		v.a[i*v.stride+k] = -s
	}
	v.k++
	last := v.row(k)
	for t := range k {
		last[t] = -w[t] / sigma
	}
	last[k] = 1 / sigma
}

// remove drops row i and column t; the last row and column take their places.
func (v *inverse) remove(i, t int) {
	k := v.k
	pivot := v.row(i)
	inv := -1 / pivot[t]
	for r := range k {
		if r != i {
			row := v.row(r)
			if s := row[t] * inv; s != 0 {
				dense.Axpy(s, pivot, row)
			}
		}
	}
	if i != k-1 {
		copy(pivot, v.row(k-1))
	}
	for r := range k - 1 {
		row := v.row(r)
		row[t] = row[k-1]
	}
	v.k--
}

// replaceColumn makes M the inverse after column i of the block became f, given u = M·f.
func (v *inverse) replaceColumn(i int, u []float64) {
	pivot := v.row(i)
	inv := 1 / u[i]
	for t := range pivot {
		pivot[t] *= inv
	}
	for r := range v.k {
		if r != i && u[r] != 0 {
			dense.Axpy(-u[r], pivot, v.row(r))
		}
	}
}

// replaceRow makes M the inverse after row t of the block became gᵀ, given w = Mᵀ·g.
func (v *inverse) replaceRow(t int, w []float64) {
	inv := 1 / w[t]
	scaled := append(v.rowBuffer[:0], w[:v.k]...)
	v.rowBuffer = scaled
	for j := range scaled {
		scaled[j] *= -inv
	}
	scaled[t] = 0
	for r := range v.k {
		row := v.row(r)
		s := row[t]
		if s == 0 {
			continue
		}
		dense.Axpy(s, scaled, row)
		row[t] = s * inv
	}
}

// pivotTolerance is the least pivot, relative to its column's largest original
// entry, that the factorisation takes, entries measured by the largest of their rows:
// a row of 1e-8 is no less independent for it than one of 1e8.
const pivotTolerance = 1e-11

// factor inverts in place the k×k block that the caller wrote to the rows of v
// (row t of the block in v.row(t)) by Gauss-Jordan elimination with row pivoting.
// It returns the row that each column was pivoted on (valid until the next call),
// −1 where the column depends on others; then the contents are of no use, nor when
// ctx ends, which it is asked for at every column.
func (v *inverse) factor(ctx context.Context) (pivotRow []int32, ok bool) {
	k := v.k
	v.order, v.size, v.perRow = grow(v.order, k), grow(v.size, k), grow(v.perRow, k)
	order, size, perRow := v.order, v.size, v.perRow // order[t] is the original row now in place t
	v.measure()
	v.pivotRows = grow(v.pivotRows, k)
	pivotRow = v.pivotRows
	done := 0 // rows in places < done are pivoted
	for j := range k {
		if ctx.Err() != nil {
			return nil, false
		}
		best, at := pivotTolerance*size[j], -1
		for t := done; t < k; t++ {
			if x := math.Abs(v.a[t*v.stride+j]) * perRow[t]; x > best {
				best, at = x, t
			}
		}
		if at < 0 {
			pivotRow[j] = -1
			continue
		}
		v.swapRows(at, done)
		order[at], order[done] = order[done], order[at]
		perRow[at], perRow[done] = perRow[done], perRow[at]
		pivotRow[j] = order[done]
		v.eliminate(done, j)
		done++
	}
	if done < k {
		return pivotRow, false
	}
	v.unpermute(order)
	return pivotRow, true
}

// measure begins a factorisation: rows in their order, what their entries count, and the columns' sizes.
func (v *inverse) measure() {
	clear(v.size)
	for t := range v.k {
		v.order[t], v.perRow[t] = int32(t), 1
		if most := largest(v.row(t)); most > 1e-300 {
			v.perRow[t] = 1 / most
		}
		for j, x := range v.row(t) {
			v.size[j] = max(v.size[j], math.Abs(x)*v.perRow[t])
		}
	}
}

func (v *inverse) swapRows(i, j int) {
	if i == j {
		return
	}
	a, b := v.row(i), v.row(j)
	for t, x := range a {
		a[t], b[t] = b[t], x
	}
}

// eliminate is a Gauss-Jordan step on the entry of row t, column j: afterwards
// column j holds that column of the inverse so far.
func (v *inverse) eliminate(t, j int) {
	pivot := v.row(t)
	inv := 1 / pivot[j]
	pivot[j] = 1
	for c := range pivot {
		pivot[c] *= inv
	}
	for r := range v.k {
		row := v.row(r)
		if s := row[j]; r != t && s != 0 {
			row[j] = 0
			dense.Axpy(-s, pivot, row)
		}
	}
}

// unpermute moves column t of the matrix to column order[t].
func (v *inverse) unpermute(order []int32) {
	v.rowBuffer = grow(v.rowBuffer, v.k)
	buf := v.rowBuffer
	for r := range v.k {
		row := v.row(r)
		for t, to := range order {
			buf[to] = row[t]
		}
		copy(row, buf)
	}
}
