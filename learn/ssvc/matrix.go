package ssvc

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/pages"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/merged"
)

// matrix returns K̄ᵀ without the labels, a row for each hinge loss: k(x_row, x_col) for every column, then 1 for the
// bias. The row stride is columns(). It may reuse memory of an earlier training with at most spare bytes too many. The
// caller releases it. The error is the context's.
func matrix(ctx context.Context, s *merged.Samples, p *learn.Problem, spare int64) ([]float64, error) {
	q, ld := len(s.First), s.Columns()
	k, err := gram.PackContext[float64](ctx, p.Kernel, p.Samples(s.First), q, p.D)
	if err != nil {
		return nil, learn.Nothing(ctx, s.Method)
	}
	size := len(s.Row) * ld
	z := pages.Reuse[float64](size, size+int(spare/8))
	if z == nil {
		z = pages.Large(make([]float64, size))
	}
	z = z[:size]
	if learn.FullMatrix(ctx, k, z, ld, s.Threads) != nil {
		pages.Release(z)
		return nil, learn.Nothing(ctx, s.Method)
	}
	for r, col := range s.Row {
		if r >= q {
			copy(z[r*ld:(r+1)*ld], z[col*ld:(col+1)*ld])
		}
		z[r*ld+q] = 0
		if s.Biased {
			z[r*ld+q] = 1
		}
	}
	return z, nil
}

// reachOf returns, for each column i, the largest |(K̄β)_i| over all β in the box: the larger of the sums of the
// positive and of the negative parts of C_r y_r k_ri. If ctx ends, the result is too small.
func reachOf(ctx context.Context, s *merged.Samples, z []float64) []float64 {
	const width = 2048 // columns of a task
	ld := s.Columns()
	bound := make([]float64, ld)
	parallel.Chunks(s.Threads, ld, width, func(_, lo, hi int) {
		up, down, size := bound[lo:hi], make([]float64, hi-lo), make([]float64, hi-lo)
		for r := range s.Row {
			if r%512 == 0 && ctx.Err() != nil {
				break
			}
			addReach(s, up, down, size, z[r*ld+lo:r*ld+hi], r)
		}
		largerPart(s, up, down, size)
	})
	return bound
}

// addReach adds C_r times a row to the sum of its side, and the absolute values to size if the kernel has both signs.
func addReach(s *merged.Samples, up, down, size, row []float64, r int) {
	if s.Y[r] > 0 {
		dense.Axpy(s.Cost[r], row, up)
	} else {
		dense.Axpy(s.Cost[r], row, down)
	}
	if s.Mixed {
		for i, k := range row {
			size[i] += s.Cost[r] * math.Abs(k)
		}
	}
}

// largerPart stores in up, and returns, the larger of the sums of the positive and of the negative parts. It is given
// the sums of addReach.
func largerPart(s *merged.Samples, up, down, size []float64) []float64 {
	if !s.Mixed { // up has all positive and down all negative parts
		size = nil
	}
	for i := range size { // half of Σ|c| ± Σc are the sums of the parts
		v := size[i]
		up[i], down[i] = (v+up[i]-down[i])/2, (v-up[i]+down[i])/2
	}
	for i := range up {
		up[i] = max(up[i], down[i])
	}
	return up
}
