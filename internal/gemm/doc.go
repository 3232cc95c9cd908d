// Package gemm holds the matrix products and triangular solves that the
// factorisations of the module are made of: float64, on strided views, built
// from packed panels and one hand-written micro-kernel a SIMD level.
//
// The plan is that of BLIS (Van Zee and van de Geijn, ACM TOMS 41(3), 2015):
// both operands are copied into panels whose lanes a micro-kernel reads in
// order, so that transposed and reversed operands cost nothing but a different
// stride in the copy. The block of the right operand stays in the level-2 cache,
// one panel of the left operand in level 1.
//
// # Determinism
//
// Every element of a result is computed by the same operations in the same order
// whatever the number of threads and wherever it lies in a tile. AVX2 and AVX-512
// give the same bits; the portable level rounds after each multiplication, and
// differs by the usual bound k·2⁻⁵³·|A||B|.
//
// # Cancellation
//
// Functions look at their context between blocks of a few milliseconds and
// return its error; the output is then unspecified.
package gemm
