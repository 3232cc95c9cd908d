package samples

import (
	"context"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// Columns are the kernel values of all samples with the candidates, a row a sample. None is stored: every pass
// evaluates them again.
type Columns struct {
	Packed  *gram.Samples[float64] // the candidates
	X       []float64              // features of all samples, row-major
	Threads int
	Evals   int64 // kernel values so far
}

// atOnce is the number of samples that a worker evaluates between two checks of the context.
const atOnce = 1024

// Len is the number of candidates.
func (c *Columns) Len() int { return c.Packed.Len() }

// Sample returns the features of sample i.
func (c *Columns) Sample(i int) []float64 {
	d := c.Packed.Dim()
	return c.X[i*d : (i+1)*d]
}

// Row writes the kernel values of sample i.
func (c *Columns) Row(dst []float64, i int) {
	if n := c.Len(); n > 0 {
		c.Packed.Cross(dst, n, c.Sample(i), 1)
	}
}

// Gather returns the features of samples, one after the other.
func (c *Columns) Gather(idx []int) []float64 {
	x := make([]float64, 0, len(idx)*c.Packed.Dim())
	for _, i := range idx {
		x = append(x, c.Sample(i)...)
	}
	return x
}

// Rows writes the kernel values of samples, ld elements apart, and calls finish for each row of ld elements. If ctx
// ends, only some are written.
func (c *Columns) Rows(ctx context.Context, dst []float64, ld int, idx []int, finish func(row []float64)) {
	const together = 16
	parallel.Chunks(c.Threads, len(idx), together, func(_, lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		if c.Len() > 0 {
			c.Packed.Cross(dst[lo*ld:], ld, c.Gather(idx[lo:hi]), hi-lo)
		}
		for t := lo; t < hi; t++ {
			finish(dst[t*ld : (t+1)*ld])
		}
	})
	c.Evals += int64(len(idx)) * int64(c.Len())
}

// Outputs writes f_i = Σ_c coef_c k(x_i, x_c) + bias for every sample. If ctx ends, only some are written.
func (c *Columns) Outputs(ctx context.Context, f, coef []float64, bias float64) {
	d, sum := c.Packed.Dim(), c.Packed.Expand(coef)
	parallel.Chunks(c.Threads, len(f), atOnce, func(_, lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		if len(coef) > 0 {
			sum.Eval(f[lo:hi], c.X[lo*d:hi*d], hi-lo)
		} else {
			clear(f[lo:hi])
		}
		for i := lo; i < hi; i++ {
			f[i] += bias
		}
	})
	c.Evals += int64(len(f)) * int64(len(coef))
}

// Sum adds up sums of size numbers. It calls add for each chunk of n items, with a sum of zeros for that chunk. The
// total does not depend on the number of threads. The error is the context's; the total is of no use then.
func Sum(ctx context.Context, threads, n, chunk, size int, add func(sum []float64, lo, hi int)) ([]float64, error) {
	run := 64 * threads * chunk // items whose sums are in memory together
	total := make([]float64, size)
	for from := 0; from < n; from += run {
		some := min(run, n-from)
		sums := make([][]float64, (some+chunk-1)/chunk)
		parallel.Chunks(threads, some, chunk, func(_, lo, hi int) {
			if ctx.Err() == nil {
				sum := make([]float64, size)
				add(sum, from+lo, from+hi)
				sums[lo/chunk] = sum
			}
		})
		if err := ctx.Err(); err != nil {
			return total, err
		}
		for _, sum := range sums {
			dense.Axpy(1, sum, total)
		}
	}
	return total, nil
}
