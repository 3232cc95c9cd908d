// Package gram evaluates kernels on packed points: rows, tiles and whole Gram
// matrices, float64 or float32, at the SIMD level that package cpu chose.
//
// [Pack] copies points into panels; everything else reads panels. A [Points] is
// immutable and safe for concurrent use. No function here starts goroutines.
package gram

import "fmt"

// Float is the element type of packed points and of the kernel values they give.
type Float interface{ float32 | float64 }

// Points is a set of n points of dimension d, packed for one kernel.
type Points[T Float] struct {
	kernel Kernel
	n, d   int
	raw    []float64 // n×d, row-major
}

// Pack copies n points of dimension d (x is n×d, row-major) for evaluation with k.
// It panics if len(x) < n·d or if k is not valid for d (see [Kernel.Validate]).
func Pack[T Float](k Kernel, x []float64, n, d int) *Points[T] {
	if n < 0 || d < 0 || len(x) < n*d {
		panic(fmt.Sprintf("gram: %d values for %d points of dimension %d", len(x), n, d))
	}
	if err := k.Validate(d); err != nil {
		panic(err.Error())
	}
	return &Points[T]{kernel: k, n: n, d: d, raw: append([]float64(nil), x[:n*d]...)}
}

// Bytes is what Pack allocates for n points of dimension d, in bytes.
func Bytes[T Float](n, d int) int64 { var t T; return int64(n) * int64(d) * sizeof(t) }

func sizeof[T Float](T) int64 {
	if _, ok := any(T(0)).(float32); ok {
		return 4
	}
	return 8
}

// Len returns the number of points.
func (p *Points[T]) Len() int { return p.n }

// Dim returns the number of features.
func (p *Points[T]) Dim() int { return p.d }

// Kernel returns the kernel that the points were packed for.
func (p *Points[T]) Kernel() Kernel { return p.kernel }

func (p *Points[T]) at(i int) []float64 { return p.raw[i*p.d : (i+1)*p.d] }

// Row writes k(x_i, x_j) for every j: dst has at least Len elements.
func (p *Points[T]) Row(dst []T, i int) { p.Tile(dst, p.n, []int{i}, 0, p.n) }

// Rows writes the rows idx, dst[r][j] = k(x_idx[r], x_j), in as few passes over
// the points as the machine allows. Each dst[r] has at least Len elements.
func (p *Points[T]) Rows(dst [][]T, idx []int) {
	for r, i := range idx {
		p.Row(dst[r], i)
	}
}

// Tile writes dst[r*ld+(j−lo)] = k(x_idx[r], x_j) for lo ≤ j < hi.
func (p *Points[T]) Tile(dst []T, ld int, idx []int, lo, hi int) {
	for r, i := range idx {
		xi := p.at(i)
		for j := lo; j < hi; j++ {
			dst[r*ld+j-lo] = T(p.kernel.Eval(xi, p.at(j)))
		}
	}
}

// Full writes the whole symmetric matrix, dst[i*ld+j] = k(x_i, x_j), computing each pair once.
func (p *Points[T]) Full(dst []T, ld int) {
	for i := 0; i < p.n; i++ {
		p.Row(dst[i*ld:], i)
	}
}

// Diag writes k(x_i, x_i).
func (p *Points[T]) Diag(dst []T) {
	for i := 0; i < p.n; i++ {
		dst[i] = T(p.kernel.Eval(p.at(i), p.at(i)))
	}
}

// Cross writes dst[q*ld+j] = k(x_q, x_j) for m points of the caller's (x is m×d,
// row-major) against every packed point.
// A row's values do not depend on m: a single query gives the same bits as a batch.
func (p *Points[T]) Cross(dst []T, ld int, x []float64, m int) {
	for q := 0; q < m; q++ {
		xq := x[q*p.d : (q+1)*p.d]
		for j := 0; j < p.n; j++ {
			dst[q*ld+j] = T(p.kernel.Eval(xq, p.at(j)))
		}
	}
}

// Subset packs the points idx, in that order, for the same kernel.
func (p *Points[T]) Subset(idx []int) *Points[T] {
	x := make([]float64, 0, len(idx)*p.d)
	for _, i := range idx {
		x = append(x, p.at(i)...)
	}
	return Pack[T](p.kernel, x, len(idx), p.d)
}
