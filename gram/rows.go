package gram

import "fmt"

// Row writes k(x_i, x_j) for every j. It panics if dst is shorter than Len or unless 0 ≤ i < Len.
func (p *Samples[T]) Row(dst []T, i int) { p.Tile(dst, p.n, []int{i}, 0, p.n) }

// Rows writes the rows idx, dst[r][j] = k(x_idx[r], x_j), in as few passes over the samples as the host allows. It
// panics if dst has fewer rows than idx, if a row is shorter than Len, or if an index is out of range. Some rows may
// have been written then.
func (p *Samples[T]) Rows(dst [][]T, idx []int) {
	p.RowsRange(dst, idx, 0, p.n)
}

// RowsRange writes the part lo ≤ j < hi of the rows of Rows, dst[r][lo:hi], so that goroutines can share rows. It
// panics as Rows does, and unless 0 ≤ lo ≤ hi ≤ Len.
func (p *Samples[T]) RowsRange(dst [][]T, idx []int, lo, hi int) {
	p.evaluate(idx, lo, hi, &target[T]{rows: dst})
}

// Tile writes dst[r*ld+(j−lo)] = k(x_idx[r], x_j) for lo ≤ j < hi. It panics if dst is too short, if an index is out
// of range, and unless 0 ≤ lo ≤ hi ≤ Len. Some values may have been written then. With ld < hi−lo, rows overlap.
func (p *Samples[T]) Tile(dst []T, ld int, idx []int, lo, hi int) {
	p.evaluate(idx, lo, hi, &target[T]{flat: dst, ld: ld, lo: lo})
}

// Cross writes dst[q*ld+j] = k(x_q, x_j) for m of the caller's samples (x is m×d, row-major) and every packed sample.
// The values of a row do not depend on m: a single query gives the same bits as a batch. It panics if x is shorter
// than m·d or if dst is too short.
func (p *Samples[T]) Cross(dst []T, ld int, x []float64, m int) {
	s := getScratch[T]()
	defer putScratch(s)
	cross(p.layout, s, &target[T]{flat: dst, ld: ld}, x, m)
}

// evaluate writes the rows idx for lo ≤ j < hi.
func (p *Samples[T]) evaluate(idx []int, lo, hi int, to *target[T]) {
	if lo < 0 || lo > hi || hi > p.n {
		panic(fmt.Sprintf("gram: columns %d to %d of %d samples", lo, hi, p.n))
	}
	p.check(idx)
	rows(p.layout, idx, lo, hi, to)
}

// target is the destination of rows: separate slices, or one slice whose column 0 is sample lo.
type target[T Float] struct {
	rows   [][]T
	flat   []T
	ld, lo int
}

// from returns the target of the rows from r on.
func (t *target[T]) from(r int) target[T] {
	if t.rows != nil {
		return target[T]{rows: t.rows[r:]}
	}
	return target[T]{flat: t.flat[r*t.ld:], ld: t.ld, lo: t.lo}
}

// row returns the place of row r for the samples from ≤ j < to.
func (t *target[T]) row(r, from, to int) []T {
	if t.rows != nil {
		return t.rows[r][from:to:len(t.rows[r])]
	}
	pos := r*t.ld + from - t.lo
	return t.flat[pos : pos+to-from : len(t.flat)]
}

// Diag writes k(x_i, x_i), with the same bits as the diagonal of the matrix. dst needs at least Len elements.
func (p *Samples[T]) Diag(dst []T) {
	dst = dst[:p.n:len(dst)]
	if !p.kernel.trait().distance {
		diag(p.layout, dst)
		return
	}
	for i := range dst {
		dst[i] = 1
	}
}
