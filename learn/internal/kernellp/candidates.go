package kernellp

import (
	"context"
	"slices"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
)

// Candidates is the kernel matrix of samples of which only some, the candidates, may have coefficients. The costs of
// the others must be infinite. Every sample has a margin, but only rows of candidates are priced. So a changed
// multiplier costs one kernel value a candidate instead of one a sample. The matrix stores no rows except those that
// fit in the cache.
type Candidates struct {
	*blocked.Matrix[float64]
	pts     *gram.Samples[float64]
	columns []int     // the candidates, ascending
	x       []float64 // their features
	all     []float64 // features of all samples
	threads int
	evals   int64
}

// pricedAtOnce is the number of samples whose rows a worker adds up between two checks of the context.
const pricedAtOnce = 1024

// RowsOf returns the kernel matrix of the given rows of p, in that order, and the budget that is left for working
// rows. Only the first samples may have coefficients, or those of them that the choice selects.
func RowsOf(method string, p *learn.Problem, rows []int, first int, choice Choice) (Rows, *learn.Budget, error) {
	if choice.Limits(first) {
		return CandidateMatrix(method, p, rows, first, choice)
	}
	k, b, err := Matrix(method, p, rows)
	return stored{full{k, first}, k}, b, err
}

// ChosenBytes returns [CandidateBytes] if s limits the n samples, otherwise [Bytes].
func ChosenBytes(n, d int, s learn.Subset) int64 {
	if c := (Choice{Subset: s}); c.Limits(n) {
		return CandidateBytes(n, d, c)
	}
	return Bytes(n, d)
}

// CandidateBytes is [Bytes] with c's choice of candidates. The budget pays for all working rows.
func CandidateBytes(n, d int, c Choice) int64 {
	const vectors = 80 * 8 // bytes a sample
	return gram.Bytes[float64](n, d) + 8*int64(n)*int64(d) + vectors*int64(n) +
		blocked.MinRows*blocked.RowBytes[float64](n) + c.bytes(d)
}

// CandidateMatrix is [RowsOf] for a choice that limits the first samples.
func CandidateMatrix(method string, p *learn.Problem, rows []int, first int, choice Choice) (*Candidates,
	*learn.Budget, error) {
	n := len(rows)
	b := p.Budget(method, p.N, p.D)
	if err := b.Take(CandidateBytes(n, p.D, choice)); err != nil {
		return nil, nil, err
	}
	cache := b.Left() / 2
	if err := b.Take(cache); err != nil {
		return nil, nil, err
	}
	x := p.Samples(rows)
	pts := gram.Pack[float64](p.Kernel, x, n, p.D)
	c := &Candidates{Matrix: blocked.New(pts, cache, p.Threads), pts: pts, all: x, threads: parallel.Workers(p.Threads)}
	c.columns = choice.Of(pts, first)
	for _, i := range c.columns {
		c.x = append(c.x, x[i*p.D:(i+1)*p.D]...)
	}
	return c, b, nil
}

// Limited implements [Rows].
func (c *Candidates) Limited() bool { return true }

// Columns implements [Rows]: the candidates, ascending.
func (c *Candidates) Columns() []int { return c.columns }

// KernelEvals implements [Rows].
func (c *Candidates) KernelEvals() int64 { return c.evals + c.Stats().KernelEvals }

// workingRows implements [Rows]. The budget pays for all of them.
func (c *Candidates) workingRows() int { return 0 }

// AddColumns implements [Rows]. If ctx ends, g is unchanged.
func (c *Candidates) AddColumns(ctx context.Context, g []float64, idx []int, coef []float64) error {
	k := len(c.columns)
	parts := (len(idx) + pricedAtOnce - 1) / pricedAtOnce
	run := 64 * c.threads // parts with separate sums; their total does not depend on the number of threads
	total := make([]float64, k)
	for from := 0; from < parts; from += run {
		sums := make([][]float64, min(run, parts-from))
		parallel.For(c.threads, len(sums), func(_, t int) {
			if ctx.Err() != nil {
				return
			}
			lo := (from + t) * pricedAtOnce
			hi := min(lo+pricedAtOnce, len(idx))
			sums[t] = make([]float64, k)
			c.pts.Subset(idx[lo:hi]).Expand(coef[lo:hi]).Eval(sums[t], c.x, k)
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, sum := range sums {
			dense.Axpy(1, sum, total)
		}
	}
	c.evals += int64(k) * int64(len(idx))
	for t, j := range c.columns {
		g[j] += total[t]
	}
	return nil
}

// Block implements [Rows] for candidates.
func (c *Candidates) Block(ctx context.Context, candidates, idx []int) ([][]float64, error) {
	m, d := len(idx), c.pts.Dim()
	s := c.pts.Subset(idx)
	rows := make([][]float64, len(candidates))
	parallel.For(c.threads, len(rows), func(_, r int) {
		if ctx.Err() != nil {
			return
		}
		at, _ := slices.BinarySearch(c.columns, candidates[r])
		rows[r] = make([]float64, m)
		s.Cross(rows[r], m, c.x[at*d:(at+1)*d], 1)
	})
	c.evals += int64(m) * int64(len(rows))
	return rows, ctx.Err()
}

// outputs implements [Rows]. Values that stay in the processor's cache are evaluated faster than whole rows.
func (c *Candidates) outputs(ctx context.Context, e *expansion) error {
	var idx []int
	var coef []float64
	for _, i := range c.columns {
		if a := e.a[i]; a != 0 {
			idx = append(idx, i)
			coef = append(coef, a)
		}
	}
	sum, d := c.pts.Subset(idx).Expand(coef), c.pts.Dim()
	parallel.For(c.threads, (len(e.f)+pricedAtOnce-1)/pricedAtOnce, func(_, k int) {
		if ctx.Err() != nil {
			return
		}
		lo, hi := k*pricedAtOnce, min((k+1)*pricedAtOnce, len(e.f))
		sum.Eval(e.f[lo:hi], c.all[lo*d:hi*d], hi-lo)
		for j := lo; j < hi; j++ {
			e.f[j] += e.bias
		}
	})
	c.evals += int64(len(e.f)) * int64(len(idx))
	return ctx.Err()
}

// among implements [Rows]: all candidates are among the samples.
func (c *Candidates) among(idx []int) ([]int, Kernel) {
	idx = append(idx, c.columns...)
	slices.Sort(idx)
	idx = slices.Compact(idx)
	pts := c.pts.Subset(idx)
	p := &Candidates{Matrix: blocked.New(pts, 0, c.threads), pts: pts, x: c.x, threads: c.threads}
	for _, j := range c.columns {
		at, _ := slices.BinarySearch(idx, j)
		p.columns = append(p.columns, at)
	}
	d := pts.Dim()
	p.all = make([]float64, 0, len(idx)*d)
	for _, i := range idx {
		p.all = append(p.all, c.all[i*d:(i+1)*d]...)
	}
	return idx, p
}
