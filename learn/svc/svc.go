// Package svc trains the support vector classifier (C-SVC): the machine that the
// sparse methods of this module are measured against, and the start of the methods
// that shrink a trained machine.
//
// The primal is min ½‖w‖² + Σ C_i ξ_i subject to y_i (wᵀφ(x_i) + b) ≥ 1 − ξ_i, ξ ≥ 0
// (Vapnik 1995), with C_i = C times the point's weight. Its dual is solved by
// [smo.Pair] in signed variables a_i = y_i α_i.
package svc

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/status"
)

// Trainer is the method "svc" with its parameters.
type Trainer struct {
	C         float64 // cost of a unit of slack; 0 means 1
	Tolerance float64 // stopping tolerance m(a) − M(a) of LIBSVM's rule; 0 means 1e-3
	MaxIter   int     // limit of two-variable steps; 0 means max(10⁷, 100 N)
}

func (t *Trainer) declare(p *learn.Params) {
	p.Cost(&t.C, 1)
	p.Tolerance(&t.Tolerance, 1e-3)
	p.MaxIter(&t.MaxIter, 0)
}

func init() {
	learn.Register(learn.Method{
		Name:  "svc",
		About: "support vector classifier (C-SVC), the machine that the others are measured against",
		Paper: "Cortes & Vapnik (1995); Fan, Chen & Lin (2005)",
	}, (*Trainer).declare)
}

// Figures are the method's own in a report.
type Figures struct {
	BoundedSV    int   `json:"bounded_sv"`    // support vectors whose multiplier is at its bound C_i
	WorkingSets  int   `json:"working_sets"`  // subproblems solved
	RowsComputed int64 `json:"rows_computed"` // kernel rows evaluated
	RowHits      int64 `json:"row_hits"`      // kernel rows found in the cache
	KernelBits   int   `json:"kernel_bits"`   // 32 where single precision is exact enough for the tolerance, else 64
}

// Name implements [learn.Trainer].
func (Trainer) Name() string { return "svc" }

// Train implements [learn.Trainer]. The report's Objective is the primal's value
// ½‖w‖² + Σ C_i ξ_i, its dual objective is Σ α − ½ αᵀQα, and its Figures are a [Figures].
func (t Trainer) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(t.Name(), t.declare); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := p.ValidateCost(t.Name(), t.C); err != nil {
		return nil, err
	}
	rows := p.Present()
	var r run
	if most := t.single(p, len(rows)); most > 0 {
		if err := train[float32](ctx, t, p, rows, most, &r); err != nil {
			return nil, err
		}
	}
	if r.sol == nil || r.sol.Status == status.Unknown {
		if err := train[float64](ctx, t, p, rows, 0, &r); err != nil {
			return nil, err
		}
	}
	return t.result(ctx, p, rows, &r)
}

// run is what a training has come to: its program, the solution so far, and what it took.
type run struct {
	q       *smo.Pair
	sol     *smo.PairResult
	stats   blocked.Stats
	seconds learn.Seconds
	bits    int     // of a kernel value
	most    float64 // ‖a‖ up to which they are exact enough
}

// train solves the dual with rows of type T, evaluated as they are asked for, until ‖a‖ exceeds most. It
// starts anew, since what a first working set makes of a large C is no good start.
func train[T gram.Float](ctx context.Context, t Trainer, p *learn.Problem, rows []int, most float64, r *run) error {
	budget, together, err := rowMemory[T](p, len(rows))
	if err != nil {
		return err
	}
	begin := time.Now()
	k, taken, err := kernelMatrix[T](ctx, p, rows, budget)
	if err != nil {
		return learn.Nothing(ctx, t.Name())
	}
	q := t.dual(p, rows, k)
	q.Most, q.Together = most, together
	r.solve(ctx, t, p, q)
	stats, spent := taken()
	r.stats.RowsComputed += stats.RowsComputed
	r.stats.RowHits += stats.RowHits
	r.stats.KernelEvals += stats.KernelEvals
	r.seconds.Gram += spent.Seconds()
	r.seconds.Solve += (time.Since(begin) - spent).Seconds()
	q.K = nil // its memory is free from here on
	r.bits, r.most = 8*int(blocked.RowBytes[T](1)), most
	return nil
}

// solve runs the solver and adds the steps of what was run before.
func (r *run) solve(ctx context.Context, t Trainer, p *learn.Problem, q *smo.Pair) {
	opt := smo.Options{Tolerance: t.Tolerance, MaxIter: t.MaxIter, Progress: progress(p.Resources, t.Tolerance)}
	before := r.sol
	if before != nil && opt.MaxIter > 0 {
		opt.MaxIter = max(1, opt.MaxIter-before.Iterations)
	}
	r.q, r.sol = q, q.Solve(ctx, opt)
	if before != nil {
		r.sol.Iterations += before.Iterations
		r.sol.Rounds += before.Rounds
	}
}

// result is the machine of a run, with its report.
func (t Trainer) result(ctx context.Context, p *learn.Problem, rows []int, run *run) (*learn.Result, error) {
	r := &learn.Result{Expansion: expansion(rows, run.sol), Report: report(run.sol)}
	if len(r.Support) == 0 && ctx.Err() != nil {
		return nil, learn.Nothing(ctx, t.Name())
	}
	if !p.Kernel.Bounded() || run.bits == 32 && 4*t.cost(p)*math.Sqrt(float64(len(rows))) > run.most {
		t.judge(ctx, p, r)
	}
	if run.bits == 32 && r.Report.Duality != nil {
		r.Report.Duality.KKT = run.sol.KKT // to the precision that single makes of the tolerance
	}
	t.settle(&r.Report, run.sol)
	r.Report.KernelEvals = run.stats.KernelEvals
	r.Report.Seconds = run.seconds
	r.Report.Figures = Figures{
		BoundedSV:    bounded(run.q, run.sol.A),
		WorkingSets:  run.sol.Rounds,
		RowsComputed: run.stats.RowsComputed,
		RowHits:      run.stats.RowHits,
		KernelBits:   run.bits,
	}
	return r, nil
}

// single returns the ‖a‖ up to which kernel values in single precision are exact enough: their
// rounding errors, 2⁻²⁴ each, add up in the gradient to about 2⁻²⁴ ‖a‖, which has to be at most half
// of the stopping tolerance. (LIBSVM's are always single.) ‖a‖ ≤ C √n, but many vectors are
// far from their bounds at large C. It returns 0, do not try, for kernels that are not bounded by
// 1, for points that single precision does not hold, and where some units a vector would be too many.
func (t Trainer) single(p *learn.Problem, n int) float64 {
	const units = 16
	most := 0.5 * t.Tolerance * (1 << 24)
	if !p.Kernel.Bounded() || most < min(t.cost(p), units)*math.Sqrt(float64(n)) || !held(p) {
		return 0
	}
	return most
}

// cost is the largest C_i.
func (t Trainer) cost(p *learn.Problem) float64 {
	if p.Weight != nil {
		return t.C * slices.Max(p.Weight)
	}
	return t.C
}

// EstimateMemory implements [learn.Trainer]: the packed points, the solver's vectors
// and the smallest row cache. Anything above it goes into systems of free variables and kernel rows.
func (t Trainer) EstimateMemory(n, d int) int64 { return leastMemory[float64](n, d) }

func leastMemory[T gram.Float](n, d int) int64 {
	const vectors = 16 * 8 // bytes a point: the solver's vectors, bounds, candidates, and the cache's bookkeeping
	return gram.Bytes[T](n, d) + int64(n)*vectors + blocked.MinRows*blocked.RowBytes[T](n) +
		smo.PairScratch(n) + blocked.SelectionBytes[T](smo.PairSubset(n), d)
}

// rowMemory returns the bytes that are left for kernel rows, and how many free variables may be moved together:
// a quarter of what the least leaves, up to all that pay.
func rowMemory[T gram.Float](p *learn.Problem, n int) (rows int64, together int, err error) {
	need := leastMemory[T](n, p.D)
	if n < p.N {
		need += int64(n) * int64(p.D) * 8 // the points that are present have to be copied
	}
	b := p.Budget(Trainer{}.Name(), p.N, p.D)
	if err = b.Take(need); err != nil {
		return 0, 0, err
	}
	together = min(n, smo.PairTogether)
	if together = min(together, smo.PairSystemWithin(b.Left()/4)); together == 0 {
		together = -1
	} else if err = b.Take(smo.PairSystem(together)); err != nil {
		return 0, 0, err
	}
	return b.Left() + blocked.MinRows*blocked.RowBytes[T](n), together, nil
}

// dual states the dual of C-SVC in signed variables.
func (t Trainer) dual(p *learn.Problem, rows []int, k smo.Matrix) *smo.Pair {
	n := len(rows)
	q := &smo.Pair{K: k, P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	for r, i := range rows {
		c := t.C * p.WeightOf(i)
		q.P[r] = -p.Y[i]
		if p.Y[i] > 0 {
			q.Hi[r] = c
		} else {
			q.Lo[r] = -c
		}
	}
	return q
}
