package sparsest

import (
	"context"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/dense"
)

// Factor implements [ipm.Newton].
//
// With D = s/α + t/(cost − α) the samples' equations give dα = D⁻¹(ρ − A dβ − y db). Those of a candidate give
// dz = h (e − dU + c dc) and dβ = z dc + c dz. Together with dc = Aᵀdα and Σ_R dz = 0 that is a system in dβ, db, dU.
func (x *interior) Factor(ctx context.Context) error {
	k := len(x.chosen)
	for i := range x.inverse {
		x.inverse[i] = x.alpha.Share(i)
	}
	if err := dense.MulWeighted(ctx, 1, x.matrix, x.rows, k+1, x.n, x.inverse, x.scratch); err != nil {
		return err
	}
	clear(x.h)
	for q := range x.free() {
		x.h[q] = x.share.Share(q)
	}
	for q, h := range x.h {
		x.slope[q] = 1 / (x.z(q) + h*x.c[q]*x.c[q])
		x.matrix[q*(k+1)+q] += x.slope[q]
	}
	if err := cholupdate.Cholesky(ctx, x.matrix, k+1, k+1, 1); err != nil {
		return err
	}
	return x.bordered(ctx)
}

// bordered factors the Schur complement of the cells.
func (x *interior) bordered(ctx context.Context) error {
	k, cells := len(x.chosen), len(x.counts)
	clear(x.schur)
	clear(x.border)
	for r, count := range x.counts {
		if count == 0 {
			x.schur[r*cells+r] = 1
		}
	}
	for q, r := range x.cell[:x.free()] {
		x.border[r*(k+1)+q] = x.slope[q] * x.h[q] * x.c[q]
		x.schur[r*cells+r] += x.h[q] * x.z(q) * x.slope[q]
	}
	for r := range cells {
		row := x.border[r*(k+1) : (r+1)*(k+1)]
		dense.Forward(x.matrix, k+1, row)
		for o := range r + 1 {
			x.schur[r*cells+o] += dense.Dot(row, x.border[o*(k+1):(o+1)*(k+1)])
		}
	}
	return cholupdate.Cholesky(ctx, x.schur, cells, cells, 1)
}

// Direction implements [ipm.Newton]. g is not linear in c: the corrector knows what it and β change beyond their linear
// parts.
func (x *interior) Direction(corrector bool) {
	n, k, cells := x.n, len(x.chosen), len(x.counts)
	clear(x.cross)
	for q := range x.free() {
		if corrector {
			x.share.Low.DZ[q] += x.dc[q] * x.dc[q] / 2
			x.cross[q] = -x.share.Low.DX[q] * x.dc[q]
		}
		x.e[q] = x.share.Pull(q)
	}
	for i, r := range x.r {
		x.rho[i] = r + x.alpha.Pull(i)
	}
	dense.AddRows(x.rho, x.cross[:x.free()], x.rows, n)
	da := x.alpha.Low.DX
	for i, v := range x.inverse {
		da[i] = v * x.rho[i]
	}
	dense.MulVec(x.right, x.rows, n, da)
	x.right[k] += dense.Dot(x.y, x.alpha.Low.X)
	for r, count := range x.counts {
		x.du[r] = -count
	}
	for q, r := range x.cell[:x.free()] {
		x.right[q] += x.slope[q] * x.h[q] * x.c[q] * x.e[q]
		x.du[r] += x.z(q) + x.h[q]*x.z(q)*x.slope[q]*x.e[q]
	}
	dense.Forward(x.matrix, k+1, x.right)
	for r := range cells {
		x.du[r] += dense.Dot(x.border[r*(k+1):(r+1)*(k+1)], x.right)
	}
	cholupdate.Solve(x.schur, cells, cells, x.du)
	for r, v := range x.du {
		dense.Axpy(-v, x.border[r*(k+1):(r+1)*(k+1)], x.right)
	}
	dense.Backward(x.matrix, k+1, x.right)
	x.substitute()
}

// substitute computes the rest of the direction from dβ, db and dU.
func (x *interior) substitute() {
	for q, v := range x.right {
		dense.Axpy(-v, x.rows[q*x.n:(q+1)*x.n], x.rho)
	}
	for i, v := range x.inverse {
		x.alpha.Move(i, v*x.rho[i])
	}
	for q := range x.dc {
		x.dc[q] = x.slope[q] * x.right[q]
	}
	for q, r := range x.cell[:x.free()] {
		e := x.e[q] - x.du[r]
		x.dc[q] = x.slope[q] * (x.right[q] - x.h[q]*x.c[q]*e)
		x.share.Move(q, x.h[q]*(e+x.c[q]*x.dc[q]))
	}
}
