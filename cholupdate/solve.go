package cholupdate

import (
	"context"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// Solve overwrites b, of length Len, with A⁻¹b. It only reads the factor.
func (f *Factor) Solve(b []float64) {
	f.Forward(b)
	f.Backward(b)
}

// Solve overwrites b, of length n, with (L·Lᵀ)⁻¹b for the factor L that [Cholesky] has left in the lower triangle
// of a. It is [Factor.Solve] on memory of the caller's.
func Solve(a []float64, n, ld int, b []float64) {
	checkSquare(a, n, ld)
	f := Factor{n: n, ld: ld, l: a}
	f.Solve(b)
}

// Forward overwrites b, of length Len, with L⁻¹b.
func (f *Factor) Forward(b []float64) {
	checkLen("right side", b, f.n)
	f.forward(b)
}

// Backward overwrites b, of length Len, with L⁻ᵀb.
func (f *Factor) Backward(b []float64) {
	checkLen("right side", b, f.n)
	for i := f.n - 1; i >= 0; i-- {
		r := f.Row(i)
		b[i] /= r[i]
		dense.Axpy(-b[i], r[:i], b[:i])
	}
}

// mulVec overwrites b with A·b = L(Lᵀb).
func (f *Factor) mulVec(b []float64) {
	for i := range b { // Lᵀb: rows below i have not been used yet
		r := f.Row(i)
		v := b[i]
		b[i] = 0
		dense.Axpy(v, r, b[:i+1])
	}
	for i := f.n - 1; i >= 0; i-- {
		r := f.Row(i)
		b[i] = dense.Dot(r, b[:i+1])
	}
}

// SolveMat overwrites the row-major Len×cols matrix b, rows ld elements apart,
// with A⁻¹b, on up to threads goroutines. The error is the context's, and b is then unspecified.
func (f *Factor) SolveMat(ctx context.Context, b []float64, cols, ld, threads int) error {
	if err := f.ForwardMat(ctx, b, cols, ld, threads); err != nil {
		return err
	}
	return dense.SolveUpper(ctx, threads, f.mat().T(), dense.Of(b, f.n, cols, ld))
}

// ForwardMat is SolveMat with L⁻¹b.
func (f *Factor) ForwardMat(ctx context.Context, b []float64, cols, ld, threads int) error {
	return dense.SolveLower(ctx, threads, f.mat(), dense.Of(b, f.n, cols, ld))
}

func (f *Factor) mat() dense.Mat { return dense.Of(f.l, f.n, f.n, f.ld) }
