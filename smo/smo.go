// Package smo solves convex quadratic programs over a box with one equality constraint, by sequential minimal
// optimisation: two-variable steps, and Newton steps in between. It takes plain slices and knows nothing of kernels,
// labels or where the matrix comes from. Package smo/boxqp solves those without the equality.
package smo

// Options bounds a solve. The zero value means the defaults.
type Options struct {
	// Tolerance is the largest violation of the optimality conditions at which
	// the solver stops, in units of the gradient; 0 means 1e-3.
	Tolerance float64
	// MaxIter limits the steps; 0 means 100 for each variable, 10 million at least.
	MaxIter int
	// Gap, when positive, makes the solver within its tolerance go on until the gap is as small, relative to the primal
	// objective. If that takes five times the steps and 50,000, the status is GapOpen.
	Gap float64
	// InPlace is for one of many programs over a matrix that [NewDense] has made with rows [Stride] apart, whose iterate
	// needs no certificate: steps over all variables update the whole gradient. Gap is 0 then, and the result has no Gap,
	// Objective, Added and Moved. Other matrices ignore it.
	InPlace bool
	// Progress, when not nil, is called now and then from the solving goroutine
	// with the steps taken and the violation that is left.
	Progress func(iterations int, violation float64)
}
