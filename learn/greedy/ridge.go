package greedy

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// ridgeRows is the number of rows that are reduced together: two tiles of a product's columns.
const ridgeRows = 48

// ridge returns the v that minimises ‖R v − u‖² + mu ‖v‖² for an upper triangular R given by its columns r. It
// overwrites r with the triangle T of T'T = R'R + mu I, and u with v. An element that R and mu leave undetermined (a
// pivot of exactly zero) is zero. The error is the context's.
func ridge(ctx context.Context, threads int, r [][]float64, u []float64, mu float64) ([]float64, error) {
	if mu > 0 {
		if err := newReduction(r, u, mu).run(ctx, threads); err != nil {
			return nil, err
		}
	}
	upper(r, u)
	return u, nil
}

// upper overwrites u with the v of R v = u.
func upper(r [][]float64, u []float64) {
	for k := len(u) - 1; k >= 0; k-- {
		if r[k][k] == 0 {
			u[k] = 0
			continue
		}
		u[k] /= r[k][k]
		dense.Axpy(-u[k], r[k][:k], u)
	}
}

// normal overwrites u with the v of R'R v = u; elements with pivot 0 are 0.
func normal(r [][]float64, u []float64) {
	for k := range u {
		if r[k][k] == 0 {
			u[k] = 0
			continue
		}
		u[k] = (u[k] - dense.Dot(r[k][:k], u)) / r[k][k]
	}
	upper(r, u)
}

// reduction makes [R; √mu I] upper triangular. Transposed it is [P B], with P lower triangular and B = √mu I, and
// reflectors from the right annihilate B row by row. The reflector of row j is 1 in column j of P. Its other elements
// are in columns 0 to j of B, since the rows before have filled B up to their own columns. The reflectors of ridgeRows
// rows are applied to later rows as one, H = I − V'T V with an upper triangular T (Schreiber and Van Loan, SIAM J. Sci.
// Stat. Comput. 10(1), 1989).
type reduction struct {
	p [][]float64 // rows of P, j+1 elements; the last is u
	b []float64   // B with a row for u; the reflectors overwrite it row by row
	n int
	t []float64 // T of the current rows, zero below its diagonal
	w []float64 // W, the products of later rows with V'; wt is W T

	wt []float64
}

func newReduction(r [][]float64, u []float64, mu float64) *reduction {
	n := len(u)
	rd := &reduction{p: append(append(make([][]float64, 0, n+1), r...), u), b: make([]float64, (n+1)*n), n: n}
	rd.t = make([]float64, ridgeRows*ridgeRows)
	rd.w, rd.wt = make([]float64, (n+1)*ridgeRows), make([]float64, (n+1)*ridgeRows)
	for j := range n {
		rd.b[j*n+j] = math.Sqrt(mu)
	}
	return rd
}

// run reduces all rows.
func (rd *reduction) run(ctx context.Context, threads int) error {
	for lo := 0; lo < rd.n; lo += ridgeRows {
		hi := min(lo+ridgeRows, rd.n)
		rd.factor(lo, hi)
		if err := rd.apply(ctx, threads, lo, hi); err != nil {
			return err
		}
	}
	return nil
}

// row is the part of B's row j in which the reflector of row k is non-zero.
func (rd *reduction) row(j, k int) []float64 { return rd.b[j*rd.n : j*rd.n+k+1] }

// factor computes the reflectors of the rows [lo, hi), and T, one column each.
func (rd *reduction) factor(lo, hi int) {
	for j := lo; j < hi; j++ {
		for k := lo; k < j; k++ {
			v := rd.row(k, k)
			s := rd.t[(k-lo)*ridgeRows+k-lo] * (rd.p[j][k] + dense.Dot(v, rd.row(j, k)))
			rd.p[j][k] -= s
			dense.Axpy(-s, v, rd.row(j, k))
		}
		rd.reflector(j, lo)
	}
}

// reflector computes the reflector of row j and its column of T: −τ_j T (V v_j) above τ_j.
func (rd *reduction) reflector(j, lo int) {
	x, alpha := rd.row(j, j), rd.p[j][j]
	beta := -math.Copysign(math.Hypot(alpha, math.Sqrt(dense.Dot(x, x))), alpha)
	rd.p[j][j] = beta
	for i := range x {
		x[i] /= alpha - beta // x has √mu in it, so that beta is not 0
	}
	tau, c := (beta-alpha)/beta, j-lo
	var vv [ridgeRows]float64
	for k := range c {
		vv[k] = dense.Dot(rd.row(lo+k, lo+k), x)
	}
	for i := range c {
		var s float64
		for k := i; k < c; k++ {
			s += rd.t[i*ridgeRows+k] * vv[k]
		}
		rd.t[i*ridgeRows+c] = -tau * s
	}
	rd.t[c*ridgeRows+c] = tau
}

// apply multiplies the rows from hi on by H of the rows [lo, hi).
func (rd *reduction) apply(ctx context.Context, threads, lo, hi int) error {
	n, k, m := rd.n, hi-lo, rd.n+1-hi
	v := dense.Of(rd.b, n+1, n, n).Sub(lo, hi, 0, hi)
	behind := dense.Of(rd.b, n+1, n, n).Sub(hi, n+1, 0, hi)
	w := dense.Of(rd.w, m, k, k)
	for i := range m {
		copy(rd.w[i*k:(i+1)*k], rd.p[hi+i][lo:hi])
	}
	if err := dense.Mul(ctx, threads, 1, behind, v.T(), w); err != nil {
		return err
	}
	wt := dense.Of(rd.wt, m, k, k)
	clear(rd.wt[:m*k])
	if err := dense.Mul(ctx, threads, 1, w, dense.Of(rd.t, k, k, ridgeRows), wt); err != nil {
		return err
	}
	for i := range m {
		dense.Axpy(-1, rd.wt[i*k:(i+1)*k], rd.p[hi+i][lo:hi])
	}
	return dense.Mul(ctx, threads, -1, wt, v, behind)
}
