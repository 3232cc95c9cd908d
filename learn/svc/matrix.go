package svc

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
)

// kernelMatrix returns the kernel matrix of the samples in the form the solver wants. If one working set holds all
// samples, the whole matrix is evaluated at once: symmetry halves the work, and steps read rows in place. Otherwise
// rows are evaluated on demand within the budget. cost is the mean C_i. took returns statistics; end releases the
// memory, and the matrix may not be read after it. An error is the context's.
func kernelMatrix[T gram.Float](ctx context.Context, p *learn.Problem, rows []int, budget int64, cost float64) (
	k smo.Matrix, took func() taken, end func(), err error) {
	begin, n := time.Now(), len(rows)
	pts, err := gram.PackContext[T](ctx, p.Kernel, p.Samples(rows), n, p.D)
	if err != nil {
		return nil, nil, nil, err
	}
	if n > smo.WholeSet || !p.Kernel.Vectorised() {
		m := blocked.New(pts, budget, p.Threads)
		timed := &timedMatrix[T]{Matrix: m, pts: pts, budget: budget, threads: p.Threads}
		k, err = timed.precise(ctx, p, rows, cost)
		timed.spent = time.Since(begin)
		return k, timed.taken, timed.release, err
	}
	ld := smo.Stride(n)
	whole, release := square[T](n * ld)
	err = learn.FullMatrix(ctx, pts, whole, ld, p.Threads)
	stats := blocked.Stats{RowsComputed: int64(n), KernelEvals: int64(n) * int64(n+1) / 2}
	spent := time.Since(begin)
	return smo.NewDense(n, whole, ld), func() taken { return taken{stats, spent, pts.ErrorBound} }, release, err
}

// square returns room for so many values, which may hold others, and a function that gives it back, to other pairs of
// classes for example: clearing new memory takes as long as a third of its kernel values.
func square[T gram.Float](size int) (values []T, release func()) {
	values = cpu.Memory[T](size, 2*size)
	return values, func() { cpu.Release(values) }
}

// taken is what a kernel matrix took, and the bound on the errors of its values, which is computed when it is called.
type taken struct {
	stats blocked.Stats
	spent time.Duration
	bound func() float64
}

// timedMatrix measures the time spent on kernel values.
type timedMatrix[T gram.Float] struct {
	*blocked.Matrix[T]
	pts     *gram.Samples[T]
	budget  int64 // bytes for rows
	threads int
	whole   func() // releases the matrix as a whole; nil as long as there is none
	spent   time.Duration
}

// Whole evaluates the whole matrix, in place of the cached rows, if the budget has room for it and for rows of those
// variables that the solver has not shrunk away.
func (m *timedMatrix[T]) Whole(ctx context.Context) smo.Matrix {
	if !m.pts.Kernel().Vectorised() || wholeBytes[T](m.Len()) > largestWhole(m.budget) {
		return nil
	}
	m.Matrix.Release()
	return wholeMatrix(ctx, m, m.pts)
}

// wholeBytes is what a whole matrix takes, with rows of the variables that are left when it shrinks.
func wholeBytes[T gram.Float](n int) int64 { return blocked.Bytes[T](n, smo.Stride(n), 0, 0) * 4 / 3 }

// largestWhole is what a whole matrix may take of a budget: beyond 1 GiB half of it. Its rows are not all needed.
func largestWhole(budget int64) int64 { return min(budget, max(1<<30, budget/2)) }

// wholeMatrix evaluates the whole matrix of pts for m, which releases it. It returns nil if ctx has ended.
func wholeMatrix[T, S gram.Float](ctx context.Context, m *timedMatrix[T], pts *gram.Samples[S]) smo.Matrix {
	start := time.Now()
	defer func() { m.spent += time.Since(start) }()
	n := m.Len()
	ld := smo.Stride(n)
	values, release := square[S](n * ld)
	m.whole = release
	if learn.FullMatrix(ctx, pts, values, ld, m.threads) != nil {
		return nil
	}
	return smo.NewDense(n, values, ld)
}

func (m *timedMatrix[T]) release() {
	m.Matrix.Release()
	if m.whole != nil {
		m.whole()
	}
}

// taken adds what the whole matrix took, half of it.
func (m *timedMatrix[T]) taken() taken {
	stats, n := m.Stats(), int64(m.Len())
	if m.whole != nil {
		stats.RowsComputed += n
		stats.KernelEvals += n * (n + 1) / 2
	}
	return taken{stats, m.spent, m.pts.ErrorBound}
}

// precise returns m as an [smo.Single] if its values are in single precision, or if rows of working sets may be, where
// the mean C_i is cost. An error is the context's.
func (m *timedMatrix[T]) precise(ctx context.Context, p *learn.Problem, rows []int, cost float64) (
	smo.Matrix, error) {
	switch m := any(m).(type) {
	case *timedMatrix[float32]:
		return singleMatrix{m}, nil
	case *timedMatrix[float64]:
		if cost > mixedCost || !p.Kernel.Bounded() || !p.Kernel.Vectorised() || !singleSuffices(p) {
			return m, nil
		}
		pts, err := gram.PackContext[float32](ctx, p.Kernel, p.Samples(rows), len(rows), p.D)
		if err != nil {
			return nil, err
		}
		return &mixedMatrix{m, blocked.New(pts, 0, p.Threads), pts}, nil
	}
	return m, nil
}

// mixedCost is the largest mean C_i with rows of working sets in single precision: at five times as much, steps on
// banana take up to five times as many, and at 1e6 rounding stops them. Merged samples cost more than the others.
const mixedCost = 2e3

// mixedMatrix gives rows of working sets in single precision and adds rows to the gradient in double precision: what
// rounding changes in the steps of a set, the gradient after it shows.
type mixedMatrix struct {
	*timedMatrix[float64]
	sets   *blocked.Matrix[float32]
	single *gram.Samples[float32]
}

// Whole evaluates the whole matrix in both precisions, if the budget has room: steps read the one, the gradient is
// updated by the other.
func (m *mixedMatrix) Whole(ctx context.Context) smo.Matrix {
	if n := m.Len(); wholeBytes[float64](n)+wholeBytes[float32](n) > largestWhole(m.budget) {
		return nil
	}
	whole := m.timedMatrix.Whole(ctx)
	if whole == nil {
		return nil
	}
	release := m.whole
	steps := wholeMatrix(ctx, m.timedMatrix, m.single)
	first := m.whole
	m.whole = func() { first(); release() }
	if steps == nil {
		return nil
	}
	return mixedWhole{whole, steps}
}

// mixedWhole is a matrix with another one for steps.
type mixedWhole struct {
	smo.Matrix
	steps smo.Matrix
}

// Steps is the matrix for steps; see [smo.Matrix].
func (m mixedWhole) Steps() smo.Matrix { return m.steps }

// Select implements [smo.Matrix].
func (m *mixedMatrix) Select(idx []int) { m.sets.Select(idx) }

// SubRow implements [smo.Matrix].
func (m *mixedMatrix) SubRow(dst []float64, r int) {
	start := time.Now()
	m.sets.SubRow(dst, r)
	m.spent += time.Since(start)
}

// SubRow32 implements [smo.Single].
func (m *mixedMatrix) SubRow32(dst []float32, r int) {
	start := time.Now()
	m.sets.SubValues(dst, r)
	m.spent += time.Since(start)
}

// SubRow implements [smo.Matrix].
func (m *timedMatrix[T]) SubRow(dst []float64, r int) {
	start := time.Now()
	m.Matrix.SubRow(dst, r)
	m.spent += time.Since(start)
}

// AddRows implements [smo.Matrix].
func (m *timedMatrix[T]) AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error {
	start := time.Now()
	err := m.Matrix.AddRows(ctx, g, idx, coef)
	m.spent += time.Since(start)
	return err
}

// singleMatrix is an [smo.Single].
type singleMatrix struct{ *timedMatrix[float32] }

// SubRow32 implements [smo.Single].
func (m singleMatrix) SubRow32(dst []float32, r int) {
	start := time.Now()
	m.SubValues(dst, r)
	m.spent += time.Since(start)
}

// singleSuffices reports whether the samples fit single precision well enough for the kernel. Rounding moves a feature
// by at most 2⁻²⁴ of half its range. It changes a value of the RBF kernel by √(2γ) times that distance, and of the
// Laplacian by γ times. If this is many times 2⁻²⁴, the kernel cannot tell close samples apart. The squares of features
// beyond 1e18 overflow.
func singleSuffices(p *learn.Problem) bool {
	if p.Kernel.Rows != nil {
		return p.Kernel.Singles()
	}
	largest := p.Largest()
	if !(largest <= 1e18) {
		return false
	}
	heaviest := 1.0
	if w := p.Kernel.Weights; len(w) > 0 {
		heaviest = math.Sqrt(slices.Max(w))
	}
	d, half := float64(p.D), heaviest*largest // at most: no feature has a wider range
	if fine(p.Kernel, d*half*half, d*half) {
		return true
	}
	lo, hi := slices.Repeat([]float64{math.Inf(1)}, p.D), slices.Repeat([]float64{math.Inf(-1)}, p.D)
	for i := range p.N {
		for k, v := range p.X[i*p.D : (i+1)*p.D] {
			lo[k], hi[k] = min(lo[k], v), max(hi[k], v)
		}
	}
	var square, sum float64
	for k := range p.D {
		half := (hi[k] - lo[k]) / 2
		if w := p.Kernel.Weights; w != nil {
			half *= math.Sqrt(w[k])
		}
		square, sum = square+half*half, sum+half
	}
	return fine(p.Kernel, square, sum)
}

// fine reports whether rounding stays small, from the sum of the weighted half ranges of the features and of their
// squares.
func fine(k gram.Kernel, square, sum float64) bool {
	const most = 256 // with γ ten times too large for scaled features it is 30
	return max(k.Gamma*sum, math.Sqrt(2*k.Gamma*square)) <= most
}
