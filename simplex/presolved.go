package simplex

import (
	"context"

	"github.com/sparsekm/sparsekm/simplex/internal/presolve"
)

// Presolve makes a [Sparse] program smaller, solves the smaller one, and lets the first solve start from its last
// basis; its iterations count there. A program that has been solved already keeps its basis. It pays when a solve is
// long and a quarter of the rows and columns can go: rows with one entry, fixed columns, rows that bounds imply.
func (s *Solver) Presolve(ctx context.Context) {
	if !s.cold || s.program.anyCrossed {
		return
	}
	if r := s.reduce(ctx); r != nil {
		s.solveReduced(ctx, r)
	}
}

// reduce makes the program smaller, as far as it is a [Sparse] one; nil if that cannot be.
func (s *Solver) reduce(ctx context.Context) *presolve.Reduced {
	a, ok := s.program.lp.A.(*Sparse)
	if !ok {
		return nil
	}
	return presolve.Reduce(ctx, reducible(&s.program.lp, a))
}

// solveReduced solves the smaller program and starts the given program from its last basis, whatever its status is.
// The given program then ends in the same way after few pivots, with its own proof. It returns
// the smaller program's solution in the terms of the given one, or nothing if there is none.
func (s *Solver) solveReduced(ctx context.Context, r *presolve.Reduced) (all presolve.Solution) {
	small := LP{C: r.C, Lo: r.Lo, Up: r.Up, RowLo: r.RowLo, RowUp: r.RowUp,
		A: &Sparse{Rows: len(r.Rows), Start: r.Start, Index: r.Index, Value: r.Value}}
	inner, err := New(small, s.opt)
	if err != nil {
		return all // bounds that overflow
	}
	inner.begin(ctx)
	inner.run(ctx)
	s.reduced = inner.iterations
	if inner.basis.broken {
		return all
	}
	all = r.Restore(inner.solution())
	s.goTo(Basis{Rows: positions[Position](all.Rows), Cols: positions[Position](all.Cols)})
	return all
}

// solution returns where the solver is.
func (s *Solver) solution() presolve.Solution {
	b := s.Basis(Basis{})
	r := presolve.Solution{Rows: positions[presolve.Position](b.Rows), Cols: positions[presolve.Position](b.Cols),
		X: make([]float64, s.matrix.n), Y: make([]float64, s.matrix.m)}
	for j := range r.X {
		r.X[j] = s.values.x[j] * s.matrix.scaleOfCol(j)
	}
	for i := range r.Y {
		r.Y[i] = s.costs.d[s.matrix.n+i] * s.matrix.scaleOfRow(i) / s.program.costScale
	}
	return r
}

// positions returns positions by the type of the other package, which numbers them alike.
func positions[To, From ~uint8](from []From) []To {
	to := make([]To, len(from))
	for i, p := range from {
		to[i] = To(p)
	}
	return to
}

// reducible returns the program without entries that are 0.
func reducible(lp *LP, a *Sparse) *presolve.Program {
	p := &presolve.Program{Start: []int{0}, C: lp.C, Lo: lp.Lo, Up: lp.Up, RowLo: lp.RowLo, RowUp: lp.RowUp}
	for j := range lp.C {
		rows, values := a.Entries(j)
		for t, v := range values {
			if v != 0 {
				p.Index = append(p.Index, rows[t])
				p.Value = append(p.Value, v)
			}
		}
		p.Start = append(p.Start, len(p.Index))
	}
	return p
}
