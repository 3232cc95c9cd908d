// Package boxqp solves convex quadratic programs over a box,
//
//	min Q(b) = ½ bᵀHb + pᵀb   subject to   lo ≤ b ≤ hi
//
// [Problem.Solve] takes H = ZZᵀ as a [Factor], by a proximal point method with semismooth Newton steps and an
// active-set method, or as any other [Matrix], by working sets.
package boxqp

// tau replaces a curvature that is not positive, as in LIBSVM.
const tau = 1e-12

// grow returns a slice of length n, in v's own memory when that suffices.
func grow[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}
