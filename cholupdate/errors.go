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
