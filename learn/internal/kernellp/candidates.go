package kernellp

import (
	"context"
	"slices"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn/internal/candidates"
)

// Choice says which samples are candidates.
type Choice = candidates.Choice

// Candidates is the kernel matrix of samples of which only some, the candidates, may have coefficients. The costs of
// the others must be infinite. Every sample has a margin, but only the candidates have rows. So a changed multiplier
// costs one kernel value a candidate instead of one a sample. The matrix stores no rows except those in the cache.
type Candidates struct {
	*blocked.Matrix[float64]
	pts  *gram.Samples[float64]
	at   []int     // the candidates, ascending
	x    []float64 // their features
	few  candidates.Columns
	more int64 // kernel values besides those of the matrix and of few
}

// pricedAtOnce is the number of samples in a sum that one worker adds up.
const pricedAtOnce = 1024

// newCandidates returns the matrix of packed samples with features x and the given candidates.
func newCandidates(pts *gram.Samples[float64], m *blocked.Matrix[float64], x []float64, at []int,
	threads int) *Candidates {
	few := candidates.Columns{Packed: pts.Subset(at), X: x, Threads: parallel.Workers(threads)}
	c := &Candidates{Matrix: m, pts: pts, at: at, few: few}
	for _, i := range at {
		c.x = append(c.x, few.Sample(i)...)
	}
	return c
}

// Limited implements [Rows].
func (c *Candidates) Limited() bool { return true }

// Columns implements [Rows]: the candidates, ascending.
func (c *Candidates) Columns() []int { return c.at }

// KernelEvals implements [Rows].
func (c *Candidates) KernelEvals() int64 { return c.more + c.few.Evals + c.Stats().KernelEvals }

// workingRows implements [Rows]. The budget pays for all of them.
func (c *Candidates) workingRows() int { return 0 }

// AddColumns implements [Rows]. If ctx ends, g is unchanged.
func (c *Candidates) AddColumns(ctx context.Context, g []float64, idx []int, coef []float64) error {
	k := len(c.at)
	total, err := candidates.Sum(ctx, c.few.Threads, len(idx), pricedAtOnce, k, func(sum []float64, lo, hi int) {
		c.pts.Subset(idx[lo:hi]).Expand(coef[lo:hi]).Eval(sum, c.x, k)
	})
	if err != nil {
		return err
	}
	c.more += int64(k) * int64(len(idx))
	for t, j := range c.at {
		g[j] += total[t]
	}
	return nil
}

// Block implements [Rows] for candidates.
func (c *Candidates) Block(ctx context.Context, vectors, idx []int) ([][]float64, error) {
	m, d := len(idx), c.pts.Dim()
	s := c.pts.Subset(idx)
	rows := make([][]float64, len(vectors))
	parallel.For(c.few.Threads, len(rows), func(_, r int) {
		if ctx.Err() != nil {
			return
		}
		at, _ := slices.BinarySearch(c.at, vectors[r])
		rows[r] = make([]float64, m)
		s.Cross(rows[r], m, c.x[at*d:(at+1)*d], 1)
	})
	c.more += int64(m) * int64(len(rows))
	return rows, ctx.Err()
}

// outputs implements [Rows]. Values that stay in the processor's cache are evaluated faster than whole rows.
func (c *Candidates) outputs(ctx context.Context, e *expansion) error {
	var used []int
	var coef []float64
	for k, i := range c.at {
		if a := e.a[i]; a != 0 {
			used = append(used, k)
			coef = append(coef, a)
		}
	}
	few := c.few
	few.Packed = few.Packed.Subset(used)
	few.Outputs(ctx, e.f, coef, e.bias)
	c.few.Evals = few.Evals
	return ctx.Err()
}

// among implements [Rows]: all candidates are among the samples.
func (c *Candidates) among(idx []int) ([]int, Kernel) {
	idx = append(idx, c.at...)
	slices.Sort(idx)
	idx = slices.Compact(idx)
	pts, at := c.pts.Subset(idx), make([]int, len(c.at))
	for k, j := range c.at {
		at[k], _ = slices.BinarySearch(idx, j)
	}
	x := make([]float64, 0, len(idx)*pts.Dim())
	for _, i := range idx {
		x = append(x, c.few.Sample(i)...)
	}
	return idx, newCandidates(pts, blocked.New(pts, 0, c.few.Threads), x, at, c.few.Threads)
}
