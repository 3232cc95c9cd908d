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
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
)

// Trainer is the method "svc" with its parameters.
type Trainer struct {
	C         float64 // cost of a unit of slack; 0 means 1
	Tolerance float64 // stopping tolerance m(a) − M(a) of LIBSVM's rule; 0 means 1e-3
	MaxIter   int     // limit of two-variable steps; 0 means max(10⁷, 100 N)
}

var _ learn.Trainer = Trainer{}

// Name implements [learn.Trainer].
func (Trainer) Name() string { return "svc" }

// Train implements [learn.Trainer]. The report's Objective is the primal's value
// ½‖w‖² + Σ C_i ξ_i, DualObjective is Σ α − ½ αᵀQα, and Extra holds "bounded_sv",
// "working_sets", "rows_computed", "row_hits" and "kernel_bits" (32 where single
// precision is exact enough for the tolerance, else 64).
func (t Trainer) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := t.validate(); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	rows := p.Present()
	if t.single(p, len(rows)) {
		return train[float32](ctx, t, p, rows)
	}
	return train[float64](ctx, t, p, rows)
}

// train solves the dual with kernel values of type T.
func train[T gram.Float](ctx context.Context, t Trainer, p *learn.Problem, rows []int) (*learn.Result, error) {
	budget, err := rowMemory[T](p, len(rows))
	if err != nil {
		return nil, err
	}
	start := time.Now()
	k := blocked.New(gram.Pack[T](p.Kernel, p.Points(rows), len(rows), p.D), budget, p.Threads)
	timed := &timedMatrix{Matrix: k, spent: time.Since(start)}
	opt := smo.Options{Tolerance: t.Tolerance, MaxIter: t.MaxIter, Progress: progress(p.Progress, t.tolerance())}
	sol := t.dual(p, rows, timed).Solve(ctx, opt)
	r := t.result(rows, p, sol, k.Stats(), learn.Seconds{
		Gram:  timed.spent.Seconds(),
		Solve: (time.Since(start) - timed.spent).Seconds(),
	})
	r.Report.Extra["kernel_bits"] = 8 * blocked.RowBytes[T](1)
	return r, nil
}

// single reports whether kernel values in single precision are exact enough: their
// rounding errors, 2⁻²⁴ each, add up in the gradient to about 2⁻²⁴ ‖a‖ ≤ 2⁻²⁴ C √n,
// which has to be small beside the stopping tolerance. (LIBSVM's are always single.)
// Kernels that are not bounded by 1 stay in double precision.
func (t Trainer) single(p *learn.Problem, n int) bool {
	c := t.c()
	if p.Weight != nil {
		c *= slices.Max(p.Weight)
	}
	return p.Kernel.Bounded() && c*math.Sqrt(float64(n)) <= 0.25*t.tolerance()*(1<<24)
}

func (t Trainer) tolerance() float64 {
	if t.Tolerance == 0 {
		return 1e-3
	}
	return t.Tolerance
}

func (t Trainer) validate() error {
	switch {
	case t.C < 0 || math.IsNaN(t.C) || math.IsInf(t.C, 0):
		return fmt.Errorf("svc: C is %v, want a finite number > 0", t.C)
	case t.Tolerance < 0 || math.IsNaN(t.Tolerance) || math.IsInf(t.Tolerance, 0):
		return fmt.Errorf("svc: tolerance is %v, want a finite number > 0", t.Tolerance)
	case t.MaxIter < 0:
		return fmt.Errorf("svc: iteration limit is %d, want at least 1", t.MaxIter)
	}
	return nil
}

func (t Trainer) c() float64 {
	if t.C == 0 {
		return 1
	}
	return t.C
}

// EstimateMemory implements [learn.Trainer]: the packed points, the solver's vectors
// and the smallest row cache. Anything above it goes into kernel rows.
func (t Trainer) EstimateMemory(n, d int) int64 { return leastMemory[float64](n, d) }

func leastMemory[T gram.Float](n, d int) int64 {
	const vectors = 16 * 8 // bytes a point: the solver's vectors, bounds, candidates, and the cache's bookkeeping
	return gram.Bytes[T](n, d) + int64(n)*vectors + blocked.MinRows*blocked.RowBytes[T](n) +
		smo.PairScratch(n) + blocked.SelectionBytes[T](smo.PairSubset(n), d)
}

// rowMemory returns the bytes that are left for kernel rows.
func rowMemory[T gram.Float](p *learn.Problem, n int) (int64, error) {
	need := leastMemory[T](n, p.D)
	if n < p.N {
		need += int64(n) * int64(p.D) * 8 // the points that are present have to be copied
	}
	spare, err := p.Spare("svc", need)
	return spare + blocked.MinRows*blocked.RowBytes[T](n), err
}

// dual states the dual of C-SVC in signed variables.
func (t Trainer) dual(p *learn.Problem, rows []int, k smo.Matrix) *smo.Pair {
	n := len(rows)
	q := &smo.Pair{K: k, P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	for r, i := range rows {
		c := t.c() * p.WeightOf(i)
		q.P[r] = -p.Y[i]
		if p.Y[i] > 0 {
			q.Hi[r] = c
		} else {
			q.Lo[r] = -c
		}
	}
	return q
}
