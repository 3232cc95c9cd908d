package greedy

import (
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
)

// basis is an orthonormal basis of the selected kernel columns, grown by one column at a time: K_S = Q R in the
// least-squares metric (rows scaled by √w, and orthogonal to the bias if there is one).
//
// With a ridge ρ > 0 the basis lives in a larger space. A column k_j belongs to the function k(x_j, ·), and the inner
// product of two columns is k_i'k_j + ρ k(x_i, x_j). Least squares is then min ‖y − K_S v‖² + ρ v'K_SS v. A basis
// vector is a pair of q and the coefficients t of its function.
type basis struct {
	n   int
	rho float64
	one []float64 // the bias column, normalised; nil without a bias

	q *store    // the vectors q, with the rows r, t and kss
	u []float64 // Q'y
	y []float64 // the residual y − Q u without a ridge, y with one
}

// r is column s of R, s+1 values.
func (b *basis) r(s int) []float64 { return b.q.row(0, s) }

// t, with a ridge, is the s+1 coefficients of vector s over the selected samples.
func (b *basis) t(s int) []float64 { return b.q.row(1, s) }

// kss, with a ridge, is k(x_s, x_r) of the selected samples, r ≤ s.
func (b *basis) kss(s int) []float64 { return b.q.row(2, s) }

// shortRows is the number of short rows of a basis.
func shortRows(ridge float64) int {
	if ridge > 0 {
		return 3
	}
	return 1
}

// newBasis starts with the scaled labels, centred by ybar when there is a bias.
func newBasis(t *samples.LeastSquares, bias bool, rho float64) (b *basis, ybar float64) {
	b = &basis{n: t.N, rho: rho, y: make([]float64, t.N), q: newStore(t.N, shortRows(rho))}
	if bias {
		b.one = make([]float64, t.N)
		for i, y := range t.Y {
			b.one[i] = t.Root[i] / math.Sqrt(t.Total)
			ybar += t.W[i] * y / t.Total
		}
	}
	for i, y := range t.Y {
		b.y[i] = t.Root[i] * (y - ybar)
	}
	return b, ybar
}

// size is the number of vectors.
func (b *basis) size() int { return len(b.u) }

// candidate is a column that may enter the basis. It is scratch: add copies from it, and its slices may be reused.
type candidate struct {
	a    []float64 // n values; orthogonalize makes them orthogonal to the basis
	ks   []float64 // with a ridge: kernel values against the selected samples and, last, itself
	coef []float64 // components along the basis: the new column of R without its last element
	t    []float64 // with a ridge: coefficients of the remainder's function
	norm float64   // squared length of the remainder

	d, kt []float64 // components of a pass; values of the remainder's function
}

// resize returns x with n elements of any value, in its own memory if possible.
func resize(x []float64, n int) []float64 { return slices.Grow(x[:0], n)[:n] }

// orthogonalize makes c.a orthogonal to the basis by two passes of Gram-Schmidt; the second removes rounding errors of
// the first.
func (b *basis) orthogonalize(c *candidate) {
	k := b.size()
	c.coef, c.d = resize(c.coef, k), resize(c.d, k)
	clear(c.coef)
	if b.rho > 0 {
		c.t = resize(c.t, k+1)
		clear(c.t)
		c.t[k] = 1
	}
	d, kt := c.d, c.ks // K_SS t of the remainder's function, at first that of k(x_j, ·)
	for pass := range 2 {
		if b.one != nil {
			dense.Axpy(-dense.Dot(b.one, c.a), b.one, c.a)
		}
		if b.rho > 0 && pass == 1 {
			kt = b.applyKernel(c)
		}
		b.project(d, c.a, kt)
		for s, v := range d {
			c.coef[s] += v
			d[s] = -v
		}
		b.q.axpy(c.a, d)
		if b.rho > 0 {
			for s, v := range d {
				dense.Axpy(v, b.t(s), c.t)
			}
		}
	}
	c.norm = dense.Dot(c.a, c.a)
	if b.rho > 0 {
		c.norm += b.rho * dense.Dot(c.t, b.applyKernel(c))
	}
}

// project writes the inner products of the basis with a column: Q'a + ρ T'kt.
func (b *basis) project(d, a, kt []float64) {
	b.q.dot(d, a)
	if b.rho > 0 {
		for s := range d {
			d[s] += b.rho * dense.Dot(b.t(s), kt)
		}
	}
}

// applyKernel returns the values of the remainder's function at the selected samples and at its own.
func (b *basis) applyKernel(c *candidate) []float64 {
	k := b.size()
	c.kt = resize(c.kt, k+1)
	out := c.kt
	clear(out)
	for s := range k {
		row := b.kss(s)
		out[s] += dense.Dot(row, c.t)
		dense.Axpy(c.t[s], row[:s], out)
	}
	out[k] = dense.Dot(c.ks, c.t)
	dense.Axpy(c.t[k], c.ks[:k], out)
	return out
}

// add makes the remainder of c the next vector; the store must have room. A remainder of length 0 (a dependent column)
// becomes a vector of zeros, with the correct column of R.
func (b *basis) add(c *candidate) {
	length := math.Sqrt(c.norm)
	inverse := 0.0
	if length > 0 {
		inverse = 1 / length
	}
	k := b.size()
	q := b.q.vector(k)
	for i, v := range c.a {
		q[i] = v * inverse
	}
	r := b.r(k)
	copy(r, c.coef)
	r[k] = length
	if b.rho > 0 {
		t := b.t(k)
		for s, v := range c.t {
			t[s] = v * inverse
		}
		copy(b.kss(k), c.ks)
	}
	u := dense.Dot(q, b.y)
	if b.rho == 0 { // the vectors' q are orthogonal: the residual serves, and rounds less
		dense.Axpy(-u, q, b.y)
	}
	b.u = append(b.u, u)
}

// last returns the newest vector.
func (b *basis) last() []float64 { return b.q.vector(b.size() - 1) }
