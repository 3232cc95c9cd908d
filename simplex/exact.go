package simplex

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/rational"
	"github.com/sparsekm/sparsekm/simplex/prove"
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
	p, err := newProver(&s.program.lp, 0)
	if err != nil {
		return r
	}
	p.MaxWork = maxExactWork
	position := positions[prove.Position](s.values.position)
	for _, share := range slacks {
		loosen(&p.Program, &s.program.lp, r.X, share)
		proof, last, err := p.Prove(ctx, position)
		if err != nil {
			return r
		}
		position = last
		all := positions[Position](position)
		basis := Basis{Cols: all[:s.matrix.n:s.matrix.n], Rows: all[s.matrix.n:]}
		exact := rounded(proof, &s.program.lp, r, basis)
		if (&Checker{Tolerance: s.program.tolerance}).Check(s.program.lp, exact) != nil {
			continue
		}
		s.goTo(basis)
		return exact
	}
	return r
}

// goTo makes a basis of the program's size the present one.
func (s *Solver) goTo(b Basis) {
	if err := s.SetBasis(b); err != nil {
		panic(err)
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
	if !claims(again.Status) || (&Checker{Tolerance: s.program.tolerance}).Check(s.program.lp, again) != nil {
		return nil
	}
	again.Iterations += r.Iterations
	s.goTo(again.Basis)
	return again
}

// newProver returns one of a program whose vectors are filled in. Its entries must be finite: a matrix of a caller's
// own type has not been validated.
func newProver(lp *LP, maxBytes int64) (*prove.Prover, error) {
	cols, ok := lp.A.(*Sparse)
	if !ok {
		cols = NewSparse(lp.A)
	}
	if err := cols.check(new(validity)); err != nil {
		return nil, err
	}
	rows := cols.Transpose()
	return prove.New(prove.Program{Cols: rational.Lines{Start: cols.Start, Index: cols.Index, Value: cols.Value},
		Rows: rational.Lines{Start: rows.Start, Index: rows.Index, Value: rows.Value}, C: lp.C, Offset: lp.Offset,
		Lower: slices.Concat(lp.Lo, lp.RowLo), Upper: slices.Concat(lp.Up, lp.RowUp)}, maxBytes)
}

// Prove proves what the status of a program is, in exact arithmetic from the basis of a result. Where that basis is
// optimal within the tolerance of the solver only, exact pivots lead on from it. The status may then be another one
// than r says: a program that is feasible within the tolerance may be infeasible. maxBytes is a memory budget, 0 for
// none.
//
// The error is that of ctx, an [ErrInvalid], a prove.ErrMemory, or an [ErrCertificate] where pivots lead to no proof.
func Prove(ctx context.Context, lp LP, r *Result, maxBytes int64) (*prove.Proof, error) {
	if err := lp.Validate(); err != nil {
		return nil, err
	}
	f := lp.filled()
	m, n := f.A.Dims()
	if _, crossed := f.crossed(); crossed {
		return &prove.Proof{Status: status.Infeasible, Rows: m, Cols: n, Y: make([]rational.Number, m)}, nil
	}
	p, err := newProver(&f, maxBytes)
	if err != nil {
		return nil, err
	}
	if len(r.Basis.Cols) != n || len(r.Basis.Rows) != m {
		return nil, invalid("basis of %d columns and %d rows for a program of %d and %d", len(r.Basis.Cols),
			len(r.Basis.Rows), n, m)
	}
	position := positions[prove.Position](slices.Concat(r.Basis.Cols, r.Basis.Rows))
	proof, _, err := p.Prove(ctx, p.Approach(ctx, position))
	return proof, err
}

// loosen moves the bounds of rows apart by a share of their terms at x.
func loosen(p *prove.Program, lp *LP, x []float64, share float64) {
	n := len(lp.C)
	for i, lo := range lp.RowLo {
		size := max(math.Abs(finiteOr0(lo)), math.Abs(finiteOr0(lp.RowUp[i])))
		var terms float64
		index, value := p.Rows.Entries(i)
		for t, j := range index {
			terms += math.Abs(value[t] * x[j])
		}
		size = share * max(size, finiteOr0(terms))
		p.Lower[n+i], p.Upper[n+i] = lo-size, lp.RowUp[i]+size
	}
}

// rounded returns the result that a proof is, with the given basis; the rest of it is that of r. It is nil where
// numbers overflow.
func rounded(p *prove.Proof, lp *LP, r *Result, b Basis) *Result {
	e := *r
	e.Status, e.Basis = p.Status, b
	if p.Status == status.Infeasible {
		e.Farkas, e.Ray = nearest(p.Y), nil
		return &e
	}
	e.X, e.Y = nearest(p.X), make([]float64, p.Rows)
	if p.Status == status.Optimal {
		e.Y = nearest(p.Y)
	}
	for j, x := range e.X {
		e.X[j] = max(lp.Lo[j], min(lp.Up[j], x))
	}
	whole := completed(lp, &e, 0)
	if p.Status == status.Unbounded {
		whole.Ray = nearest(p.Ray)
	}
	return whole
}

// nearest returns numbers as float64.
func nearest(v []rational.Number) []float64 {
	x := make([]float64, len(v))
	for i, e := range v {
		x[i] = e.Float64()
	}
	return x
}
