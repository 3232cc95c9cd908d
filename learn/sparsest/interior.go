package sparsest

import (
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// interior solves the relaxation of a node by a primal-dual interior-point method with Mehrotra's (1992) corrector.
// Instead of choosing candidates it gives each a share z_j in [0, 1],
//
//	min ½ Σ β_j²/z_j + Σ cost_i max(0, 1 − (Aβ)_i − y_i b)   subject to   Σ_{j in R} z_j = count_R for each cell R,
//
// the perspective relaxation (Günlük and Linderoth 2010). Its dual, in which the conditions are solved, is
//
//	max Σα − Σ_R count_R U_R − Σ u_j,   g_j = u_j + U_{R(j)} − ½ c_j² ≥ 0,   c = Aᵀα,   0 ≤ α ≤ cost,   yᵀα = 0,   u ≥ 0.
//
// β_j = z_j c_j. The products α s, (cost − α) t, z g and u (1 − z) go to 0 together, where
// s − t = Aβ + y b − 1. A step solves a system of the order of the candidates in use.
type interior struct {
	*program
	chosen  []int32   // candidates in use
	cell    []int     // number of the cell of each, −1 where z = 1
	counts  []float64 // of cells, 0 for those whose members have z = 1
	rows    []float64 // columns of the candidates in use, and y: a row each
	now     point
	c, g, r []float64 // r = 1 − Aβ − y b + s − t
	mu      float64   // mean product
	move    point
	dc      []float64
	want    target
	system
	steps int
}

// point is an iterate, or the difference of two.
type point struct {
	alpha, s, t []float64 // of samples
	z, u        []float64 // of candidates
	big         []float64 // of cells: U
	b           float64
}

// target is what a step aims at: the change of the products α s, (cost − α) t, z g and u (1 − z), and what the product
// z c changes beyond its linear part.
type target struct {
	s, t, z, u, cross []float64
}

// system is the matrix of a step: M of candidates and b, bordered by the cells.
type system struct {
	inverse    []float64 // of the samples' diagonal α/s + (cost − α)/t
	h, slope   []float64 // of candidates: dz = h (e − dU + c dc) and dc = slope (dβ − h c (e − dU))
	matrix     []float64 // Cholesky factor
	border     []float64 // a row each cell
	schur      []float64
	right, rho []float64
	e          []float64
	scratch    []float64
}

const (
	maxSteps = 60
	inside   = 0.995 // share of the way to the next bound that a step goes
	shortest = 1e-10
)

func resize(n int, of ...*[]float64) {
	for _, x := range of {
		*x = slices.Grow((*x)[:0], n)[:n]
	}
}

// begin sets the first point for the chosen candidates.
func (x *interior) begin(chosen []int32, cell []int, counts []float64) {
	x.chosen, x.cell, x.counts = chosen, cell, counts
	n, k, cells := x.n, len(chosen), len(counts)
	for _, p := range []*point{&x.now, &x.move} {
		resize(n, &p.alpha, &p.s, &p.t)
		resize(k, &p.z, &p.u)
		resize(cells, &p.big)
	}
	resize(n, &x.r, &x.want.s, &x.want.t, &x.inverse, &x.rho)
	resize(k, &x.c, &x.g, &x.dc, &x.want.z, &x.want.u, &x.want.cross, &x.h, &x.slope, &x.e)
	resize(k+1, &x.right)
	resize((k+1)*(k+1), &x.matrix)
	resize((k+1)*dense.Strip, &x.scratch)
	resize((k+1)*n, &x.rows)
	resize(cells*(k+1), &x.border)
	resize(cells*cells, &x.schur)
	for q, j := range chosen {
		copy(x.rows[q*n:], x.column(j))
	}
	copy(x.rows[k*n:], x.y)
	x.start()
}

// start is a point in the middle: half of every cost but for yᵀα = 0, equal shares, and equal products.
func (x *interior) start() {
	for i, c := range x.cost {
		x.now.alpha[i] = c / 2
	}
	x.mu = x.balance(x.now.alpha) / float64(x.n) / 2
	for i, c := range x.cost {
		x.now.s[i] = x.mu / x.now.alpha[i]
		x.now.t[i] = x.mu / (c - x.now.alpha[i])
	}
	dense.MulVec(x.c, x.rows, x.n, x.now.alpha)
	members := make([]float64, len(x.counts))
	for _, r := range x.cell {
		if r >= 0 {
			members[r]++
		}
	}
	clear(x.now.big)
	for q, r := range x.cell {
		x.now.z[q], x.now.u[q] = 1, 0
		if r >= 0 {
			z := x.counts[r] / members[r]
			x.now.z[q], x.now.u[q] = z, x.mu/(1-z)
			x.now.big[r] = max(x.now.big[r], x.c[q]*x.c[q]/2+x.mu/z-x.mu/(1-z))
		}
	}
	x.now.b, x.steps = 0, 0
}

// refresh computes c, g, r and the mean product. It returns the objective of the relaxation at (z, β, b), and that of
// the dual over the candidates in use, which is a bound only at the end.
func (x *interior) refresh() (primal, dual float64) {
	dense.MulVec(x.c, x.rows, x.n, x.now.alpha)
	for i := range x.r {
		x.r[i] = 1 - x.y[i]*x.now.b
	}
	sum, products := 0.0, 2*x.n
	for q, c := range x.c {
		z, u := x.now.z[q], x.now.u[q]
		dense.Axpy(-z*c, x.rows[q*x.n:(q+1)*x.n], x.r)
		primal += z * c * c / 2
		r := x.cell[q]
		if r < 0 {
			dual -= c * c / 2
			continue
		}
		dual -= u
		x.g[q] = u + x.now.big[r] - c*c/2
		sum += z*x.g[q] + u*(1-z)
		products += 2
	}
	for i, a := range x.now.alpha {
		primal += x.cost[i] * max(0, x.r[i])
		dual += a
		s, t := x.now.s[i], x.now.t[i]
		x.r[i] += s - t
		sum += a*s + (x.cost[i]-a)*t
	}
	for r, count := range x.counts {
		dual -= count * x.now.big[r]
	}
	x.mu = sum / float64(products)
	return primal, dual
}

// step makes a predictor and a corrector step. It reports false where rounding ends the method.
func (x *interior) step() bool {
	x.steps++
	if !x.factor() {
		return false
	}
	x.aim(0, false)
	x.direction()
	x.aim(x.mu*max(math.Pow(x.after(x.length())/x.mu, 3), 1e-4), true)
	x.direction()
	p, d := &x.now, &x.move
	by := min(1, inside*x.length())
	if size := dense.Sum(d.alpha); !(by >= shortest) || size-size != 0 {
		return false
	}
	for _, v := range [][2][]float64{{p.alpha, d.alpha}, {p.s, d.s}, {p.t, d.t}, {p.z, d.z}, {p.u, d.u}, {p.big, d.big}} {
		dense.Axpy(by, v[1], v[0])
	}
	x.now.b += by * d.b
	return true
}

// aim sets the changes of the products that make each of them mu, with the second-order terms of the last direction
// or without.
func (x *interior) aim(mu float64, second bool) {
	w, d := &x.want, &x.move
	for i, a := range x.now.alpha {
		w.s[i], w.t[i] = mu-x.now.s[i]*a, mu-x.now.t[i]*(x.cost[i]-a)
		if second {
			w.s[i] -= d.alpha[i] * d.s[i]
			w.t[i] += d.alpha[i] * d.t[i]
		}
	}
	for q, r := range x.cell {
		w.z[q], w.u[q], w.cross[q] = 0, 0, 0
		if r < 0 {
			continue
		}
		w.z[q], w.u[q] = mu-x.now.z[q]*x.g[q], mu-x.now.u[q]*(1-x.now.z[q])
		if second {
			dc := x.dc[q]
			w.z[q] -= d.z[q]*(d.u[q]+d.big[r]-x.c[q]*dc) - x.now.z[q]*dc*dc/2
			w.u[q] += d.u[q] * d.z[q]
			w.cross[q] = d.z[q] * dc
		}
	}
}

// after is the mean product after a step of the given length.
func (x *interior) after(by float64) float64 {
	p, d := &x.now, &x.move
	sum, products := 0.0, 2*x.n
	for i, a := range x.now.alpha {
		a += by * d.alpha[i]
		sum += a*(p.s[i]+by*d.s[i]) + (x.cost[i]-a)*(p.t[i]+by*d.t[i])
	}
	for q, r := range x.cell {
		if r < 0 {
			continue
		}
		c, z, u := x.c[q]+by*x.dc[q], p.z[q]+by*d.z[q], p.u[q]+by*d.u[q]
		sum += z*(u+p.big[r]+by*d.big[r]-c*c/2) + u*(1-z)
		products += 2
	}
	return max(0, sum/float64(products))
}

// length is the longest step up to 1 within the bounds.
func (x *interior) length() float64 {
	p, d := &x.now, &x.move
	step := 1.0
	fall := func(v, by float64) {
		if v+step*by < 0 {
			step = -v / by
		}
	}
	for i, a := range x.now.alpha {
		fall(a, d.alpha[i])
		fall(x.cost[i]-a, -d.alpha[i])
		fall(p.s[i], d.s[i])
		fall(p.t[i], d.t[i])
	}
	for q, r := range x.cell {
		if r < 0 {
			continue
		}
		fall(p.z[q], d.z[q])
		fall(1-p.z[q], -d.z[q])
		fall(p.u[q], d.u[q])
		// g + step·slope − ½ (step·dc)² ≥ 0, whose root is written without cancellation
		slope := d.u[q] + d.big[r] - x.c[q]*x.dc[q]
		if root := math.Sqrt(slope*slope + 2*x.g[q]*x.dc[q]*x.dc[q]); root > slope {
			step = min(step, 2*x.g[q]/(root-slope))
		}
	}
	return step
}
