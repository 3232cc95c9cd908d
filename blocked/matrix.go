// Package blocked is the kernel matrix of a training, evaluated on demand within a
// byte budget: rows are computed in batches, split over workers by columns, and kept
// until the budget is used up; then the least recently used go first. Values do not
// depend on the number of workers, nor on what is cached.
package blocked

import (
	"context"
	"runtime"

	"github.com/sparsekm/sparsekm/gram"
)

// Stats counts what a [Matrix] did.
type Stats struct {
	RowsComputed int64 // rows evaluated, of n values each
	RowHits      int64 // rows found in the cache
	KernelEvals  int64 // values evaluated in all
}

// Matrix is the n×n kernel matrix of a set of samples. Its methods are not safe for
// concurrent use.
type Matrix[T gram.Float] struct {
	pts     *gram.Samples[T]
	n       int
	workers int
	most    int  // rows that AddRows evaluates between two looks at its context
	passing bool // AddRows keeps no rows
	cache   cache[T]
	stats   Stats
	missing []int // rows that a fetch has to evaluate
	dst     [][]T // and where they go
	sel     selection[T]
}

// Rows of samples with fewer than cheapDim features are evaluated faster than they are
// fetched from main memory, so only as many are kept as the second- and third-level caches hold. Values that are
// read from a table cost so little that AddRows, which asks for most, keeps none.
const (
	cheapDim   = 8
	cheapBytes = 8 << 20
	cheapRows  = 8 * MinRows // kept in any case
)

// slowValues is the number of values of a kernel that is evaluated pair by pair which take a
// few hundredths of a second at a microsecond each: AddRows looks at its context as often.
const slowValues = 1 << 15

// New makes the matrix of pts. Rows take at most budget bytes, but room for
// [MinRows] rows is always taken. workers ≤ 0 means GOMAXPROCS.
func New[T gram.Float](pts *gram.Samples[T], budget int64, workers int) *Matrix[T] {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	n := pts.Len()
	rows, passing := int64(n), false
	if n > 0 {
		rows = min(rows, budget/RowBytes[T](n))
		cheap := pts.Cost() < cheapDim && pts.Kernel().Vectorised()
		if most := max(cheapBytes/RowBytes[T](n), cheapRows); cheap && most < rows {
			rows, passing = most, pts.ByTable()
		}
	}
	most := batch
	if !pts.Kernel().Vectorised() {
		most = max(1, min(batch, slowValues/max(1, n)))
	}
	return &Matrix[T]{pts: pts, n: n, workers: workers, most: most, passing: passing,
		cache: newCache[T](n, int(max(rows, MinRows)))}
}

// MinRows is the number of rows that a matrix needs room for.
const MinRows = batch

// RowBytes is the size of a row of n values.
func RowBytes[T gram.Float](n int) int64 { var v [1]T; return int64(n) * int64(sizeof(v[0])) }

// SelectionBytes is what serving a selection of q samples of dimension d takes in addition to rows.
func SelectionBytes[T gram.Float](q, d int) int64 {
	return gram.Bytes[T](q, d) + int64(q)*RowBytes[T](q)
}

func sizeof[T gram.Float](v T) int {
	if _, ok := any(v).(float32); ok {
		return 4
	}
	return 8
}

// Len returns the order n.
func (m *Matrix[T]) Len() int { return m.n }

// Stats returns the work done so far.
func (m *Matrix[T]) Stats() Stats { return m.stats }

// Diag writes the diagonal.
func (m *Matrix[T]) Diag(dst []float64) {
	d := make([]T, m.n)
	m.pts.Diag(d)
	for i, v := range d {
		dst[i] = float64(v)
	}
}

// Rows returns the rows idx, at most [MinRows] of them. They belong to the matrix and
// stay valid until the next call of Rows or AddRows.
func (m *Matrix[T]) Rows(idx []int) [][]T {
	if len(idx) > MinRows {
		panic("blocked: more rows at a time than the matrix holds")
	}
	m.fetch(idx)
	return m.cache.rows(idx)
}

// Release gives the memory of rows to matrices of later trainings. Nothing that the matrix has returned may be read
// from then on; the matrix itself is as new, but for its statistics.
func (m *Matrix[T]) Release() { m.cache.release() }

// AddRows does g += Σ_r coef[r]·K[idx[r], :]. It looks at ctx every few milliseconds
// of work and returns its error at once; g is partly updated then.
func (m *Matrix[T]) AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error {
	for len(idx) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := m.span(idx)
		m.fetchAdd(g, idx[:n], coef[:n])
		idx, coef = idx[n:], coef[n:]
	}
	return nil
}

// span returns how many of idx to take at a time: as many as fit the cache together and
// have a full batch of rows to evaluate, since evaluating a few costs nearly as much.
func (m *Matrix[T]) span(idx []int) int {
	missing := 0
	for n, i := range idx {
		if n == m.cache.limit || missing == m.most {
			return n
		}
		if m.cache.of[i] < 0 {
			missing++
		}
	}
	return len(idx)
}
