package sparsest

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/ipm"
)

// interior solves the relaxation of a node by [ipm.Method]. Instead of choosing candidates it gives each a share z_j in
// [0, 1],
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
	ipm.Method
	chosen []int32   // candidates in use, first those with a share
	cell   []int     // number of the cell of each, −1 where z = 1
	counts []float64 // of cells, 0 for those whose members have z = 1
	rows   []float64 // columns of the candidates in use, and y: a row each
	alpha  ipm.Box   // of samples, with the multipliers s and t
	share  ipm.Box   // z of the first candidates, with the multipliers g and u
	u      []float64 // of cells: U
	b      float64
	c, r   []float64 // r = 1 − Aβ − y b + s − t
	system
	steps int
	short bool // the last step was too short
}

// system is the matrix of a step: M of candidates and b, bordered by the cells; and the directions that it finds.
type system struct {
	inverse  []float64 // shares of α
	h, slope []float64 // of candidates: dz = h (e − dU + c dc) and dc = slope (dβ − h c (e − dU))
	matrix   []float64 // Cholesky factor
	border   []float64 // a row each cell
	schur    []float64
	rho, e   []float64 // right-hand sides of samples and of candidates
	cross    []float64 // what β changes beyond its linear part
	scratch  []float64
	right    []float64 // dβ and db
	dc, du   []float64
}

const (
	maxSteps = 60
	shortest = 1e-10 // step at which rounding ends the method
)

func resize(n int, all ...*[]float64) {
	for _, x := range all {
		*x = slices.Grow((*x)[:0], n)[:n]
	}
}

// begin sets the first point for the chosen candidates, those with a cell first.
func (x *interior) begin(chosen []int32, cell []int, counts []float64) {
	x.chosen, x.cell, x.counts = chosen, cell, counts
	n, k, cells := x.n, len(chosen), len(counts)
	x.Method = ipm.NewMethod(&x.alpha, &x.share)
	x.Within = x.curved
	x.alpha.Resize(n)
	x.share.Resize(slices.Index(append(cell, -1), -1))
	resize(n, &x.r, &x.inverse, &x.rho)
	resize(k, &x.c, &x.dc, &x.h, &x.slope, &x.e, &x.cross)
	resize(k+1, &x.right)
	resize((k+1)*(k+1), &x.matrix)
	resize((k+1)*dense.Strip, &x.scratch)
	resize((k+1)*n, &x.rows)
	resize(cells, &x.u, &x.du)
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
	low, high := &x.alpha.Low, &x.alpha.High
	for i, c := range x.cost {
		low.X[i] = c / 2
	}
	mu := x.balance(low.X) / float64(x.n) / 2
	for i, c := range x.cost {
		high.X[i] = c - low.X[i]
		low.Z[i], high.Z[i] = mu/low.X[i], mu/high.X[i]
	}
	dense.MulVec(x.c, x.rows, x.n, low.X)
	members := make([]float64, len(x.counts))
	for _, r := range x.cell[:x.free()] {
		members[r]++
	}
	clear(x.u)
	for q, r := range x.cell[:x.free()] {
		z := x.counts[r] / members[r]
		x.share.Low.X[q], x.share.High.X[q], x.share.High.Z[q] = z, 1-z, mu/(1-z)
		x.u[r] = max(x.u[r], x.c[q]*x.c[q]/2+mu/z-mu/(1-z))
	}
	x.b, x.steps = 0, 0
}

// free is the number of candidates with a share.
func (x *interior) free() int { return len(x.share.Low.X) }

// z is the share of the q-th candidate in use.
func (x *interior) z(q int) float64 {
	if q < x.free() {
		return x.share.Low.X[q]
	}
	return 1
}

// refresh computes c, g and r. It returns the objective of the relaxation at (z, β, b), and that of the dual over the
// candidates in use, which is a bound only at the end.
func (x *interior) refresh() (primal, dual float64) {
	dense.MulVec(x.c, x.rows, x.n, x.alpha.Low.X)
	for i := range x.r {
		x.r[i] = 1 - x.y[i]*x.b
	}
	for q, c := range x.c {
		z := x.z(q)
		dense.Axpy(-z*c, x.rows[q*x.n:(q+1)*x.n], x.r)
		primal += z * c * c / 2
		if q >= x.free() {
			dual -= c * c / 2
			continue
		}
		u := x.share.High.Z[q]
		dual -= u
		x.share.Low.Z[q] = u + x.u[x.cell[q]] - c*c/2
	}
	for i, a := range x.alpha.Low.X {
		primal += x.cost[i] * max(0, x.r[i])
		dual += a
		x.r[i] += x.alpha.Low.Z[i] - x.alpha.High.Z[i]
		x.alpha.High.X[i] = x.cost[i] - a // whatever large costs round off α, they round off here
	}
	for r, count := range x.counts {
		dual -= count * x.u[r]
	}
	return primal, dual
}

// step makes a step. It reports false where rounding ends the method. The context is the background's, since a step
// takes little time.
func (x *interior) step() bool {
	x.steps++
	return x.Step(context.Background(), x) == nil && !x.short
}

// curved is the longest step up to the given one that keeps g + step·dg − ½ (step·dc)² ≥ 0, whose root is written
// without cancellation. It is NaN for a direction that is not finite.
func (x *interior) curved(step float64) float64 {
	if sum := dense.Sum(x.alpha.Low.DX); sum-sum != 0 {
		return math.NaN()
	}
	for q, dg := range x.share.Low.DZ {
		if root := math.Sqrt(dg*dg + 2*x.share.Low.Z[q]*x.dc[q]*x.dc[q]); root > dg {
			step = min(step, 2*x.share.Low.Z[q]/(root-dg))
		}
	}
	return step
}

// Move implements [ipm.Newton].
func (x *interior) Move(t, _ float64) {
	dense.Axpy(t, x.du, x.u)
	x.b += t * x.right[len(x.chosen)]
	x.short = !(t >= shortest)
}
