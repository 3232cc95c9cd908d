package smo

import "context"

// Matrix is the symmetric matrix of a [Pair] or a [Box], evaluated on demand. The
// solvers ask for small dense blocks, and for whole rows only of variables that have
// moved. [Dense] and [Factor] are matrices in memory.
type Matrix interface {
	// Len is the order n.
	Len() int
	// Diag writes the n diagonal elements.
	Diag(dst []float64)
	// Select names the working set of the calls of SubRow that follow.
	Select(idx []int)
	// SubRow writes dst[c] = K[idx[r], idx[c]] for the selected idx.
	SubRow(dst []float64, r int)
	// AddRows does g += Σ_r coef[r]·K[idx[r], :]. When it returns an error (that of
	// ctx), g is partly updated.
	AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error
}

// Single is a [Matrix] of values in single precision. A [Pair] keeps the rows of its working sets as
// they are, which halves the memory that its steps read.
type Single interface {
	Matrix
	// SubRow32 is SubRow without a conversion.
	SubRow32(dst []float32, r int)
}
