package ssvc

import (
	"context"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/candidates"
	"github.com/sparsekm/sparsekm/learn/internal/merged"
)

// streamed evaluates the rows of K̄ᵀ over candidates where there is no memory for them: each pass evaluates them again.
// Passes get faster as columns are dropped.
type streamed struct {
	columns candidates.Columns // the live candidates
	bias    bool               // the bias is live: the last column
	of      []int              // row → sample
}

// evaluatedAtOnce is the number of rows in a sum that one worker adds up.
const evaluatedAtOnce = 512

// newStreamed chooses some of the columns as candidates, which become the columns of s.
func newStreamed(ctx context.Context, p *learn.Problem, s *merged.Samples, c candidates.Choice) (*streamed, error) {
	x := p.Samples(s.First)
	all, err := gram.PackContext[float64](ctx, p.Kernel, x, len(s.First), p.D)
	if err != nil {
		return nil, learn.Nothing(ctx, s.Method)
	}
	chosen := c.Of(all, len(s.First))
	v := &streamed{bias: s.Biased, of: s.Row,
		columns: candidates.Columns{Packed: all.Subset(chosen), X: x, Threads: parallel.Workers(p.Threads)}}
	for c, col := range chosen {
		chosen[c] = s.First[col]
	}
	s.First = chosen
	return v, nil
}

// keptElements is the number of kernel values up to which all rows are stored: 128 MiB.
const keptElements = 1 << 24

// whole returns the values of all rows, nil if these are more than the limit.
func (v *streamed) whole(ctx context.Context, rows int, limit int64) []float64 {
	if int64(rows)*int64(v.width()) > limit {
		return nil
	}
	z := make([]float64, rows*v.width())
	v.rows(ctx, z, merged.All(rows), nil)
	return z
}

// width is the number of live columns.
func (v *streamed) width() int {
	if v.bias {
		return v.columns.Len() + 1
	}
	return v.columns.Len()
}

// keep drops all columns but keep, ascending.
func (v *streamed) keep(keep []int) {
	n, m := v.columns.Len(), len(keep)
	v.bias = m > 0 && keep[m-1] == n
	if v.bias {
		m--
	}
	if m < n {
		v.columns.Packed = v.columns.Packed.Subset(keep[:m])
	}
}

// row writes row r.
func (v *streamed) row(dst []float64, r int) {
	v.columns.Row(dst, v.of[r])
	if v.bias {
		dst[v.columns.Len()] = 1
	}
}

// rows writes the rows idx one after the other, with their columns scaled. If ctx ends, it writes only some.
func (v *streamed) rows(ctx context.Context, dst []float64, idx []int, scale []float64) {
	ld := v.width()
	parallel.For(v.columns.Threads, len(idx), func(_, t int) {
		if t%64 == 0 && ctx.Err() != nil {
			return
		}
		row := dst[t*ld : (t+1)*ld]
		v.row(row, idx[t])
		for c, s := range scale {
			row[c] *= s
		}
	})
	v.columns.Evals += int64(len(idx)) * int64(v.columns.Len())
}

// each returns the total of what add adds to sums of size numbers for each of the rows idx. If ctx ends it is of no
// use.
func (v *streamed) each(ctx context.Context, idx []int, size int, add func(sum, row []float64, r int)) []float64 {
	total, _ := candidates.Sum(ctx, v.columns.Threads, len(idx), evaluatedAtOnce, size, func(sum []float64, lo, hi int) {
		row := make([]float64, v.width())
		for _, r := range idx[lo:hi] {
			v.row(row, r)
			add(sum, row, r)
		}
	})
	v.columns.Evals += int64(len(idx)) * int64(v.columns.Len())
	return total
}

// reach returns, for each column i, the largest |(K̄β)_i| over all β in the box, as reachOf does.
func (v *streamed) reach(ctx context.Context, s *merged.Samples) []float64 {
	ld := v.width()
	sums := v.each(ctx, merged.All(len(s.Row)), 3*ld, func(sum, row []float64, r int) {
		addReach(s, sum[:ld], sum[ld:2*ld], sum[2*ld:], row, r)
	})
	return largerPart(s, sums[:ld], sums[ld:2*ld], sums[2*ld:])
}

// outputs writes f of every sample for the coefficients alpha of the live columns. If ctx ends, it writes only some.
func (v *streamed) outputs(ctx context.Context, dst, alpha []float64) {
	bias, n := 0.0, v.columns.Len()
	if v.bias {
		bias = alpha[n]
	}
	v.columns.Outputs(ctx, dst, alpha[:n], bias)
}
