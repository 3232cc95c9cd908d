package kernellp

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// Steady returns the largest t ≤ most for which the basis of the optimum of p stays optimal while the ceiling rises by
// t and the hinge costs by t·rate. On the way coefficients, bias and multipliers are linear in t. Rows outside the
// program bound t too. It returns 0 if the program has no optimum.
func (s *Solver) Steady(ctx context.Context, p Costs, rate []float64, most float64) (float64, error) {
	if s.shape.Ceiling == 0 || s.shape.SumToOne || s.lp == nil {
		panic("kernellp: Steady needs a solved program with a ceiling")
	}
	p = s.inUnits(p)
	n := len(s.y)
	costs := make([]float64, n+s.eta.len())
	for k := range s.eta.len() {
		costs[n+k] = 1
	}
	bounds := simplex.BoundRates{Lo: make([]float64, len(costs)), Up: make([]float64, len(costs))}
	for j, y := range s.y {
		if by := math.Ldexp(rate[j], s.unit); y > 0 {
			bounds.Up[j] = by
		} else {
			bounds.Lo[j] = -by
		}
	}
	g, err := s.lp.Steady(ctx, costs, bounds, most)
	if err != nil || g.Status != status.Optimal {
		return 0, err
	}
	most = min(g.To, s.belowCeiling(g, g.To))
	return s.rowsHold(ctx, p, g, most)
}

// belowCeiling returns how far the ceiling rises before a coefficient below it reaches it.
func (s *Solver) belowCeiling(g *simplex.Steady, most float64) float64 {
	a, by := make([]float64, len(s.mx.rows)), make([]float64, len(s.mx.rows))
	g.Duals(a, by)
	for r := 1; r < len(a); r++ {
		if s.eta != nil && s.eta.has[r] {
			continue
		}
		if a[r] < 0 {
			a[r], by[r] = -a[r], -by[r]
		}
		most = min(most, until(a[r]-s.shape.Ceiling, by[r]-1))
	}
	return most
}

// rowsHold returns how far the multipliers may go, at most most, before a row outside the program is violated.
func (s *Solver) rowsHold(ctx context.Context, p Costs, g *simplex.Steady, most float64) (float64, error) {
	x, by := make([]float64, len(s.y)+s.eta.len()), make([]float64, len(s.y)+s.eta.len())
	g.X(x, by)
	var rates changes
	for j, v := range by[:len(s.y)] {
		rates.add(j, v)
	}
	move := make([]float64, len(s.y))
	if err := s.k.AddColumns(ctx, move, rates.idx, rates.by); err != nil {
		return 0, err
	}
	for i, y := range s.y {
		if s.row[i] > 0 || math.IsInf(p.Coef[i], 1) {
			continue
		}
		most = min(most, until(y*s.g[i]-p.Coef[i], y*move[i]))
		if !s.shape.OneSided {
			most = min(most, until(-y*s.g[i]-p.Coef[i], -y*move[i]))
		}
	}
	return most, nil
}

// until returns when a value v ≤ 0 (up to rounding) that grows by rate reaches 0.
func until(v, rate float64) float64 {
	if !(rate > 0) {
		return math.Inf(1)
	}
	return max(0, -v/rate)
}
