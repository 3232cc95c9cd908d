// Package simplex solves linear programs with bounded variables and ranged rows,
//
//	min cᵀx + offset   s.t.   rowLo ≤ Ax ≤ rowUp,   lo ≤ x ≤ up,
//
// any bound infinite, by the revised primal and dual simplex methods. It starts
// warm from the basis of an earlier solve when costs, bounds or columns changed,
// and every answer carries a certificate that [Check] verifies independently.
//
// A program is an [LP], or by names a [Model]: told by a [Problem], read by [ReadMPS] or [ReadLP], solved by
// [Model.Solve]. [Solver.Ranging] says how far costs and bounds of an optimum can move, [IIS] which bounds of
// an infeasible program contradict one another.
//
// # How it works
//
// Row activities are variables of their own (logicals s, Ax − s = 0), so a basis
// has one variable per row. Most basic variables own a single row: logicals, and
// structural columns with one entry. They are never stored. Only the other basic
// columns S meet the rows R that no such variable covers; their square block
// A[R,S] is held as an explicit dense inverse, and everything costs in proportion
// to |S| instead of the number of rows. On the linear programs of sparse kernel
// machines |S| is the number of support vectors.
//
// The dual method prices by steepest edge (Forrest and Goldfarb, 1992) and takes
// long steps that flip boxed variables (Maros, 2003, chapter 10; Koberstein,
// 2005); the primal method prices by Devex (Harris, 1973). Both use Harris's
// ratio test, perturb when they stall, and clean up afterwards; costs that the dual
// ratio test lets pass 0 are shifted. Optimal is what the certificate proves to the
// tolerance; where it does not, smaller tolerances are tried. There is one phase 1:
// dual steps under shifted costs, then primal steps under the true ones.
//
// Where all columns are sparse and there are 50 rows or more with at most a fifth of the entries, the
// whole basis is factored instead (package lu inside: Markowitz, Forrest-Tomlin, solves that touch
// only what nonzeros reach), the matrix is copied by rows, nonbasic entries first, and
// violations and wrong reduced costs are listed: a pivot costs in proportion to the nonzeros that it meets.
// The weights of a warm start's dual steepest edge begin at 1 there.
//
// [Solver.Presolve] begins a first solve with a smaller program (package presolve inside), whose optimal basis
// becomes one of the given program: this proves it, or what else there is to prove, with its own arithmetic.
//
// A Solver conducts parts that own one role each: program (scaled bounds and costs),
// basis, values, reducedCosts, updateRow (the pivot row), dualWeights and dualRatio,
// primalWeights and primalRatio, perturbation; violations and attractive in sparse programs. A basis is
// its members and one representation of B: blockBasis, with the inverse of its dense block, or factored.
//
// [Solver.Parametric] follows the optima while the cost turns, by primal steps from breakpoint to
// breakpoint: every basis on the way, and the duals as lines. [Solver.ParametricBounds] does while the bounds move,
// by dual steps, and has x as lines. [Solver.Steady] looks as far as one basis goes while both do.
//
// # Errors
//
// Whatever is wrong with a program, a change of it or a basis is an [ErrInvalid] that
// names it; a certificate that does not hold is an [ErrCertificate]; a bad line of
// an MPS file is an [*MPSError], a bad place of an LP file an [*LPError]. Limits and infeasibility are statuses
// of the result.
//
// # Shapes and limits
//
// Matrices are dense, sparse, implicit ([Columns]), or a row of such blocks. The
// package suits programs whose basic block stays below a few thousand columns, which it
// holds dense, and sparse programs of ten thousand rows. A Solver
// must not be used by two goroutines at once.
package simplex
