// Package simplex solves linear programs with bounded variables and ranged rows,
//
//	min cᵀx + offset   s.t.   rowLo ≤ Ax ≤ rowUp,   lo ≤ x ≤ up,
//
// by the revised primal and dual simplex methods. Any bound may be infinite. Every answer carries a certificate, which
// [Check] verifies independently.
//
// [Solve] is one solve of an [LP]. A [Solver] starts warm from its last basis after costs, bounds, entries, columns or
// rows have changed. A [Pool] solves many changes of one program on several goroutines, each from the same basis, so
// that a result depends on its program alone.
//
// [Solver.Parametric] follows the optima while costs or bounds change, [Solver.Ranging] says how far each can move
// until another basis is optimal, and [IIS] which bounds of an infeasible program contradict one another. [Prove]
// proves a result in exact arithmetic (package simplex/prove). Package simplex/lpfile has names, and reads and writes
// MPS and LP files. How a solve works stands at the head of solver.go.
//
// # Errors
//
// A mistake in a program, a change of it or a basis is an [ErrInvalid] that names it. A certificate that does not hold
// is an [ErrCertificate]. Limits and infeasibility are no errors but statuses of the result.
//
// # Shapes and limits
//
// Matrices are [Dense], [Sparse], implicit ([Columns]), or a row of such [Blocks]. The package suits programs whose
// dense basic block stays below a few thousand columns, and sparse programs of ten thousand rows. A program of at most
// 64 rows and 16384 entries, in dense and sparse parts, is small: [Solver.SolveInto] then allocates nothing from the
// third solve on. A Solver must not be used by two goroutines at once.
package simplex
