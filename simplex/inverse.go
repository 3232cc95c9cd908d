package simplex

import "github.com/sparsekm/sparsekm/internal/dense"

// inverse is the explicit inverse M of the k×k block A[R,S]: row i belongs to the
// i-th column of S, column t to the t-th row of R. Pivots change it by rank one.
//
// M = a + left·right: the products of the last few pivots are kept apart from a until there are enough of them to
// pass over it once for all. An order that the caches hold has none that wait.
//
// A blockBasis knows it by its methods alone: blank, set and factor make it afresh; solve, solveT and unitT use it;
// border, remove, replaceColumn and replaceRow follow a pivot.
type inverse struct {
	k, stride int
	a         []float64 // row i is a[i*stride : i*stride+k]

	waiting     int            // products
	left, right []float64      // product p has column left[i*delay+p] and row right[p*stride+t]
	inner       [delay]float64 // scratch: a column of right, or a product with left or right

	rowBuffer        []float64 // scratch of unpermute
	order, pivotRows []int32   // scratch of factor
	size, perRow     []float64 // the same: columns' largest entries, one over rows' largest
	steps, found     []float64 // the same: see spread
}

// delay is the most products that wait.
const delay = 16

// room is how many products may wait at the present order.
func (v *inverse) room() int { return max(1, min(delay, v.k/32)) }

// row returns row i of a, a view.
func (v *inverse) row(i int) []float64 { return v.a[i*v.stride : i*v.stride+v.k] }

// factors returns those of row i in the products that wait, a view.
func (v *inverse) factors(i int) []float64 { return v.left[i*delay : i*delay+v.waiting] }

// reserve makes room for k rows, keeping the contents.
func (v *inverse) reserve(k int) {
	if k <= v.stride {
		return
	}
	v.apply()
	stride := max(2*v.stride, (k+15)&^7)
	a := make([]float64, stride*stride)
	for i := range v.k {
		copy(a[i*stride:], v.row(i))
	}
	v.stride, v.a = stride, a
	v.left, v.right = make([]float64, stride*delay), make([]float64, delay*stride)
}

// blank begins another block, of k rows and columns that are all 0.
func (v *inverse) blank(k int) {
	v.k, v.waiting = 0, 0
	v.reserve(k)
	v.k = k
	for t := range k {
		clear(v.row(t))
	}
}

// set writes the entry of the t-th row of R and the s-th column of S, for factor to invert.
func (v *inverse) set(t, s int, x float64) { v.a[t*v.stride+s] = x }

// unitT writes dst = Mᵀ·e_i, row i.
func (v *inverse) unitT(dst []float64, i int) {
	copy(dst, v.row(i))
	dense.AddRows(dst[:v.k], v.factors(i), v.right, v.stride)
}

// takeColumn moves column t of M, where 0 stays, to that of the next product.
func (v *inverse) takeColumn(t int) {
	for p := range v.waiting {
		v.inner[p] = v.right[p*v.stride+t]
		v.right[p*v.stride+t] = 0
	}
	inner := v.inner[:v.waiting]
	for r := range v.k {
		s := v.a[r*v.stride+t]
		for p, f := range v.factors(r) {
			s += f * inner[p]
		}
		v.left[r*delay+v.waiting] = s
		v.a[r*v.stride+t] = 0
	}
}

// solve writes M·rhs to the blocks of xs, each for k elements of rhs. A few rows go to one
// vector after the other, so that they are read from memory once.
func (v *inverse) solve(xs []basicVector, rhs []float64) {
	for from := 0; from < v.k; from += together {
		to := min(from+together, v.k)
		for q, x := range xs {
			dense.MulVec(x.block[from:to], v.a[from*v.stride:], v.stride, rhs[q*v.k:(q+1)*v.k])
		}
	}
	inner := v.inner[:v.waiting]
	for q, x := range xs {
		dense.MulVec(inner, v.right, v.stride, rhs[q*v.k:(q+1)*v.k])
		dense.AddMulVec(x.block[:v.k], v.left, delay, inner)
	}
}

// solveT writes dst = Mᵀ·t.
func (v *inverse) solveT(dst, t []float64) {
	g := dense.NewGather()
	for i := range v.k {
		g.Add(t[i], v.row(i))
	}
	clear(dst[:v.k])
	g.AddTo(dst[:v.k])
	inner := v.inner[:v.waiting]
	clear(inner)
	dense.AddRows(inner, t[:v.k], v.left, delay)
	dense.AddRows(dst[:v.k], inner, v.right, v.stride)
}

// next returns the row of the product that wait ends with, for the caller to write.
func (v *inverse) next() []float64 {
	return v.right[v.waiting*v.stride : v.waiting*v.stride+v.k]
}

// wait takes in the product whose row and column have been written.
func (v *inverse) wait() {
	if v.waiting++; v.waiting >= v.room() {
		v.apply()
	}
}

// apply adds the products that wait to a.
func (v *inverse) apply() {
	for i := range v.k {
		f := v.factors(i)
		for p, x := range f {
			if x != 0 {
				dense.AddRows(v.row(i), f[p:], v.right[p*v.stride:], v.stride)
				break
			}
		}
	}
	v.waiting = 0
}

// border makes M the inverse of [F f; gᵀ h], given u = M·f, w = Mᵀ·g and the Schur complement sigma = h − gᵀu: M with
// a row and a column of 0 more, plus [u; −1]·[wᵀ −1]/sigma.
func (v *inverse) border(u, w []float64, sigma float64) {
	v.reserve(v.k + 1)
	k := v.k
	v.k++
	clear(v.row(k))
	clear(v.factors(k))
	for p := range v.waiting {
		v.right[p*v.stride+k] = 0
	}
	for i := range k {
		v.a[i*v.stride+k] = 0
		v.left[i*delay+v.waiting] = u[i] / sigma
	}
	v.left[k*delay+v.waiting] = -1 / sigma
	right := v.next()
	copy(right, w[:k])
	right[k] = -1
	v.wait()
}

// remove drops row i and column t; the last row and column take their places.
func (v *inverse) remove(i, t int) {
	right := v.next()
	v.unitT(right, i)
	inv := -1 / right[t]
	for c := range right {
		right[c] *= inv
	}
	v.takeColumn(t)
	last := v.k - 1
	copy(v.row(i), v.row(last))
	copy(v.left[i*delay:i*delay+v.waiting+1], v.left[last*delay:])
	for r := range last {
		v.a[r*v.stride+t] = v.a[r*v.stride+last]
	}
	for p := range v.waiting + 1 {
		v.right[p*v.stride+t] = v.right[p*v.stride+last]
	}
	v.k--
	v.wait()
}

// replaceColumn makes M the inverse after column i of the block became f, given u = M·f.
func (v *inverse) replaceColumn(i int, u []float64) {
	right := v.next()
	v.unitT(right, i)
	inv := 1 / u[i]
	for t := range right {
		right[t] *= inv
	}
	clear(v.row(i))
	clear(v.factors(i))
	for r := range v.k {
		v.left[r*delay+v.waiting] = -u[r]
	}
	v.left[i*delay+v.waiting] = 1
	v.wait()
}

// replaceRow makes M the inverse after row t of the block became gᵀ, given w = Mᵀ·g.
func (v *inverse) replaceRow(t int, w []float64) {
	v.takeColumn(t)
	right, inv := v.next(), 1/w[t]
	for c := range right {
		right[c] = -inv * w[c]
	}
	right[t] = inv
	v.wait()
}
