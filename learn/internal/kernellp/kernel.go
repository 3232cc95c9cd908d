package kernellp

import (
	"context"
	"slices"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
)

// Rows is the kernel matrix of a training's rows, of which all or only some may have coefficients.
type Rows interface {
	Kernel
	// Columns lists the samples that may have coefficients, ascending.
	Columns() []int
	// Block returns the kernel values of some samples that may have coefficients, a row each, with the samples idx. The
	// error is the context's.
	Block(ctx context.Context, vectors, idx []int) ([][]float64, error)
	// KernelEvals is the number of kernel values so far.
	KernelEvals() int64
	// Release gives the memory of rows to later trainings; nothing reads them any more.
	Release()

	// limited reports whether only some samples may have coefficients: the matrix is a [candidates].
	limited() bool
	// addColumns does g[j] += Σ_r coef[r]·K[idx[r], j] for the samples j that may have coefficients. The error is the
	// context's.
	addColumns(ctx context.Context, g []float64, idx []int, coef []float64) error
	// workingRows is the number of working rows that the estimate of the memory counts.
	workingRows() int
	// outputs evaluates f of a model with many coefficients.
	outputs(ctx context.Context, e *expansion) error
	// among returns the matrix of the samples idx, and of more where it needs them, with all of its samples.
	among(idx []int) ([]int, Rows)
}

// full is a kernel matrix whose first samples may all have coefficients.
type full struct {
	Kernel
	first int

	// The samples, if they are known, with their matrix, the goroutines, and the last matrix of some of them.
	packed  *gram.Samples[float64]
	stored  *blocked.Matrix[float64]
	threads int
	some    *blocked.Matrix[float64]
}

// rowsOf is k, or any other kernel matrix as Rows.
func rowsOf(k Kernel) Rows {
	if r, ok := k.(Rows); ok {
		return r
	}
	return &full{Kernel: k, first: k.Len()}
}

func (k *full) limited() bool    { return false }
func (k *full) Columns() []int   { return spaced(k.first, k.first) }
func (k *full) Release()         { k.stored.Release() }
func (k *full) workingRows() int { return min(k.Len(), expectedRows) }

func (k *full) KernelEvals() int64 {
	evals := k.stored.Stats().KernelEvals
	if k.some != nil {
		evals += k.some.Stats().KernelEvals
	}
	return evals
}

func (k *full) addColumns(ctx context.Context, g []float64, idx []int, coef []float64) error {
	return k.AddRows(ctx, g, idx, coef)
}

func (k *full) outputs(ctx context.Context, e *expansion) error { return e.evaluate(ctx, k) }

// among implements [Rows]. The samples get a matrix of their own: of most of them no other columns are ever read. It
// has the memory of the working rows, of which there are none yet.
func (k *full) among(idx []int) ([]int, Rows) {
	k.some = blocked.New(k.packed.Subset(idx), rowsBytes(k.Len(), 0, k.workingRows()), k.threads)
	return idx, &full{Kernel: k.some, first: len(idx), stored: k.some}
}

// Block evaluates the rows of the fewer samples: the matrix is symmetric.
func (k *full) Block(ctx context.Context, vectors, idx []int) ([][]float64, error) {
	block := make([][]float64, len(vectors))
	for r := range block {
		block[r] = make([]float64, len(idx))
	}
	if len(idx) < len(vectors) {
		return block, eachRow(ctx, k, idx, func(c int, row []float64) {
			for r, i := range vectors {
				block[r][c] = row[i]
			}
		})
	}
	return block, eachRow(ctx, k, vectors, func(r int, row []float64) {
		for c, j := range idx {
			block[r][c] = row[j]
		}
	})
}

// candidates is the kernel matrix of samples of which only some, the candidates, may have coefficients. The costs of
// the others must be infinite. Every sample has a margin, but only the candidates have rows. So a changed multiplier
// costs one kernel value a candidate instead of one a sample. The matrix stores no rows except those in the cache.
type candidates struct {
	*blocked.Matrix[float64]
	pts    *gram.Samples[float64]
	chosen []int     // the candidates, ascending
	x      []float64 // their features
	values samples.Columns
	more   int64 // kernel values besides those of matrix and values
}

// summedAtOnce is the number of samples in a sum that one worker adds up.
const summedAtOnce = 1024

// newCandidates returns the matrix of packed samples with features x and the given candidates.
func newCandidates(pts *gram.Samples[float64], m *blocked.Matrix[float64], x []float64, chosen []int,
	threads int) *candidates {
	values := samples.Columns{Packed: pts.Subset(chosen), X: x, Threads: parallel.Workers(threads)}
	return &candidates{Matrix: m, pts: pts, chosen: chosen, x: values.Gather(chosen), values: values}
}

func (c *candidates) limited() bool      { return true }
func (c *candidates) Columns() []int     { return c.chosen }
func (c *candidates) KernelEvals() int64 { return c.more + c.values.Evals + c.Stats().KernelEvals }
func (c *candidates) workingRows() int   { return 0 } // the budget pays for all of them

// addColumns implements [Rows]. If ctx ends, g is unchanged.
func (c *candidates) addColumns(ctx context.Context, g []float64, idx []int, coef []float64) error {
	k := len(c.chosen)
	total, err := samples.Sum(ctx, c.values.Threads, len(idx), summedAtOnce, k, func(sum []float64, lo, hi int) {
		c.pts.Subset(idx[lo:hi]).Expand(coef[lo:hi]).Eval(sum, c.x, k)
	})
	if err != nil {
		return err
	}
	c.more += int64(k) * int64(len(idx))
	for t, j := range c.chosen {
		g[j] += total[t]
	}
	return nil
}

func (c *candidates) Block(ctx context.Context, vectors, idx []int) ([][]float64, error) {
	m, d := len(idx), c.pts.Dim()
	s := c.pts.Subset(idx)
	rows := make([][]float64, len(vectors))
	parallel.For(c.values.Threads, len(rows), func(_, r int) {
		if ctx.Err() != nil {
			return
		}
		place, _ := slices.BinarySearch(c.chosen, vectors[r])
		rows[r] = make([]float64, m)
		s.Cross(rows[r], m, c.x[place*d:(place+1)*d], 1)
	})
	c.more += int64(m) * int64(len(rows))
	return rows, ctx.Err()
}

// outputs implements [Rows]. Values that stay in the processor's cache are evaluated faster than whole rows.
func (c *candidates) outputs(ctx context.Context, e *expansion) error {
	used, coef := Nonzero(deal.Pick(e.a, c.chosen))
	values := c.values
	values.Packed = values.Packed.Subset(used)
	values.Outputs(ctx, e.f, coef, e.bias)
	c.values.Evals = values.Evals
	return ctx.Err()
}

// among implements [Rows]: all candidates are among the samples.
func (c *candidates) among(idx []int) ([]int, Rows) {
	idx = append(idx, c.chosen...)
	slices.Sort(idx)
	idx = slices.Compact(idx)
	pts, chosen := c.pts.Subset(idx), make([]int, len(c.chosen))
	for k, j := range c.chosen {
		chosen[k], _ = slices.BinarySearch(idx, j)
	}
	m := blocked.New(pts, 0, c.values.Threads)
	return idx, newCandidates(pts, m, c.values.Gather(idx), chosen, c.values.Threads)
}

// expectedRows is the number of working rows that the memory estimate includes. The budget pays for further rows as
// they join.
const expectedRows = 256

// ChosenBytes returns the least memory of a method for n samples of dimension d: the packed and the gathered samples,
// the working rows, the smallest cache, and the vectors of the solver. If s limits the samples, the budget pays
// for all working rows.
func ChosenBytes(n, d int, s learn.Subset) int64 { return minBytes(n, d, samples.Choice{Subset: s}, n) }

// minBytes is ChosenBytes for a choice among the first samples.
func minBytes(n, d int, c samples.Choice, first int) int64 {
	const vectors = 80 * 8 // bytes a sample
	smallest := gram.Bytes[float64](n, d) + 8*int64(n)*int64(d) + vectors*int64(n) +
		blocked.Bytes[float64](blocked.MinRows, n, 0, 0)
	if c.Limits(first) {
		return smallest + c.Bytes(d)
	}
	return smallest + rowsBytes(n, 0, min(n, expectedRows))
}

// rowsBytes returns the memory that a program of have working rows takes in addition when it gains add rows: the
// rows, and a larger inverse of the basis, whose order is at most the number of rows.
func rowsBytes(n, have, add int) int64 {
	grown := int64(have) + int64(add)
	return 8 * (int64(add)*int64(n) + grown*grown - int64(have)*int64(have))
}

// RowsOf returns the kernel matrix of the given rows of p, in that order, and the budget that is left for working
// rows. Only the first samples may have coefficients, or those of them that the choice selects. The cache takes a
// quarter of the spare memory, with a limited choice half of it.
func RowsOf(method string, p *learn.Problem, rows []int, first int,
	choice samples.Choice) (Rows, *learn.Budget, error) {
	n, limited := len(rows), choice.Limits(first)
	b := p.Budget(method, p.N, p.D)
	if err := b.Take(minBytes(n, p.D, choice, first)); err != nil {
		return nil, nil, err
	}
	cache := b.Left() / 4
	if limited {
		cache = b.Left() / 2
	}
	if err := b.Take(cache); err != nil {
		return nil, nil, err
	}
	x := p.Samples(rows)
	pts := gram.Pack[float64](p.Kernel, x, n, p.D)
	m := blocked.New(pts, cache, p.Threads)
	if limited {
		return newCandidates(pts, m, x, choice.Of(pts, first), p.Threads), b, nil
	}
	return &full{Kernel: m, first: first, stored: m, packed: pts, threads: p.Threads}, b, nil
}
