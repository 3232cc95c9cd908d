package simplex

import (
	"context"

	"github.com/sparsekm/sparsekm/status"
)

// Steady is an interval of a parametric path on which the present basis is optimal, for programs whose costs and
// bounds change together: c + t·direction and bounds + t·rates. Columns and duals are linear in t there, and the
// optimum is quadratic. It is valid until the solver's next call.
type Steady struct {
	Status status.Status // Optimal, or why the program of t = 0 has no optimum; then nothing else is known
	To     float64       // the end of the interval, which begins at 0
	costs  *costPath
	bounds *boundPath
}

// Steady returns the interval [0, To] on which the optimal basis of t = 0 stays optimal. It solves the program first if
// it is not at an optimum. The program keeps its costs and bounds; the caller sets those of a later t. Errors are those
// of [Solver.Parametric] and [Solver.ParametricBounds].
func (s *Solver) Steady(ctx context.Context, direction []float64, rates BoundRates, until float64) (*Steady, error) {
	costs, err := newCostPath(s, direction, until)
	if err != nil {
		return nil, err
	}
	bounds, err := newBoundPath(s, rates, until)
	if err != nil {
		return nil, err
	}
	s.iterations = 0
	g := &Steady{costs: costs, bounds: bounds}
	if g.Status = g.costs.solve(ctx); g.Status != status.Optimal {
		return g, nil
	}
	bounds.measure()
	if bounds.separates() { // only a solve can tell which of two formerly equal bounds is active
		return g, nil
	}
	_, _, cost := g.costs.breakpoint()
	_, _, bound := bounds.breakpoint()
	g.To = min(cost, bound)
	return g, nil
}

// X writes the n columns at t = 0 to x, and their derivatives by t to rates.
func (g *Steady) X(x, rates []float64) { BoundSegment{path: g.bounds}.X(x, rates) }

// Duals writes the m duals at t = 0 to y, and their derivatives by t to rates.
func (g *Steady) Duals(y, rates []float64) { Segment{path: g.costs}.Duals(y, rates) }
