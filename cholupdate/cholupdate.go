// Package cholupdate keeps the Cholesky factor, or the inverse, of a symmetric
// positive definite matrix up to date while rows are appended and removed.
//
// [Factor] holds A = L·Lᵀ: blocked factorisation, append, try, delete, rank-one update and downdate, solve. [Pivoted]
// factors a semidefinite matrix with diagonal pivoting. [Inverse] holds (A+λI)⁻¹ and removes one index or a block.
//
// Matrices are plain slices, row-major, with the rows ld elements apart; of a symmetric matrix only the lower
// triangle is read. The package knows nothing of kernels or labels and can be used alone.
//
// # Failure
//
// Wrong shapes are mistakes of the program and panic. A pivot that is not positive is a property of the data: it
// comes back as a [*PivotError], and the receiver is unchanged. A cancelled context comes back as its error, with the
// receiver unchanged too.
//
// # Determinism
//
// Results do not depend on the number of threads.
package cholupdate

import "fmt"

// PivotError says which pivot made a factorisation impossible.
type PivotError struct {
	Index int     // row of the matrix, 0-based
	Pivot float64 // what should have been greater than Threshold
	// Threshold is the least pivot that was acceptable, exclusive; 0 unless the caller asked for more.
	Threshold float64
}

// Error implements error.
func (e *PivotError) Error() string {
	if e.Threshold > 0 {
		return fmt.Sprintf("cholupdate: pivot %d is %g, not above %g", e.Index, e.Pivot, e.Threshold)
	}
	return fmt.Sprintf("cholupdate: matrix is not positive definite: pivot %d is %g", e.Index, e.Pivot)
}

// checkSquare panics unless a holds a lower triangle of order n with rows ld apart.
func checkSquare(a []float64, n, ld int) {
	if n < 0 || ld < n || (n > 0 && len(a) < (n-1)*ld+n) {
		panic(fmt.Sprintf("cholupdate: %d values for order %d with rows %d apart", len(a), n, ld))
	}
}

func checkLen(what string, x []float64, n int) {
	if len(x) != n {
		panic(fmt.Sprintf("cholupdate: %s has %d values, want %d", what, len(x), n))
	}
}
