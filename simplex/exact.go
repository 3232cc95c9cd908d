package simplex

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/rational"
	"github.com/sparsekm/sparsekm/status"
)

// maxExactWork bounds the exact arithmetic of a solve: the sum over pivots of the third power
// of the basic columns, times the digits in units of a float64's.
const maxExactWork = 1 << 21

// slacks are the shares of their terms by which row bounds give way in turn: rounding makes programs infeasible that
// are not meant to be, by as little as no float64 proof shows.
var slacks = [...]float64{0, 0x1p-46, 0x1p-37}

// decide looks for what a solve that ended without a proof has not found: it makes exact pivots from the last basis
// ([Prove]), and rounds the proof to float64 numbers. It returns r where that proves nothing or takes too long, as in a
// program of many rows. Programs with a unit are not for it: their numbers are differences.
func (s *Solver) decide(ctx context.Context, r *Result) *Result {
	undecided := r.Status == status.Numerical || r.Status == status.IterationLimit && s.opt.MaxIter == 0
	if !undecided || s.opt.Unit != 0 || s.basis.broken {
		return r
	}
	if again := s.rescaled(ctx, r); again != nil {
		return again
	}
	p, err := newProver(&s.program.lp)
	if err != nil {
		return r
	}
	p.most = maxExactWork
	basis := s.Basis()
	for _, share := range slacks {
		p.loosen(&s.program.lp, r.X, share)
		proof, position, err := p.prove(ctx, p.possible(append(slices.Clone(basis.Cols), basis.Rows...)))
		if err != nil {
			return r
		}
		basis = Basis{Cols: slices.Clone(position[:p.n]), Rows: slices.Clone(position[p.n:])}
		exact := proof.rounded(&s.program.lp, r, basis)
		if CheckWithin(s.program.lp, exact, s.program.tolerance) != nil {
			continue
		}
		s.goTo(basis)
		return exact
	}
	return r
}

// goTo makes a basis the present one.
func (s *Solver) goTo(b Basis) {
	if err := s.SetBasis(b); err != nil {
		panic(err) // it has the size of the program
	}
}

// rescaled solves the program from its start with another scaling, where it is scaled at all. It returns nil if that
// proves nothing either.
func (s *Solver) rescaled(ctx context.Context, r *Result) *Result {
	if s.opt.NoScaling {
		return nil
	}
	row, col := meanFactors(&s.program.lp)
	if row == nil {
		return nil
	}
	p := newProgram(s.program.lp, s.opt)
	p.matrix = scaledMatrix(p.lp.A, row, col)
	p.resize()
	other := newSolver(p, s.opt)
	other.begin(ctx)
	again := other.result(other.run(ctx))
	if !claims(again.Status) || CheckWithin(s.program.lp, again, s.program.tolerance) != nil {
		return nil
	}
	again.Iterations += r.Iterations
	s.goTo(again.Basis)
	return again
}

// loosen moves the bounds of rows apart by a share of their terms at x.
func (p *prover) loosen(lp *LP, x []float64, share float64) {
	for i := range p.m {
		size := max(finiteSize(lp.RowLo[i]), finiteSize(lp.RowUp[i]))
		var terms float64
		index, value := p.rows.Entries(i)
		for t, j := range index {
			terms += math.Abs(value[t] * x[j])
		}
		size = share * max(size, finiteSize(terms))
		p.lower[p.n+i], p.upper[p.n+i] = lp.RowLo[i]-size, lp.RowUp[i]+size
	}
}

// finiteSize is |v|, 0 for an infinite one.
func finiteSize(v float64) float64 {
	if math.IsInf(v, 0) {
		return 0
	}
	return math.Abs(v)
}

// rounded returns the result that a proof is, with the given basis; the rest of it is that of r. It is nil where
// numbers overflow.
func (p *Proof) rounded(lp *LP, r *Result, b Basis) *Result {
	e := *r
	e.Status, e.Basis = p.Status, b
	if p.Status == status.Infeasible {
		e.Farkas, e.Ray = nearest(p.y), nil
		return &e
	}
	m, n := lp.A.Dims()
	e.X, e.Y, e.Activity, e.ReducedCosts = nearest(p.x), make([]float64, m), make([]float64, m), make([]float64, n)
	if p.Status == status.Optimal {
		e.Y = nearest(p.y)
	}
	for j, x := range e.X {
		e.X[j] = max(lp.Lo[j], min(lp.Up[j], x))
	}
	mulAdd(lp.A, e.Activity, e.X, make([]float64, m))
	reducedCostsOf(lp, &e)
	e.Certificate, e.Objective = certify(lp, &e, 0), dense.Dot(lp.C, e.X)+lp.Offset
	if p.Status == status.Unbounded {
		e.Ray = nearest(p.ray)
	}
	return &e
}

// nearest returns numbers as float64.
func nearest(v []rational.Number) []float64 {
	x := make([]float64, len(v))
	for i, e := range v {
		x[i] = e.Float64()
	}
	return x
}

// exactWork estimates the work of a solution with a matrix: the digits of a solution are those of all columns, and each
// of them takes a product with the inverse.
func exactWork(a *rational.Matrix) float64 {
	const digits = 53
	least, most := math.MaxInt, math.MinInt
	for _, v := range a.Value {
		_, exp := math.Frexp(v)
		least, most = min(least, exp), max(most, exp)
	}
	n := float64(a.N)
	return 1000 + n*n*n*(1+float64(max(0, most-least))/digits)
}
