package dense

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/parallel"
)

// grain is the number whose multiples begin a worker's share. The largest mr and nr divide it, so that shares have
// few incomplete tiles.
const grain = 24

// evenly returns the cut of n rows of equal cost: a fraction f of the work ends at row evenly(n)(f).
func evenly(n int) func(f float64) int {
	return func(f float64) int { return int(f * float64(n)) }
}

// triangularly returns the cut of n rows of a lower triangle, in which row i costs i.
func triangularly(n int) func(f float64) int {
	return func(f float64) int { return int(math.Sqrt(f) * float64(n)) }
}

// split runs f on consecutive shares [lo, hi) of n rows or columns. Each share has its own goroutine and workspace.
// It returns the first error.
func split(threads, n int, cut func(f float64) int, f func(w *workspace, lo, hi int) error) error {
	threads = max(1, min(threads, n/(4*grain)))
	if threads == 1 {
		w := newWorkspace()
		defer w.free()
		return f(w, 0, n)
	}
	errs, bounds := make([]error, threads), make([]int, threads+1)
	for t := 1; t < threads; t++ {
		bounds[t] = max(bounds[t-1], min(n, cut(float64(t)/float64(threads))/grain*grain))
	}
	bounds[threads] = n
	parallel.Run(threads, func(t int) {
		w := newWorkspace()
		defer w.free()
		errs[t] = f(w, bounds[t], bounds[t+1])
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
