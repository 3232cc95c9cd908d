package sparsest

import (
	"context"
	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/dense"
)

// factor makes and factors the matrix of a step. It reports false where rounding makes it indefinite.
//
// With D = s/α + t/(cost − α) the samples' equations give dα = D⁻¹(ρ − A dβ − y db). Those of a candidate give
// dz = h (e − dU + c dc) and dβ = z dc + c dz. Together with dc = Aᵀdα and Σ_R dz = 0 that is a system in dβ, db, dU.
func (x *interior) factor() bool {
	k := len(x.chosen)
	for i, a := range x.now.alpha {
		x.inverse[i] = 1 / (x.now.s[i]/a + x.now.t[i]/(x.cost[i]-a))
	}
	clear(x.matrix)
	// the context is the background's: the product and the factors take less than a step
	if dense.MulWeighted(context.Background(), 1, x.matrix, x.rows, k+1, x.n, x.inverse, x.scratch) != nil {
		return false
	}
	for q, c := range x.c {
		x.h[q] = 0
		z := x.now.z[q]
		if x.cell[q] >= 0 {
			x.h[q] = z / (x.g[q] + z*x.now.u[q]/(1-z))
		}
		x.slope[q] = 1 / (z + x.h[q]*c*c)
		x.matrix[q*(k+1)+q] += x.slope[q]
	}
	return cholupdate.Cholesky(context.Background(), x.matrix, k+1, k+1, 1) == nil && x.bordered()
}

// bordered factors the Schur complement of the cells.
func (x *interior) bordered() bool {
	k, cells := len(x.chosen), len(x.counts)
	clear(x.schur)
	clear(x.border)
	for r, count := range x.counts {
		if count == 0 {
			x.schur[r*cells+r] = 1
		}
	}
	for q, r := range x.cell {
		if r >= 0 {
			x.border[r*(k+1)+q] = x.slope[q] * x.h[q] * x.c[q]
			x.schur[r*cells+r] += x.h[q] * x.now.z[q] * x.slope[q]
		}
	}
	for r := range cells {
		row := x.border[r*(k+1) : (r+1)*(k+1)]
		dense.Forward(x.matrix, k+1, row)
		for o := range r + 1 {
			x.schur[r*cells+o] += dense.Dot(row, x.border[o*(k+1):(o+1)*(k+1)])
		}
	}
	return cholupdate.Cholesky(context.Background(), x.schur, cells, cells, 1) == nil
}

// direction computes the step to the target.
func (x *interior) direction() {
	n, k, cells := x.n, len(x.chosen), len(x.counts)
	w, d := &x.want, &x.move
	for i, a := range x.now.alpha {
		x.rho[i] = x.r[i] + w.s[i]/a - w.t[i]/(x.cost[i]-a)
	}
	for q, v := range w.cross {
		if v != 0 {
			dense.Axpy(-v, x.rows[q*n:(q+1)*n], x.rho)
		}
	}
	for i, v := range x.inverse {
		d.alpha[i] = v * x.rho[i]
	}
	dense.MulVec(x.right, x.rows, n, d.alpha)
	x.right[k] += dense.Dot(x.y, x.now.alpha)
	for r, count := range x.counts {
		d.big[r] = -count
	}
	for q, r := range x.cell {
		x.e[q] = 0
		if r < 0 {
			continue
		}
		z := x.now.z[q]
		x.e[q] = w.z[q]/z - w.u[q]/(1-z)
		x.right[q] += x.slope[q] * x.h[q] * x.c[q] * x.e[q]
		d.big[r] += z + x.h[q]*z*x.slope[q]*x.e[q]
	}
	dense.Forward(x.matrix, k+1, x.right)
	for r := range cells {
		d.big[r] += dense.Dot(x.border[r*(k+1):(r+1)*(k+1)], x.right)
	}
	dense.Forward(x.schur, cells, d.big)
	dense.Backward(x.schur, cells, d.big)
	for r, v := range d.big {
		dense.Axpy(-v, x.border[r*(k+1):(r+1)*(k+1)], x.right)
	}
	dense.Backward(x.matrix, k+1, x.right)
	x.substitute()
}

// substitute computes the rest of the direction from dβ, db and dU.
func (x *interior) substitute() {
	n, k := x.n, len(x.chosen)
	w, d := &x.want, &x.move
	copy(d.alpha, x.rho)
	for q, v := range x.right {
		dense.Axpy(-v, x.rows[q*n:(q+1)*n], d.alpha)
	}
	for i, v := range x.inverse {
		a := x.now.alpha[i]
		d.alpha[i] *= v
		d.s[i] = (w.s[i] - x.now.s[i]*d.alpha[i]) / a
		d.t[i] = (w.t[i] + x.now.t[i]*d.alpha[i]) / (x.cost[i] - a)
	}
	for q, r := range x.cell {
		if r < 0 {
			x.dc[q], d.z[q], d.u[q] = x.slope[q]*x.right[q], 0, 0
			continue
		}
		e := x.e[q] - d.big[r]
		x.dc[q] = x.slope[q] * (x.right[q] - x.h[q]*x.c[q]*e)
		d.z[q] = x.h[q] * (e + x.c[q]*x.dc[q])
		d.u[q] = (w.u[q] + x.now.u[q]*d.z[q]) / (1 - x.now.z[q])
	}
	d.b = x.right[k]
}
