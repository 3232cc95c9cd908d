// Package simplex solves linear programs with bounded variables and ranged rows,
//
//	min cᵀx + offset   s.t.   rowLo ≤ Ax ≤ rowUp,   lo ≤ x ≤ up,
//
// by the revised primal and dual simplex methods. Any bound may be infinite. A solve starts warm
// from the last basis after costs, bounds or columns have changed. Every answer carries a certificate, which
// [Check] verifies independently.
//
// A program is an [LP]. A [Model] is an LP with names: built by a [Problem], or read by [ReadMPS] or [ReadLP], and
// solved by [Model.Solve]. [Solver.Ranging] says how far the costs and bounds of an optimum can move. [IIS] says which
// bounds of an infeasible program contradict one another. [Prove] proves a result in exact arithmetic.
//
// # How it works
//
// Row activities are variables of their own (logicals s, Ax − s = 0), so a basis
// has one variable per row. Most basic variables own a single row: logicals, and
// structural columns with one entry. They are never stored. The other basic
// columns S meet the rows R that no such variable covers. Their square block
// A[R,S] is held as an explicit dense inverse, and the cost of a pivot is proportional
// to |S| instead of the number of rows. In the linear programs of sparse kernel
// models |S| is the number of support vectors.
//
// The dual method uses steepest-edge pricing (Forrest and Goldfarb, 1992) and long steps
// that flip boxed variables (Maros, 2003, chapter 10; Koberstein,
// 2005). The primal method uses Devex pricing (Harris, 1973). Both use Harris's
// ratio test, perturb when they stall, and remove the perturbations afterwards. Costs whose reduced costs
// the dual ratio test lets pass 0 are shifted. An optimum is what the certificate proves to the
// tolerance; if it does not, smaller tolerances are tried. Phase 1 is the same for all starts:
// dual steps under shifted costs, then primal steps under the true ones.
//
// A program counts as sparse if all columns are [Sparse], there are 50 rows or more, and at most a fifth of the entries
// is nonzero. Then the whole basis is factored (internal package lu: Markowitz pivots, Forrest-Tomlin updates,
// hypersparse solves), the matrix is copied by rows, and lists of
// violations and attractive reduced costs follow the pivots. The cost of a pivot is proportional to the nonzeros that
// it meets. The dual steepest-edge weights of a warm start begin at 1.
//
// A program of at most 64 rows and 16384 entries, all in [Dense] and [Sparse] parts, is small. From its second solve on
// a tableau is kept: all of B⁻¹N, which a pivot changes in one sweep, with dual steepest edge and bound flips, or Devex
// in the primal method. [Solver.SolveInto] then allocates nothing. What the tableau cannot prove to a thousandth of the
// tolerance is left to the other methods, which start from its basis; so are programs with Options.Unit or MaxIter, and
// those that have gained rows or columns. A [Pool] solves many changes of one program on several goroutines, each from
// the same basis, so that a result depends on its program alone.
//
// [Solver.Presolve] begins a first solve with a smaller program (internal package presolve). Its optimal basis
// becomes one of the given program, from which the solver proves its result by its own arithmetic.
//
// A Solver conducts parts with one role each: small (the tableau), program (scaled bounds and costs),
// basis, values, reducedCosts, updateRow (the pivot row), dualWeights and dualRatio,
// primalWeights and primalRatio, perturbation; violations and attractive in sparse programs. A basis has
// members and one representation of B: blockBasis, with the inverse of its dense block, or factored.
//
// [Solver.Parametric] follows the optima of the costs c + t·direction, by primal steps from breakpoint to
// breakpoint; [Solver.ParametricBounds] those of changing bounds, by dual steps. [Solver.Steady] returns the
// interval on which one basis is optimal while both change.
//
// [Prove] solves with the block of basic columns and tight rows exactly (internal package rational), and checks bounds
// and reduced costs by float64 numbers where those are certain, by fractions where not.
//
// # Errors
//
// A mistake in a program, a change of it or a basis is an [ErrInvalid] that
// names it. A certificate that does not hold is an [ErrCertificate]. A bad line of
// an MPS file is an [*MPSError], a bad place of an LP file an [*LPError]. Limits and infeasibility are no errors but
// statuses of the result.
//
// # Shapes and limits
//
// Matrices are dense, sparse, implicit ([Columns]), or a row of such blocks. The
// package suits programs whose dense basic block stays below a few thousand columns,
// and sparse programs of ten thousand rows. A Solver
// must not be used by two goroutines at once.
package simplex
