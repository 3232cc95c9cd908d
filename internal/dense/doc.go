// Package dense holds the loops over dense float64 data that the solvers spend
// their time in, one hand-written kernel a SIMD level: vectors ([Dot], [Axpy]),
// rows ([AddRows], [MulVec] and their like, on a matrix whose rows are ld elements
// apart or on a list of rows), and the products and triangular solves of matrices
// ([Mul], [SolveLower] and their like, on strided views).
//
// Rows are looked at in place, a few at a time next to a block of columns that
// stays in the first-level cache. Matrix products follow BLIS (Van Zee and van de
// Geijn, ACM TOMS 41(3), 2015): both operands are copied into panels whose lanes a
// micro-kernel reads in order, so that transposed and reversed operands cost
// nothing but a different stride in the copy. The block of the right operand stays
// in the level-2 cache, one panel of the left operand in level 1.
//
// Lengths that do not fit panic. Outputs must not overlap inputs.
//
// # Determinism
//
// Every element of a result is computed by the same operations in the same order
// whatever the number of threads, wherever it lies in a tile, and whichever rows
// are computed with it.
//
// Sums of rows ([AddRows], [AddGathered]) are fused multiply-adds in the order of the
// rows, and so give the same bits at every level. Sums along a row ([Dot], [MulVec])
// have more partial sums the wider the vectors are, and differ between levels by
// rounding. [Axpy] and matrix products give the same bits at all levels but the
// portable one; that one rounds after each multiplication, on every architecture,
// and differs by the usual bound k·2⁻⁵³·|A||B|.
//
// # Cancellation
//
// Functions with a context look at it between blocks of a few milliseconds and
// return its error; the output is then unspecified.
package dense
