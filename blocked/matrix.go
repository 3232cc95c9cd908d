// Package blocked evaluates the kernel matrix of a training on demand, within a budget of bytes. Rows are computed in
// batches that the workers share by columns. They stay cached until the budget is used up; then the least recently
// used rows go first. With two workers or more, one evaluates whole rows while the caller solves a subproblem with
// parts of them. Neither values nor [Stats] depend on the number of workers.
//
// A [Matrix] is one of package smo: a quadratic program over it evaluates the rows that it needs.
package blocked

import (
	"context"
	"unsafe"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// Stats counts the work of a [Matrix].
type Stats struct {
	RowsComputed int64 // rows evaluated, of n values each
	RowHits      int64 // rows found in the cache
	KernelEvals  int64 // kernel values evaluated
}

// Matrix is the n×n kernel matrix of a set of samples. Its methods are not safe for concurrent use.
type Matrix[T gram.Float] struct {
	pts     *gram.Samples[T]
	n       int
	workers int
	max     int  // rows that AddRows evaluates between two checks of its context
	passing bool // AddRows caches no rows
	cache   cache[T]
	stats   Stats
	missing []int // rows that a fetch must evaluate
	dst     [][]T // their destinations
	ready   int   // rows of the fetch that were evaluated ahead
	sel     selection[T]
	ahead   ahead[T]
}

// Rows of samples with fewer than cheapDim features are evaluated faster than they are fetched from main memory. So
// only as many of them are cached as fit in the second- and third-level caches. Values that are read from a table are
// so cheap that AddRows, which requests most rows, caches none.
const (
	cheapDim   = 8
	cheapBytes = 8 << 20
	cheapRows  = 8 * MinRows // cached in any case
)

// slowValues is the number of values between two checks of a context by AddRows, for a kernel that is evaluated pair
// by pair. At a microsecond each they take a few hundredths of a second.
const slowValues = 1 << 15

// firstBytes is what rows take at most as long as none comes back that had to go. Many solvers ask for most rows once.
const firstBytes = 1 << 30

// New returns the matrix of pts. Rows take at most budget bytes, but at least the size of [MinRows] rows. They take no
// more than 1 GiB unless many rows are asked for again. workers ≤ 0 means GOMAXPROCS.
func New[T gram.Float](pts *gram.Samples[T], budget int64, workers int) *Matrix[T] {
	n := pts.Len()
	rows, passing := int64(n), false
	if n > 0 {
		rows = min(rows, budget/Bytes[T](1, n, 0, 0))
		cheap := pts.Cost() < cheapDim && pts.Kernel().Vectorised()
		if largest := max(cheapBytes/Bytes[T](1, n, 0, 0), cheapRows); cheap && largest < rows {
			rows, passing = largest, pts.ByTable()
		}
	}
	highest := batch
	if !pts.Kernel().Vectorised() {
		highest = max(1, min(batch, slowValues/max(1, n)))
	}
	first := min(rows, firstBytes/Bytes[T](1, max(1, n), 0, 0))
	return &Matrix[T]{pts: pts, n: n, workers: parallel.Workers(workers), max: highest, passing: passing,
		cache: newCache[T](n, int(max(first, MinRows)), int(max(rows, MinRows)))}
}

// MinRows is the least number of rows that a matrix has memory for.
const MinRows = batch

// Bytes returns what a matrix of order n takes for so many rows, and for a selection of q samples of dimension d.
func Bytes[T gram.Float](rows, n, q, d int) int64 {
	bytes := (int64(rows)*int64(n) + int64(q)*int64(q)) * int64(unsafe.Sizeof(T(0)))
	if q > 0 {
		bytes += gram.Bytes[T](q, d)
	}
	return bytes
}

// Len returns the order n.
func (m *Matrix[T]) Len() int { return m.n }

// Stats returns the counts of the work so far.
func (m *Matrix[T]) Stats() Stats { return m.stats }

// Diag writes the diagonal.
func (m *Matrix[T]) Diag(dst []float64) {
	d := make([]T, m.n)
	m.pts.Diag(d)
	for i, v := range d {
		dst[i] = float64(v)
	}
}

// Rows returns the rows idx, at most [MinRows] of them. The matrix owns them; they are valid until the next call of
// Rows or AddRows.
func (m *Matrix[T]) Rows(idx []int) [][]T {
	if len(idx) > MinRows {
		panic("blocked: more rows at a time than the matrix holds")
	}
	m.settle()
	defer m.ahead.forget()
	m.fetch(idx)
	return m.cache.rows(idx)
}

// Release gives the memory of the rows to matrices of later trainings. Slices that the matrix has returned become
// invalid. The matrix remains usable, with an empty cache and the same statistics.
func (m *Matrix[T]) Release() {
	m.ahead.halt()
	m.ahead = ahead[T]{}
	m.cache.release()
}

// AddRows does g += Σ_r coef[r]·K[idx[r], :]. It checks ctx every few milliseconds and returns its error at once; g
// is then partly updated. If the first call asks for more rows than there is room for, it caches none: a start needs
// most of its rows once.
func (m *Matrix[T]) AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error {
	m.settle()
	defer m.ahead.forget()
	if m.stats.RowsComputed == 0 && len(idx) > m.cache.limit {
		defer func(passing bool) { m.passing = passing }(m.passing)
		m.passing = true
	}
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

// span returns how many of idx to take at a time: as many as fit in the cache together and contain a full batch of
// missing rows. Evaluating fewer rows costs nearly as much as a batch.
func (m *Matrix[T]) span(idx []int) int {
	missing := 0
	for n, i := range idx {
		if n == m.cache.limit || missing == m.max {
			return n
		}
		if m.cache.places[i] < 0 {
			missing++
		}
	}
	return len(idx)
}
