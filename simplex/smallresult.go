package simplex

import (
	"context"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// solveSmall solves the program by its tableau. It reports whether r has a proof. Otherwise the solver's
// positions are where the tableau ended.
func (s *Solver) solveSmall(ctx context.Context, r *Result) bool {
	if s.cold || s.noTableau || s.opt.MaxIter != 0 || ctx.Err() != nil {
		return false
	}
	if s.small == nil {
		if s.noTableau = !s.isSmall(); s.noTableau {
			return false
		}
		s.small = newSmall(s.program)
	}
	k, before := s.small, s.reduced
	proven := false
	for attempt := 0; attempt < 2 && !proven; attempt++ {
		if attempt > 0 || !k.current || k.pivots > oftenEnough {
			if !k.restart(s.values.position) {
				break
			}
		}
		pivots := k.pivots
		st, pos := k.run(ctx, s.opt.Method == Dual)
		s.reduced += k.pivots - pivots
		proven = k.proves(st, pos, r)
		k.positions(s.values.position)
	}
	s.loaded, s.dualWeights.valid = false, false
	if !proven {
		k.current = false
		return false
	}
	r.Iterations, s.iterations, s.reduced = s.reduced, s.reduced-before, 0
	r.Basis.Cols = append(r.Basis.Cols[:0], s.values.position[:k.n]...)
	r.Basis.Rows = append(r.Basis.Rows[:0], s.values.position[k.n:]...)
	s.ranged = r.Status == status.Optimal
	return true
}

// positions writes where the variables rest.
func (k *small) positions(position []Position) {
	for _, v := range k.basic {
		position[v] = Basic
	}
	for q, v := range k.nonbasic {
		position[v] = k.where[q]
	}
}

// proves fills in a result of status st, and reports whether it has a proof: that of a row or a column, where the
// program has no optimum.
func (k *small) proves(st status.Status, pos int, r *Result) bool {
	r.Status, r.Farkas, r.Ray = st, r.Farkas[:0], r.Ray[:0]
	tolerance := k.program.tolerance
	switch st {
	case status.Optimal:
		for refined := range 2 {
			if refined > 0 {
				k.refine(r)
			}
			k.point(r)
			r.Certificate = k.certificate(r)
			if r.worst() <= 1e-3*tolerance {
				return true
			}
		}
	case status.Infeasible:
		k.farkas(pos, r)
		if k.proof.scratch.farkasGap(&k.lp, r.Farkas) > 0 {
			k.point(r)
			r.Certificate = k.certificate(r)
			return true
		}
	case status.Unbounded:
		k.point(r)
		k.ray(pos, r)
		r.Certificate = k.certificate(r)
		return k.proof.checkRay(&k.lp, r, tolerance) == nil
	}
	return false
}

// certificate measures r, and keeps the memory of its rays.
func (k *small) certificate(r *Result) Certificate {
	c := k.proof.scratch.certify(&k.lp, r, 0)
	c.Farkas, c.Ray = r.Farkas, r.Ray
	return c
}

// point undoes the scaling, as [Solver.point] does.
func (k *small) point(r *Result) {
	lp, mx := &k.lp, k.program.matrix
	r.X, r.ReducedCosts = grow(r.X, k.n), grow(r.ReducedCosts, k.n)
	r.Activity, r.Y = grow(r.Activity, k.m), zeros(r.Y, k.m)
	for i, v := range k.basic {
		if int(v) < k.n {
			r.X[v] = max(lp.Lo[v], min(lp.Up[v], k.x[i]*mx.scaleOfCol(int(v))))
		}
	}
	d := k.row(k.m)
	for q, v := range k.nonbasic {
		if int(v) < k.n {
			r.X[v] = bounded(k.where[q], lp.Lo[v], lp.Up[v])
			continue
		}
		i := int(v) - k.n
		if y := d[q] * mx.scaleOfRow(i); untaken(y, lp.RowLo[i], lp.RowUp[i]) == 0 {
			r.Y[i] = y
		}
	}
	dense.MulVec(r.Activity, k.raw.Data, k.stride, r.X)
	clear(r.ReducedCosts)
	dense.AddRows(r.ReducedCosts, r.Y, k.raw.Data, k.stride)
	for j, c := range lp.C {
		r.ReducedCosts[j] = c - r.ReducedCosts[j]
	}
	r.Objective = dense.Dot(lp.C, r.X) + lp.Offset
}

// bounded returns the bound that a variable rests on.
func bounded(position Position, lo, up float64) float64 {
	switch position {
	case AtLower:
		return lo
	case AtUpper:
		return up
	}
	return 0
}

// refine is one step of iterative refinement: the residuals of the activities of r that rest on bounds, times B⁻¹.
func (k *small) refine(r *Result) {
	clear(k.vector)
	lp, mx := &k.lp, k.program.matrix
	for q, v := range k.nonbasic {
		if i := int(v) - k.n; i >= 0 {
			k.vector[q] = (r.Activity[i] - bounded(k.where[q], lp.RowLo[i], lp.RowUp[i])) * mx.scaleOfRow(i)
		}
	}
	k.times(k.cost, k.vector)
	for i, v := range k.cost {
		k.x[i] += v
	}
}

// farkas writes the row of B⁻¹ to r, in the program's own scale.
func (k *small) farkas(row int, r *Result) {
	f := zeros(r.Farkas, k.m)
	if i := int(k.basic[row]) - k.n; i >= 0 {
		f[i] = -k.program.matrix.scaleOfRow(i)
	}
	for q, v := range k.nonbasic {
		if i := int(v) - k.n; i >= 0 {
			f[i] = -k.entry(row, q) * k.program.matrix.scaleOfRow(i)
		}
	}
	dropRounding(f)
	r.Farkas = f
}

// ray writes the direction in which the variable of the loaded column q goes, and the basic ones with it, to r.
func (k *small) ray(q int, r *Result) {
	ray, mx := zeros(r.Ray, k.n), k.program.matrix
	sign := 1.0
	if k.entry(k.m, q) > 0 {
		sign = -1
	}
	if v := int(k.nonbasic[q]); v < k.n {
		ray[v] = sign * mx.scaleOfCol(v)
	}
	for i, v := range k.basic {
		if int(v) < k.n {
			ray[v] = -sign * k.column[i] * mx.scaleOfCol(int(v))
		}
	}
	dropRounding(ray)
	r.Ray = ray
}
