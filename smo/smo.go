// Package smo solves convex quadratic programs over a box. [Pair] has one equality constraint in addition
// and is solved by sequential minimal optimisation: two-variable steps, and Newton steps in between. [Box] has none,
// and its matrix is ZZᵀ. Both take plain slices and know nothing of kernels, labels or where their matrix comes from.
package smo

// Options bounds a solve. The zero value means the defaults.
type Options struct {
	// Tolerance is the largest violation of the optimality conditions at which
	// the solver stops, in units of the gradient. 0 means the solver's default.
	Tolerance float64
	// MaxIter limits the steps. 0 means the solver's default, which is finite.
	MaxIter int
	// Exact makes a [Box] go on below Tolerance until rounding errors
	// are all that is left. A [Pair] ignores it.
	Exact bool
	// Gap, when positive, lets a [Box] stop with Optimal at this gap, relative to ½‖U‖², whatever the violations. A
	// [Pair] within its tolerance goes on until its gap is as small, relative to the primal objective. If that takes
	// five times the steps and 50,000, the status is GapOpen.
	Gap float64
	// Threads is the number of goroutines of a [Box]; 0 means GOMAXPROCS. It does not change the
	// result. A [Pair] ignores it.
	Threads int
	// Progress, when not nil, is called now and then from the solving goroutine
	// with the steps taken and the violation that is left.
	Progress func(iterations int, violation float64)
}
