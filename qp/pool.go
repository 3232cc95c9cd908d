package qp

import (
	"context"

	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/simplex"
)

// Pool solves programs that differ from one another in costs and bounds, on any number of goroutines, as simplex.Pool
// does. Every solve starts from the same program and the same active set, so its result depends neither on the other
// programs nor on who solves it. All methods may be called by several goroutines at once.
type Pool struct {
	origin  *Solver // of the program that all others are changes of, with its active set; only read
	workers parallel.Pool[*worker]
}

// worker is a solver of a pool and the result of its last program.
type worker struct {
	solver *Solver
	result Result
}

// NewPool solves p, whose data it copies; the programs of the pool start from the active set where that ends. Each
// goroutine takes the memory of a [Solver].
func NewPool(ctx context.Context, p QP, opt Options) (*Pool, error) {
	s, err := New(p, opt)
	if err != nil {
		return nil, err
	}
	var r Result
	s.SolveInto(ctx, &r)
	return &Pool{origin: s, workers: parallel.Pool[*worker]{
		New:  func() *worker { return &worker{solver: s.twin()} },
		Keep: func(*worker) bool { return true },
	}}, nil
}

// Solve changes the pool's program by change, which may be nil, and solves it into r; see [Solver.SolveInto]. Its error
// is that of change. The solver belongs to the pool: change must not keep it.
func (p *Pool) Solve(ctx context.Context, change func(s *Solver) error, r *Result) error {
	w := p.workers.Take()
	defer p.workers.Return(w)
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

// twin returns another solver of the same program, without an active set.
func (s *Solver) twin() *Solver {
	p := s.problem
	qp := QP{LP: simplex.LP{C: p.c, Lo: p.lo, Up: p.up, RowLo: p.rowLo, RowUp: p.rowUp, Offset: p.offset,
		A: simplex.NewDense(p.m, p.n, p.a)}}
	if !p.zeroQ {
		qp.Q = simplex.NewDense(p.n, p.n, p.q)
	}
	t, err := New(qp, s.opt)
	if err != nil {
		panic(err) // it was valid
	}
	return t
}

// restore gives the solver the numbers and the active set of another one of the same matrices.
func (s *Solver) restore(from *Solver) {
	p, q := s.problem, from.problem
	copy(p.all, q.all)
	copy(p.weights, q.weights)
	p.free, p.extent, p.crossed = q.free, q.extent, q.crossed
	a, b, f, g := &s.active, &from.active, &s.factors, &from.factors
	k := len(b.which)
	a.which, a.side, a.dual = a.which[:k], a.side[:k], a.dual[:k]
	copy(a.which, b.which)
	copy(a.side, b.side)
	copy(a.dual, b.dual)
	copy(s.positions, from.positions)
	copy(f.jt, g.jt)
	f.q = g.q
	copy(f.r[:f.q*(f.q+1)/2], g.r)
	copy(f.pivots, g.pivots)
	copy(f.rinv, g.rinv)
}
