package learn

import (
	"context"
	"math"
)

// Loss is the loss of a decision value f at a sample with target y, per unit of cost.
type Loss func(y, f float64) float64

// Hinge is max(0, margin − y f).
func Hinge(margin float64) Loss {
	return func(y, f float64) float64 { return max(0, margin-y*f) }
}

// Insensitive is Vapnik's (1995) max(0, |y − f| − ε).
func Insensitive(epsilon float64) Loss {
	return func(y, f float64) float64 { return max(0, math.Abs(y-f)-epsilon) }
}

// target is sample i's target, +1 where the task has none.
func (p *Problem) target(i int) float64 {
	if p.Task == OneClass {
		return 1
	}
	return p.Y[i]
}

// Loss returns Σ_i c w_i loss(y_i, f(x_i)) of an expansion, by [Problem.Decisions].
func (p *Problem) Loss(ctx context.Context, e *Expansion, of Loss, c float64) (loss float64) {
	rows := p.Present()
	for r, f := range p.Decisions(ctx, e, rows) {
		i := rows[r]
		if xi := of(p.target(i), f); xi != 0 { // NaN counts
			loss += c * p.WeightOf(i) * xi
		}
	}
	return loss
}
