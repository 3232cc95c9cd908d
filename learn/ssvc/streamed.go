package ssvc

import (
	"context"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
)

// streamed are the rows of K̄ᵀ over few columns where they are too many to be kept: they are evaluated anew for every
// pass. Columns that die make passes cheaper.
type streamed struct {
	few     *gram.Samples[float64] // the live candidates
	bias    bool                   // the bias is live: the last column
	x       []float64              // the samples, dim numbers each
	dim     int
	of      []int // row → point
	threads int
	evals   int64
}

// evaluatedAtOnce is the number of rows or samples that a worker evaluates between two looks at the context.
const evaluatedAtOnce = 512

// newStreamed chooses some of the columns as candidates; the others are none from then on.
func newStreamed(ctx context.Context, p *learn.Problem, s *samples, c kernellp.Choice) (*streamed, error) {
	x := p.Samples(s.first)
	all, err := gram.PackContext[float64](ctx, p.Kernel, x, len(s.first), p.D)
	if err != nil {
		return nil, learn.Nothing(ctx, s.method)
	}
	candidates := c.Of(all, len(s.first))
	v := &streamed{few: all.Subset(candidates), bias: s.biased, x: x, dim: p.D, of: s.row,
		threads: parallel.Workers(p.Threads)}
	for c, col := range candidates {
		candidates[c] = s.first[col]
	}
	s.first = candidates
	return v, nil
}

// keptElements is the number of kernel values up to which all rows are kept instead of being streamed: 128 MiB.
const keptElements = 1 << 24

// whole are the values of all rows, nil where these are more than the limit.
func (v *streamed) whole(ctx context.Context, rows int, limit int64) []float64 {
	if int64(rows)*int64(v.width()) > limit {
		return nil
	}
	z := make([]float64, rows*v.width())
	v.rows(ctx, z, all(rows), nil)
	return z
}

// width is the number of live columns.
func (v *streamed) width() int {
	if v.bias {
		return v.few.Len() + 1
	}
	return v.few.Len()
}

// keep leaves the live columns keep, ascending.
func (v *streamed) keep(keep []int) {
	n := v.few.Len()
	m := len(keep)
	v.bias = m > 0 && keep[m-1] == n
	if v.bias {
		m--
	}
	if m < n {
		v.few = v.few.Subset(keep[:m])
	}
}

// rows writes the rows idx, scaled by column, one after the other. When ctx ends, only some of them.
func (v *streamed) rows(ctx context.Context, dst []float64, idx []int, scale []float64) {
	ld, n := v.width(), v.few.Len()
	parallel.For(v.threads, len(idx), func(_, t int) {
		if t%64 == 0 && ctx.Err() != nil {
			return
		}
		row, i := dst[t*ld:(t+1)*ld], v.of[idx[t]]
		if n > 0 {
			v.few.Cross(row, ld, v.x[i*v.dim:(i+1)*v.dim], 1)
		}
		if v.bias {
			row[n] = 1
		}
		for c, s := range scale {
			row[c] *= s
		}
	})
	v.evals += int64(len(idx)) * int64(n)
}

// each hands all rows idx to add, which has a sum of size numbers of its own for each part of them, and returns the
// total of the sums, the same for any number of threads. When ctx ends it is of no use.
func (v *streamed) each(ctx context.Context, idx []int, size int, add func(sum, row []float64, r int)) []float64 {
	ld := v.width()
	total := make([]float64, size)
	const run = 64 // parts whose sums are held
	for from := 0; from < len(idx) && ctx.Err() == nil; from += run * evaluatedAtOnce {
		some := idx[from:min(from+run*evaluatedAtOnce, len(idx))]
		sums := make([][]float64, (len(some)+evaluatedAtOnce-1)/evaluatedAtOnce)
		parallel.For(v.threads, len(sums), func(_, t int) {
			if ctx.Err() != nil {
				return
			}
			part := *v
			part.threads = 1
			sums[t] = make([]float64, size)
			row := make([]float64, ld)
			for _, r := range some[t*evaluatedAtOnce : min((t+1)*evaluatedAtOnce, len(some))] {
				part.rows(ctx, row, []int{r}, nil)
				add(sums[t], row, r)
			}
		})
		for _, sum := range sums {
			if sum != nil {
				dense.Axpy(1, sum, total)
			}
		}
		v.evals += int64(len(some)) * int64(v.few.Len())
	}
	return total
}

// outputs writes f of every sample for the coefficients alpha of the live columns. When ctx ends, only some.
func (v *streamed) outputs(ctx context.Context, dst, alpha []float64) {
	n, samples := v.few.Len(), len(dst)
	var bias float64
	if v.bias {
		bias = alpha[n]
	}
	parts := (samples + evaluatedAtOnce - 1) / evaluatedAtOnce
	sum := v.few.Expand(alpha[:n])
	parallel.For(v.threads, parts, func(_, t int) {
		if ctx.Err() != nil {
			return
		}
		lo, hi := t*evaluatedAtOnce, min((t+1)*evaluatedAtOnce, samples)
		if n > 0 {
			sum.Eval(dst[lo:hi], v.x[lo*v.dim:hi*v.dim], hi-lo)
		} else {
			clear(dst[lo:hi])
		}
		for i := lo; i < hi; i++ {
			dst[i] += bias
		}
	})
	v.evals += int64(samples) * int64(n)
}
