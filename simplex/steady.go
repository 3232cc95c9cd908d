package simplex

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/status"
)

// Steady is a stretch of programs whose costs and bounds turn together, c + t·direction and bounds + t·rates, on which
// the present basis is optimal: columns and duals are linear in t there, and the optimum is quadratic. It is valid
// until the solver's next call.
type Steady struct {
	Status status.Status // Optimal, or why the program of t = 0 has no optimum; then nothing else is known
	To     float64       // the largest t of it
	walk   *walk
	slide  *slide
}

// Steady returns that of the program as it is, which is solved first where it is not. The program stays what it is;
// costs and bounds of the last t are for the caller to set. Errors are those of [Solver.Parametric] and
// [Solver.ParametricBounds].
func (s *Solver) Steady(ctx context.Context, direction []float64, rates BoundRates, until float64) (*Steady, error) {
	if err := checkCosts(direction, s.matrix.n); err != nil {
		return nil, err
	}
	if !(until > 0) || math.IsInf(until, 1) {
		return nil, invalid("a stretch of programs until %v", until)
	}
	slide, err := newSlide(s, rates, until)
	if err != nil {
		return nil, err
	}
	s.iterations = 0
	g := &Steady{walk: newWalk(s, direction, until), slide: slide}
	if g.Status = g.walk.solve(ctx); g.Status != status.Optimal {
		return g, nil
	}
	slide.compute()
	if slide.parts() { // which of two bounds that were equal is the one that counts is for a solve to say
		return g, nil
	}
	_, turn := g.walk.breakpoint()
	_, _, move := slide.breakpoint()
	g.To = min(turn, move)
	return g, nil
}

// X writes the n columns at t = 0 to x, and how much they gain by t to rates.
func (g *Steady) X(x, rates []float64) { BoundSegment{slide: g.slide}.X(x, rates) }

// Duals writes the m duals at t = 0 to y, and how much they gain by t to rates.
func (g *Steady) Duals(y, rates []float64) { Segment{walk: g.walk}.Duals(y, rates) }
