// Package cholupdate keeps the Cholesky factor, or the inverse, of a symmetric
// positive definite matrix up to date while rows are appended and removed.
//
// [Factor] holds A = L·Lᵀ: blocked factorisation, append, try, delete, rank-one
// update and downdate, solve. [Pivoted] factors a semidefinite matrix with
// diagonal pivoting. [Inverse] holds (A+λI)⁻¹ and removes one index or a block.
//
// Matrices are plain slices, row-major, with the rows ld elements apart; of a
// symmetric matrix only the lower triangle is read. The package knows nothing of
// kernels or labels and can be used alone.
//
// # Failure
//
// Wrong shapes are mistakes of the program and panic. A pivot that is not
// positive is a property of the data: it comes back as a [*PivotError], and the
// receiver is unchanged. A cancelled context comes back as its error, with the
// receiver unchanged too.
//
// # Determinism
//
// Results do not depend on the number of threads.
package cholupdate
