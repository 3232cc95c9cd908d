// Package dense holds the loops over dense float64 data in which the solvers spend most of their time. Each SIMD
// level has hand-written kernels: for vectors ([Dot], [Axpy]); for rows ([AddRows], [MulVec] and others, on a matrix
// whose rows are ld elements apart or on a list of rows); and for matrix products and triangular solves ([Mul],
// [SolveLower] and others, on strided views).
//
// Row functions read the rows in place, a few at a time, against a block of columns that stays in the first-level
// cache. Matrix products follow BLIS (Van Zee and van de Geijn, ACM TOMS 41(3), 2015). They copy both operands into
// panels, whose lanes a micro-kernel reads in order. So transposed and reversed operands only change a stride of the
// copy. The block of the right operand stays in the second-level cache, one panel of the left operand in the
// first-level cache.
//
// Functions panic if lengths do not fit. Outputs must not overlap inputs.
//
// # Determinism
//
// Each element of a result comes from the same operations in the same order. This does not depend on the number of
// threads, on the element's place in a tile, or on the other rows of the call.
//
// Sums of rows ([AddRows], [AddGathered]) are fused multiply-adds in the order of the rows. They give the same bits
// at every level. Sums along a row ([Dot], [MulVec]) have more partial sums with wider vectors, and differ between
// levels by rounding. [Axpy] and matrix products give the same bits at all levels except the portable one. That level
// rounds after each multiplication on every architecture, and differs by the usual bound k·2⁻⁵³·|A||B|.
//
// # Cancellation
//
// Functions with a context check it between blocks of a few milliseconds and return its error. The output is then
// unspecified.
package dense
