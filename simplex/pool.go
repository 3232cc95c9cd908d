package simplex

import (
	"context"

	"github.com/sparsekm/sparsekm/internal/parallel"
)

// Pool solves programs that differ from one another in costs, bounds and coefficients, on any number of goroutines.
// Every solve starts from the same program and the same basis, so its result depends neither on the other programs nor
// on who solves it. All methods may be called by several goroutines at once.
type Pool struct {
	origin  *Solver // of the program that all others are changes of, with its last basis; only read
	workers parallel.Pool[*worker]
}

// worker is a solver of a pool and the result of its last program.
type worker struct {
	solver *Solver
	result Result
}

// NewPool solves lp; the programs of the pool start from the basis where that ends. The matrix must be made of [Dense]
// and [Sparse] parts. Solvers copy the vectors and share the matrix, which must not change.
func NewPool(ctx context.Context, lp LP, opt Options) (*Pool, error) {
	if lp.A != nil {
		own, err := ownParts(lp.A, false)
		if err != nil {
			return nil, err
		}
		lp.A = own
	}
	s, err := New(lp, opt)
	if err != nil {
		return nil, err
	}
	var r Result
	s.SolveInto(ctx, &r)
	s.SolveInto(ctx, &r) // which makes the tableau
	return &Pool{origin: s, workers: parallel.Pool[*worker]{
		New:  func() *worker { return &worker{solver: s.twin()} },
		Keep: func(w *worker) bool { return w.solver.matrix.m == s.matrix.m && w.solver.matrix.n == s.matrix.n },
	}}, nil
}

// Solve changes the pool's program by change, which may be nil, and solves it into r; see [Solver.SolveInto]. Its error
// is that of change. The solver belongs to the pool: change must not keep it, nor add rows or columns.
func (p *Pool) Solve(ctx context.Context, change func(s *Solver) error, r *Result) error {
	w := p.workers.Take()
	defer p.workers.Return(w) // unless its program has grown
	w.solver.restore(p.origin)
	if change != nil {
		if err := change(w.solver); err != nil {
			return err
		}
	}
	w.solver.SolveInto(ctx, r)
	return nil
}

// Each solves count programs on up to threads goroutines (0 means GOMAXPROCS): change makes program i of the pool's
// one, as in [Pool.Solve], and use gets its result, which is valid until use returns. After an error no more programs
// begin; Each returns that of the first program among those that failed.
func (p *Pool) Each(ctx context.Context, threads, count int, change func(i int, s *Solver) error,
	use func(i int, r *Result) error) error {
	return p.workers.Each(threads, count, func(w *worker, i int) error {
		w.solver.restore(p.origin)
		if err := change(i, w.solver); err != nil {
			return err
		}
		w.solver.SolveInto(ctx, &w.result)
		return use(i, &w.result)
	})
}

// twin returns another solver of the same program.
func (s *Solver) twin() *Solver {
	lp := s.program.lp
	own, err := ownParts(lp.A, false)
	if err == nil {
		lp.A = own
		s, err = New(lp, s.opt)
	}
	if err != nil {
		panic(err) // it was valid
	}
	return s
}

// restore gives the solver the numbers and the basis of another one of a program of the same size.
func (s *Solver) restore(from *Solver) {
	p, q := s.program, from.program
	for k, v := range p.lp.vectors() {
		copy(*v, *q.lp.vectors()[k])
	}
	copy(p.trueLower, q.trueLower)
	copy(p.trueUpper, q.trueUpper)
	p.anyFixed, p.anyCrossed, p.boundsUnsettled, p.costsUnsettled = q.anyFixed, q.anyCrossed, true, true
	entries := p.ownsMatrix
	if entries {
		copyEntries(p, q.lp.A)
	}
	copy(s.values.position, from.values.position)
	s.loaded, s.cold, s.ranged, s.reduced, s.dualWeights.valid = false, false, false, 0, false
	s.leaveTableau()
	if from.small == nil || s.noTableau {
		return
	}
	if s.small == nil {
		s.small = newSmall(p)
	}
	s.small.restore(from.small, entries)
}

// copyEntries gives a program with a matrix of its own the entries of another matrix of its size.
func copyEntries(p *program, from Columns) {
	p.matrixUnsettled = true
	to, parts := flatten(p.lp.A), flatten(from)
	for k, a := range parts {
		switch a := a.(type) {
		case *Dense:
			copy(to[k].(*Dense).Data, a.Data)
		case *Sparse:
			own := to[k].(*Sparse)
			own.byRow = nil
			own.Start = append(own.Start[:0], a.Start...)
			own.Index = append(own.Index[:0], a.Index...)
			own.Value = append(own.Value[:0], a.Value...)
		}
	}
}

// restore copies another tableau of the same size, and the entries of the matrix where they may have changed.
func (k *small) restore(from *small, entries bool) {
	copy(k.t, from.t)
	copy(k.basic, from.basic)
	copy(k.nonbasic, from.nonbasic)
	copy(k.where, from.where)
	if entries {
		copy(k.raw.Data, from.raw.Data)
		copy(k.scaled, from.scaled)
	}
	k.current, k.pivots, k.priced = from.current, from.pivots, false
}
