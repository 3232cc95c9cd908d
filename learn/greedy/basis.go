package greedy

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn/internal/leastsq"
)

// basis is an orthonormal basis of the selected kernel columns, grown by one
// column at a time: K_S = Q R in the least-squares metric (rows scaled by √w,
// and made orthogonal to the bias when there is one).
//
// With a ridge ρ > 0 the columns live in a larger space: to column k_j belongs
// the function k(x_j, ·), and the inner product of two columns is
// k_i'k_j + ρ k(x_i, x_j). Least squares there is min ‖y − K_S v‖² + ρ v'K_SS v.
// A basis vector is then a pair: q, and the coefficients t of its function.
type basis struct {
	n   int
	rho float64
	one []float64 // the bias column, normalised; nil without a bias

	q *store    // the vectors q, with the rows r, t and kss
	u []float64 // Q'y
	y []float64 // without a ridge the residual y − Q u, with one y itself
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
func newBasis(t *leastsq.Task, bias bool, rho float64) (b *basis, ybar float64) {
	b = &basis{n: t.N, rho: rho, y: make([]float64, t.N), q: &store{n: t.N, short: shortRows(rho)}}
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

// candidate is a column on its way into the basis. It is scratch: add copies what
// the basis keeps, and the next column may use its slices again.
type candidate struct {
	a    []float64 // n values; orthogonalize replaces them by what is orthogonal to the basis
	ks   []float64 // with a ridge: kernel values against the selected samples and, last, itself
	coef []float64 // components along the basis: the new column of R but for its last element
	t    []float64 // with a ridge: coefficients of the remainder's function
	norm float64   // squared length of the remainder

	d, kt []float64 // components of a pass; values of the remainder's function
}

// resize returns x with n elements, any; its own memory if that is enough.
func resize(x []float64, n int) []float64 {
	if n > cap(x) {
		return make([]float64, n, n+blockVectors)
	}
	return x[:n]
}

// orthogonalize splits c.a by Gram-Schmidt, twice: the second pass removes what
// rounding left behind in the first.
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
		b.q.axpy(c.a, 0, d)
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

// add makes the remainder of c the next vector, for which the store has room. A
// remainder of no length (a dependent column) becomes a vector of zeros: its R
// column is still right.
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
