package svc

import (
	"context"
	"time"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
)

// kernelMatrix returns the kernel matrix of the samples in the form the solver wants. If one working set holds all
// samples, the whole matrix is evaluated at once: symmetry halves the work, and steps read rows in place. Otherwise
// rows are evaluated on demand within the budget. taken returns statistics and releases the memory; the matrix may not
// be read after it. An error is the context's.
func kernelMatrix[T gram.Float](ctx context.Context, p *learn.Problem, rows []int, budget int64) (
	k smo.Matrix, taken func() (blocked.Stats, time.Duration), err error) {
	begin, n := time.Now(), len(rows)
	pts, err := gram.PackContext[T](ctx, p.Kernel, p.Samples(rows), n, p.D)
	if err != nil {
		return nil, nil, err
	}
	if n > smo.PairWhole || !p.Kernel.Vectorised() {
		m := blocked.New(pts, budget, p.Threads)
		timed := &timedMatrix[T]{Matrix: m, spent: time.Since(begin)}
		return timed.precise(), func() (blocked.Stats, time.Duration) {
			m.Release()
			return m.Stats(), timed.spent
		}, nil
	}
	ld := smo.Stride(n)
	whole := gram.Aligned[T](n * ld)
	err = learn.FullMatrix(ctx, pts, whole, ld, p.Threads)
	stats := blocked.Stats{RowsComputed: int64(n), KernelEvals: int64(n) * int64(n+1) / 2}
	spent := time.Since(begin)
	return smo.NewStrided(n, whole, ld), func() (blocked.Stats, time.Duration) { return stats, spent }, err
}

// timedMatrix measures the time spent on kernel values.
type timedMatrix[T gram.Float] struct {
	*blocked.Matrix[T]
	spent time.Duration
}

// precise returns m as an [smo.Single] if its values are in single precision.
func (m *timedMatrix[T]) precise() smo.Matrix {
	if single, ok := any(m).(*timedMatrix[float32]); ok {
		return singleMatrix{single}
	}
	return m
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
