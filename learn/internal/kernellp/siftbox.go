package kernellp

import (
	"iter"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/simplex"
)

// box holds columns of the program: the bias row and the kernel values of the working rows, for some samples.
type box struct {
	samples []int
	rows    [][]float64
	part    [][]float64 // scratch of MulAdd
	threads int
}

var _ simplex.Multiplier = (*box)(nil)

// part holds columns that joined the program together: those of margins, or the limits of coefficients.
type part struct {
	simplex.Columns                 // the one of the following that is not nil
	margins         *box            // nil for limits
	limits          *simplex.Sparse // nil for margins
}

// boxes yields the parts of margins.
func (s *sift) boxes() iter.Seq[*box] {
	return func(yield func(*box) bool) {
		for _, p := range s.parts {
			if p.margins != nil && !yield(p.margins) {
				return
			}
		}
	}
}

// Dims implements simplex.Columns.
func (b *box) Dims() (m, n int) { return len(b.rows), len(b.samples) }

// Column implements simplex.Columns.
func (b *box) Column(dst []float64, j int) {
	for r, row := range b.rows {
		dst[r] = row[j]
	}
}

// Price implements simplex.Columns.
func (b *box) Price(dst []float64, rows []int32, y []float64) {
	n := len(b.samples)
	if len(rows)*n < apieceWork {
		b.priceColumns(dst, rows, y, 0, n)
		return
	}
	parallel.Chunks(b.threads, n, apieceColumns, func(_, lo, hi int) { b.priceColumns(dst, rows, y, lo, hi) })
}

// Goroutines share a pass over apieceWork numbers or more, in parts of so many columns or rows.
const apieceWork, apieceColumns, apieceRows = 1 << 16, 512, 64

// priceColumns computes columns lo to hi of yᵀA.
func (b *box) priceColumns(dst []float64, rows []int32, y []float64, lo, hi int) {
	clear(dst[lo:hi])
	sum := dense.NewGather()
	for t, r := range rows {
		sum.Add(y[t], b.rows[r][lo:hi])
	}
	sum.AddTo(dst[lo:hi])
}

// MulAdd implements simplex.Multiplier.
func (b *box) MulAdd(dst, x []float64) {
	m := len(b.rows)
	b.part = slices.Grow(b.part[:0], m)[:m]
	if m*len(x) < apieceWork {
		b.mulAdd(dst, x, 0, m)
		return
	}
	parallel.Chunks(b.threads, m, apieceRows, func(_, lo, hi int) { b.mulAdd(dst, x, lo, hi) })
}

// mulAdd is MulAdd of some rows. After bound flips most of x is 0, so it skips stretches of zeros.
func (b *box) mulAdd(dst, x []float64, from, to int) {
	const stretch = 64
	for lo := 0; lo < len(x); {
		if zeros(x[lo:min(lo+stretch, len(x))]) {
			lo += stretch
			continue
		}
		hi := min(lo+stretch, len(x))
		for hi < len(x) && !zeros(x[hi:min(hi+stretch, len(x))]) {
			hi = min(hi+stretch, len(x))
		}
		if lo == 0 && hi == len(x) {
			dense.AddMulGathered(dst[from:to], b.rows[from:to], x)
			return
		}
		for r := from; r < to; r++ {
			b.part[r] = b.rows[r][lo:hi]
		}
		dense.AddMulGathered(dst[from:to], b.part[from:to], x[lo:hi])
		lo = hi
	}
}

// zeros reports whether all of x are.
func zeros(x []float64) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}
