package lssvm

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
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

	q   []float64   // k×n, the vectors q one after another
	t   [][]float64 // with a ridge: t[s] has s+1 coefficients over the selected points
	kss [][]float64 // with a ridge: kss[s][r] = k(x_s, x_r) of the selected points, r ≤ s
	r   [][]float64 // r[s] is column s of R, s+1 values
	u   []float64   // Q'y
	y   []float64   // without a ridge the residual y − Q u, with one y itself
}

// newBasis starts with the scaled labels, centred by ybar when there is a bias.
func (t *task) newBasis(bias bool, rho float64) (b *basis, ybar float64) {
	b = &basis{n: t.n, rho: rho, y: make([]float64, t.n)}
	if bias {
		b.one = make([]float64, t.n)
		for i, y := range t.y {
			b.one[i] = t.root[i] / math.Sqrt(t.total)
			ybar += t.w[i] * y / t.total
		}
	}
	for i, y := range t.y {
		b.y[i] = t.root[i] * (y - ybar)
	}
	return b, ybar
}

// size is the number of vectors.
func (b *basis) size() int { return len(b.u) }

// candidate is a column on its way into the basis.
type candidate struct {
	a    []float64 // n values; orthogonalize replaces them by what is orthogonal to the basis
	ks   []float64 // with a ridge: kernel values against the selected points and, last, itself
	coef []float64 // components along the basis: the new column of R but for its last element
	t    []float64 // with a ridge: coefficients of the remainder's function
	norm float64   // squared length of the remainder
}

// orthogonalize splits c.a by Gram-Schmidt, twice: the second pass removes what
// rounding left behind in the first.
func (b *basis) orthogonalize(c *candidate) {
	k := b.size()
	c.coef = make([]float64, k)
	if b.rho > 0 {
		c.t = make([]float64, k+1)
		c.t[k] = 1
	}
	d := make([]float64, k)
	kt := c.ks // K_SS t of the remainder's function, at first that of k(x_j, ·)
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
		dense.AddRows(c.a, d, b.q, b.n)
		if b.rho > 0 {
			for s, v := range d {
				dense.Axpy(v, b.t[s], c.t)
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
	dense.MulVec(d, b.q, b.n, a)
	if b.rho > 0 {
		for s := range d {
			d[s] += b.rho * dense.Dot(b.t[s], kt)
		}
	}
}

// applyKernel returns the values of the remainder's function at the selected points and at its own.
func (b *basis) applyKernel(c *candidate) []float64 {
	k := b.size()
	out := make([]float64, k+1)
	for s, row := range b.kss {
		out[s] += dense.Dot(row, c.t)
		dense.Axpy(c.t[s], row[:s], out)
	}
	out[k] = dense.Dot(c.ks, c.t)
	dense.Axpy(c.t[k], c.ks[:k], out)
	return out
}

// add makes the remainder of c the next vector. A remainder of no length (a
// dependent column) becomes a vector of zeros: its R column is still right.
func (b *basis) add(c *candidate) {
	length := math.Sqrt(c.norm)
	inverse := 0.0
	if length > 0 {
		inverse = 1 / length
	}
	k := b.size()
	for i, v := range c.a {
		c.a[i] = v * inverse
	}
	b.q = append(b.q, c.a...)
	q := b.q[k*b.n:]
	if b.rho > 0 {
		for s := range c.t {
			c.t[s] *= inverse
		}
		b.t = append(b.t, c.t)
		b.kss = append(b.kss, c.ks)
	}
	u := dense.Dot(q, b.y)
	if b.rho == 0 { // the vectors' q are orthogonal: the residual serves, and rounds less
		dense.Axpy(-u, q, b.y)
	}
	b.u = append(b.u, u)
	b.r = append(b.r, append(c.coef, length))
}

// last returns the newest vector.
func (b *basis) last() []float64 { return b.q[(b.size()-1)*b.n:] }
