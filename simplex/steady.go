package simplex

import (
	"context"

	"github.com/sparsekm/sparsekm/status"
)

// Steady returns the segment [0, To] on which the optimal basis of t = 0 stays optimal while costs and bounds change
// together, by t·rates. Columns and duals are linear in t there, and the optimum is quadratic; Value and Slope are not
// set. The segment is valid until the solver's next call. A status other than Optimal says why the program of t = 0 has
// no optimum.
//
// It solves the program first if it is not at an optimum. The program keeps its costs and bounds; the caller sets those
// of a later t. Errors are those of [Solver.Parametric].
func (s *Solver) Steady(ctx context.Context, rates Rates, until float64) (Segment, status.Status, error) {
	costs, err := newCostPath(s, rates.C, until)
	if err != nil {
		return Segment{}, 0, err
	}
	bounds, err := newBoundPath(s, rates, until)
	if err != nil {
		return Segment{}, 0, err
	}
	s.iterations = 0
	g := Segment{Optimum: steady{bounds, costs}}
	if st := costs.solve(ctx); st != status.Optimal {
		return g, st, nil
	}
	bounds.measure()
	if bounds.separates() { // only a solve can tell which of two formerly equal bounds is active
		return g, status.Optimal, nil
	}
	_, _, cost := costs.breakpoint()
	_, _, bound := bounds.breakpoint()
	g.To = min(cost, bound)
	return g, status.Optimal, nil
}

// steady is the optimum while costs and bounds change: columns move with the bounds, and duals with the costs.
type steady struct {
	*boundPath
	costs *costPath
}

// Duals implements [Optimum].
func (s steady) Duals(y, rates []float64) { s.costs.Duals(y, rates) }
