package svc

import (
	"context"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/status"
)

// program describes a method of this package: its dual and its parameters.
type program struct {
	method       string
	c, tolerance float64
	nu           float64 // of the one-class SVM, else 0
	libsvm       bool    // stop by LIBSVM's rule alone
	maxIter      int
	// each is the number of variables per sample: 1, or 2 for regression ([smo.Twice]).
	each int
	// dual fills in P, Lo and Hi, which are zero, for the samples of the given rows.
	dual func(p *learn.Problem, rows []int, q *smo.Pair)
	// share is set by the ν variants. It returns u and want of the constraint uᵀa = want, see [nuSearch].
	share func(p *learn.Problem, rows []int) (u []float64, want float64)
	// refuse is set by ν-SVC. It says why there is no model.
	refuse func(p *learn.Problem) error
	// unit is set by ν-SVC: the model is divided by its margin s, which makes it the C-SVC with C = 1/s.
	unit bool
	// heldOut asks for decision values of samples that are held out, for C-SVC.
	heldOut *heldOut
}

// validated completes the parameters, and validates the problem, which comes back scanned.
func validated[T learn.Trainer](p *learn.Problem, t *T, task learn.Task) (*learn.Problem, error) {
	if err := learn.Complete(t); err != nil {
		return nil, err
	}
	p = p.Scanned()
	return p, p.Validate(task)
}

// train trains on a validated problem: in single precision if that may suffice, then in double if it did not.
func (m *program) train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := p.ValidateCost(m.method, m.c); err != nil {
		return nil, err
	}
	if m.refuse != nil {
		if err := m.refuse(p); err != nil {
			return nil, err
		}
	}
	rows := p.Present()
	var r run
	if largest := m.single(p, len(rows)); largest > 0 {
		if err := solve[float32](ctx, m, p, rows, largest, &r); err != nil {
			return nil, err
		}
	}
	exact := r.max == 0 || r.sol.Status != status.Optimal || dense.Dot(r.sol.A, r.sol.A) <= r.max*r.max
	if r.sol == nil || r.sol.Status == status.Unknown || !exact {
		if err := solve[float64](ctx, m, p, rows, 0, &r); err != nil {
			return nil, err
		}
	}
	result, err := m.result(ctx, p, rows, &r)
	if err == nil && result.Report.Status == status.GapOpen && r.bits == 32 && !m.libsvm {
		return m.refine(ctx, p, rows, r, result), nil
	}
	return result, err
}

// refine goes on in double precision from a solution in single precision whose gap is too large. It returns that one
// where there is no time or memory for it. The search of a ν variant begins anew.
func (m *program) refine(ctx context.Context, p *learn.Problem, rows []int, r run, rough *learn.Result) *learn.Result {
	if m.share == nil {
		r.start = r.sol.A
	}
	err := solve[float64](ctx, m, p, rows, 0, &r)
	if err == nil {
		var fine *learn.Result
		if fine, err = m.result(ctx, p, rows, &r); err == nil {
			return fine
		}
	}
	if st := status.FromContext(ctx); st != status.Unknown {
		rough.Report.Status = st
	}
	return rough
}

// run is the state of a training.
type run struct {
	q       *smo.Pair
	sol     *smo.Result
	small   float64 // absolute gap that is small enough
	stats   blocked.Stats
	seconds learn.Seconds
	bits    int            // of a kernel value
	max     float64        // ‖a‖ up to which kernel values are exact enough; 0 for double precision
	cost    float64        // the C or ε found by a ν variant
	start   []float64      // to go on from; nil for none
	bound   func() float64 // the largest error of a kernel value, see gram's ErrorBound; nil if unknown
}

// solve solves the dual with kernel rows of type T, evaluated on demand, until ‖a‖ exceeds largest. It does not start
// from an earlier solution: at large C, what the first working set yields is a poor start.
func solve[T gram.Float](ctx context.Context, m *program, p *learn.Problem, rows []int, largest float64, r *run) error {
	budget, together, err := rowMemory[T](p, len(rows), m)
	if err != nil {
		return err
	}
	begin := time.Now()
	start, settled := m.flat(ctx, p, rows, r)
	if r.seconds.Solve += time.Since(begin).Seconds(); settled {
		return nil
	}
	begin = time.Now()
	k, took, end, err := kernelMatrix[T](ctx, p, rows, budget, m.usual(p, rows))
	if err != nil {
		return learn.Nothing(ctx, m.method)
	}
	defer end()
	q := m.pair(p, rows, k)
	q.Most, q.Together = largest, together
	if r.start != nil {
		q.Start = r.start
	} else if start != nil {
		q.Start, q.KStart = start.A, start.KA
	}
	if err = r.solve(ctx, m, p, rows, q); err != nil {
		return err
	}
	main := took()
	r.stats.RowsComputed += main.stats.RowsComputed
	r.stats.RowHits += main.stats.RowHits
	r.stats.KernelEvals += main.stats.KernelEvals
	r.seconds.Gram += main.spent.Seconds()
	r.seconds.Solve += (time.Since(begin) - main.spent).Seconds()
	if m.share == nil { // the solutions of a search are interpolated
		r.bound = main.bound
	}
	if m.heldOut != nil && r.sol.Status.Done() {
		m.heldOut.solve(ctx, m, p, rows, r)
	}
	q.K = nil
	r.bits, r.max = 8*int(blocked.Bytes[T](1, 1, 0, 0)), largest
	return nil
}

// pair is the dual over the given rows, of which k is the kernel matrix.
func (m *program) pair(p *learn.Problem, rows []int, k smo.Matrix) *smo.Pair {
	if m.each > 1 {
		k = smo.Twice(k)
	}
	return m.pairOn(p, rows, k)
}

// pairOn is the dual with a matrix of all its variables.
func (m *program) pairOn(p *learn.Problem, rows []int, k smo.Matrix) *smo.Pair {
	n := k.Len()
	q := &smo.Pair{K: k, P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	m.dual(p, rows, q)
	return q
}

// startProduct computes K times the start. The solver would do it without checking the context, and it takes long if
// many variables start above 0. The error is the context's.
func startProduct(ctx context.Context, q *smo.Pair) error {
	q.KStart = make([]float64, len(q.Start))
	return addDifferences(ctx, q, q.KStart, make([]float64, len(q.Start)))
}

// addDifferences adds to k what the start has more than a times the rows of K. The error is the context's.
func addDifferences(ctx context.Context, q *smo.Pair, k, a []float64) error {
	var idx []int
	var coef []float64
	for i, v := range q.Start {
		if d := v - a[i]; d != 0 {
			idx = append(idx, i)
			coef = append(coef, d)
		}
	}
	return q.K.AddRows(ctx, k, idx, coef)
}

// startFrom makes q start from multipliers of another solution within its bounds, whose gradient lacks only the rows
// of multipliers that change. It reports whether the rows are added: they are not if ctx has ended.
func startFrom(ctx context.Context, q *smo.Pair, s *smo.Result) bool {
	k := make([]float64, len(q.P))
	for i, g := range s.G {
		k[i] = g - q.P[i]
	}
	if addDifferences(ctx, q, k, s.A) != nil {
		return false
	}
	q.KStart = k
	return true
}

// solve runs the solver and adds the iterations of an earlier solve.
func (r *run) solve(ctx context.Context, m *program, p *learn.Problem, rows []int, q *smo.Pair) (err error) {
	r.q, r.small = q, m.smallGap(q, r.small)
	opt := smo.Options{Tolerance: m.tolerance, MaxIter: m.maxIter, Progress: progress(p.Resources, m.tolerance)}
	if _, flat := q.K.(*flatMatrix); !flat && !m.libsvm { // steps on rows that nobody keeps are slow
		opt.Gap, q.SmallGap = m.gap(), r.small
	}
	before := r.sol
	if before != nil && opt.MaxIter > 0 {
		opt.MaxIter = max(1, opt.MaxIter-before.Iterations)
	}
	if (before == nil || r.start != nil) && q.Start != nil && q.KStart == nil && startProduct(ctx, q) != nil {
		return learn.Nothing(ctx, m.method)
	}
	if m.share != nil {
		if r.sol, r.cost, err = m.search(ctx, p, rows, q, opt); err != nil {
			return err
		}
	} else {
		r.sol = smo.Solve(ctx, q, opt)
	}
	if before != nil {
		r.sol.Iterations += before.Iterations
		r.sol.Rounds += before.Rounds
	}
	return nil
}

// result makes the model and its report.
func (m *program) result(ctx context.Context, p *learn.Problem, rows []int, run *run) (*learn.Result, error) {
	r := &learn.Result{Expansion: expansion(rows, run.sol), Report: report(run.sol)}
	if len(r.Support) == 0 && ctx.Err() != nil {
		return nil, learn.Nothing(ctx, m.method)
	}
	cost := m.cost(p)
	if m.unit {
		cost *= run.cost
	}
	size, unchecked := cost*math.Sqrt(float64(len(rows))), false // size is an upper bound of ‖a‖
	if square := dense.Dot(run.sol.A, run.sol.A); run.bits == 32 && 0x1p-26*square > 1e-4*math.Abs(r.Report.Objective) {
		size = math.Inf(1) // ½ aᵀδKa is a large part of a small objective
	}
	coarse := run.bits == 32 && (4*size > run.max || m.doubtful(&r.Report, run)) && !m.clear(&r.Report, run)
	if coarse && !m.steady(&r.Report, run) && m.stretch(&r.Report, run) {
		r = &learn.Result{Expansion: expansion(rows, run.sol), Report: report(run.sol)}
		coarse = !m.clear(&r.Report, run)
	}
	if !p.Kernel.Bounded() || coarse || m.share != nil && 0x1p-48*size > m.tolerance {
		unchecked = !recompute(ctx, p, rows, run, r)
	}
	if run.bits == 32 && r.Report.Duality != nil {
		r.Report.Duality.KKT = run.sol.KKT // the tolerance holds for the solver's kernel values
	}
	m.settle(&r.Report, run, func() float64 { return diagonal(p, &r.Expansion) })
	if unchecked { // the solver's certificate is too inexact, and there was no time for another
		r.Report.Duality = nil
	}
	m.prove(ctx, p, rows, run, &r.Report)
	if m.share == nil && learn.DecisionsAsked(ctx) { // the solutions of a search are interpolated
		run.decide(p, rows, r)
	}
	r.Report.KernelEvals = run.stats.KernelEvals
	r.Report.Seconds = run.seconds
	r.Report.Figures = Figures{
		Cost:         run.cost,
		BoundedSV:    bounded(run.q, run.sol.A),
		WorkingSets:  run.sol.Rounds,
		RowsComputed: run.stats.RowsComputed,
		RowHits:      run.stats.RowHits,
		KernelBits:   run.bits,
	}
	return r, nil
}

// single returns the ‖a‖ up to which kernel values in single precision are exact enough. Their rounding errors, 2⁻²⁴
// each, add up in the gradient to about 2⁻²⁴ ‖a‖, which may be at most half of the stopping tolerance. (LIBSVM always
// uses single precision.) ‖a‖ ≤ C √n, but at large C many variables stay far below their bounds. It returns 0, for
// double precision only, if the kernel is not bounded by 1, if the features do not fit single precision, or if a
// coefficient of 16 units for every sample would exceed the limit.
func (m *program) single(p *learn.Problem, n int) float64 {
	const units = 16
	largest := 0.5 * m.tolerance * (1 << 24)
	if !p.Kernel.Bounded() || largest < min(m.cost(p), units)*math.Sqrt(float64(n)) || !singleSuffices(p) {
		return 0
	}
	return largest
}

// cost is the largest C_i.
func (m *program) cost(p *learn.Problem) float64 {
	if p.Weight != nil {
		return m.c * slices.Max(p.Weight)
	}
	return m.c
}

// usual is the mean C_i: merged samples may have one that is many times as large.
func (m *program) usual(p *learn.Problem, rows []int) float64 {
	sum := 0.0
	for _, i := range rows {
		sum += p.WeightOf(i)
	}
	return m.c * sum / float64(len(rows))
}

// minMemory is the least memory of a training with each variables per sample, which a [mixedMatrix] packs twice.
func minMemory[T gram.Float](n, d, each int) int64 {
	const vectors = 16 * 8 // bytes a sample: the solver's vectors, bounds, candidates, and the cache's bookkeeping
	packed, vector := gram.Bytes[T](n, d)+gram.Bytes[float32](n, d), int64(each*n)*vectors
	return packed + vector + blocked.Bytes[T](blocked.MinRows, n, 0, 0) + smo.Bytes(each*n, 0) +
		blocked.Bytes[T](0, 0, min(n, smo.LargestSet), d)
}

// rowMemory returns the bytes left for kernel rows, and how many free variables one step may move together. Their
// systems get a quarter of the memory above the least.
func rowMemory[T gram.Float](p *learn.Problem, n int, m *program) (rows int64, together int, err error) {
	need := minMemory[T](n, p.D, m.each)
	if m.share != nil {
		need += searchMemory(m.each * n)
	}
	if n < p.N {
		need += int64(n) * int64(p.D) * 8 // a copy of the present samples
	}
	b := p.Budget(m.method, p.N, p.D)
	if err = b.Take(need); err != nil {
		return 0, 0, err
	}
	system := func(together int) int64 { return smo.Bytes(m.each*n, together) - smo.Bytes(m.each*n, 0) }
	together = sort.Search(min(m.each*n, smo.LargestSet), func(f int) bool { return system(f+1) > b.Left()/4 })
	if together == 0 {
		together = -1
	} else if err = b.Take(system(together)); err != nil {
		return 0, 0, err
	}
	return b.Left() + blocked.Bytes[T](blocked.MinRows, n, 0, 0), together, nil
}
