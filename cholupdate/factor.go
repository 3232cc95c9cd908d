package cholupdate

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// Factor is the Cholesky factor L of a symmetric positive definite matrix A = L·Lᵀ. The zero value is the factor of
// the empty matrix, ready for Append. Its methods are not safe for concurrent use, except those that only read.
type Factor struct {
	n, ld int
	l     []float64 // row-major lower triangle; what lies above the diagonal is unspecified
	w     []float64 // scratch of Append, Update, Downdate and Delete
}

// Factorize replaces the receiver by the factor of A, whose lower triangle of order n is in a with rows ld elements
// apart. a is only read. It runs on up to threads goroutines (at least one).
//
// The factor's backward error is that of LAPACK's dpotrf, ‖A−LLᵀ‖ ≤ c·n·2⁻⁵³·‖A‖.
// The error is a *PivotError or the context's; the receiver is then unchanged.
func (f *Factor) Factorize(ctx context.Context, a []float64, n, ld, threads int) error {
	checkSquare(a, n, ld)
	l := make([]float64, n*n)
	for i := range n {
		copy(l[i*n:i*n+i+1], a[i*ld:])
	}
	if err := factorize(ctx, threads, dense.Of(l, n, n, n)); err != nil {
		return err
	}
	f.n, f.ld, f.l = n, n, l
	return nil
}

// Len returns the order of A.
func (f *Factor) Len() int { return f.n }

// Row returns row i of L, of length i+1. It is the factor's own memory: valid
// until the next method that changes the factor, and not to be written.
func (f *Factor) Row(i int) []float64 { return f.l[i*f.ld : i*f.ld+i+1 : i*f.ld+i+1] }

// LogDet returns ln det A.
func (f *Factor) LogDet() float64 {
	var s float64
	for i := range f.n {
		s += math.Log(f.l[i*f.ld+i])
	}
	return 2 * s
}

// Clone returns a copy that shares nothing with f.
func (f *Factor) Clone() *Factor {
	return &Factor{n: f.n, ld: f.ld, l: slices.Clone(f.l)}
}

// Reserve makes room for order n, so that appends up to it do not allocate.
func (f *Factor) Reserve(n int) {
	f.w = slices.Grow(f.w[:0], n)
	if n <= f.ld {
		return
	}
	l := make([]float64, n*n)
	for i := range f.n {
		copy(l[i*n:], f.Row(i))
	}
	f.l, f.ld = l, n
}

// Try returns the pivot that Append would take the square root of: the Schur complement diag − rowᵀA⁻¹row, where row
// holds the Len new off-diagonal elements. The receiver does not change. It costs n² operations.
func (f *Factor) Try(row []float64, diag float64) float64 {
	checkLen("row", row, f.n)
	w := append(f.w[:0], row...)
	f.w = w
	return diag - f.forward(w)
}

// Append adds a row and a column to A: the off-diagonal elements row, of length Len, and the diagonal element diag.
// The pivot (see Try) must be greater than threshold, which must not be negative; otherwise the error is a
// *PivotError and the receiver is unchanged. It costs n² operations, and now and then a copy to grow.
func (f *Factor) Append(row []float64, diag, threshold float64) (pivot float64, err error) {
	if !(threshold >= 0) {
		panic("cholupdate: negative threshold")
	}
	pivot = f.Try(row, diag)
	if !(pivot > threshold) || math.IsInf(pivot, 1) {
		return pivot, &PivotError{Index: f.n, Pivot: pivot, Threshold: threshold}
	}
	w := f.w
	if f.n == f.ld {
		f.Reserve(max(8, 2*f.n))
	}
	pos := f.n * f.ld
	copy(f.l[pos:], w[:f.n])
	f.l[pos+f.n] = math.Sqrt(pivot)
	f.n++
	return pivot, nil
}

// forward overwrites b with L⁻¹b and returns its squared norm.
func (f *Factor) forward(b []float64) (norm2 float64) {
	dense.Forward(f.l, f.ld, b)
	for _, v := range b {
		norm2 += v * v
	}
	return norm2
}

// Solve overwrites b, of length Len, with A⁻¹b. It only reads the factor.
func (f *Factor) Solve(b []float64) {
	checkLen("right side", b, f.n)
	dense.Forward(f.l, f.ld, b)
	dense.Backward(f.l, f.ld, b)
}

// Solve overwrites b, of length n, with (L·Lᵀ)⁻¹b for the factor L that [Cholesky] has left in the lower triangle
// of a. It is [Factor.Solve] on memory of the caller's.
func Solve(a []float64, n, ld int, b []float64) {
	checkSquare(a, n, ld)
	f := Factor{n: n, ld: ld, l: a}
	f.Solve(b)
}
