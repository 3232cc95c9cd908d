// Package qp solves convex quadratic programs with bounded variables and ranged rows,
//
//	min ½xᵀQx + cᵀx + offset   s.t.   rowLo ≤ Ax ≤ rowUp,   lo ≤ x ≤ up,
//
// with dense matrices of up to about 2000 variables. A solve starts warm from the last active set after costs, bounds
// or row bounds have changed, and allocates nothing. Every answer carries a certificate, which [Check] verifies, and a
// [Checker] without allocation. A [Pool] solves programs of the same matrices on many goroutines.
//
// A [QP] is a simplex.LP with a matrix Q; package simplex/lpfile builds and reads those with names. [LeastSquares] and
// [Projection] make programs of other data; [NNLS], [BVLS], [ProjectSimplex] and [Isotonic] solve theirs directly.
//
// # How it works
//
// The dual active-set method of Goldfarb and Idnani (1983) begins at the minimum without constraints, adds the
// constraint that is violated most, and drops those whose multipliers would change their signs on the way. It keeps
// J = L⁻ᵀU, where Q = LLᵀ and the orthogonal U makes the active normals N an upper triangle, UᵀL⁻¹N = [R; 0]. Jᵀ is
// stored by rows: Jᵀn is a product with a matrix, a step J₂d₂ a sum of rows. A reflection that adds a constraint
// has that sum as a by-product, so that it costs one update of rank one. A row with two bounds is one
// constraint, whose multiplier has the sign of its active side; an equality is never dropped.
//
// A warm start keeps J and R. It computes the optimum under the constraints that were active, drops those with
// multipliers of the wrong sign, and goes on. Residuals of the true program are refined by the factors.
//
// If Q is only semidefinite, proximal steps (Rockafellar, 1976) solve with Q + D, D a small part of Q's diagonal, and
// c − Dx of the last x, each warm from the one before, until the certificate of the true program holds. Where the
// objective hardly curves along a step, the next one starts where the objective ceases to fall, or a bound stops it.
// For Q = 0 that works too, but package simplex is made for it.
//
// Terms of Q may be 1e12 times the costs, as those of penalties are. What double precision leaves of such a gradient is
// more than the costs; so x and the multipliers are refined in doubled precision, in which the certificate is computed.
// What then has no certificate, linear programs and the dual method in doubled precision decide.
//
// Solver.Parametric follows the optima of changing costs and bounds exactly, from one active set to the next.
//
// # Errors
//
// A mistake in a program or a change of it is an [ErrInvalid] that names it, and so is a Q that is not symmetric or
// not positive semidefinite. A certificate that does not hold is an [ErrCertificate]. Limits and infeasibility are
// no errors but statuses of the result. A Solver must not be used by two goroutines at once; a Pool may be.
package qp
