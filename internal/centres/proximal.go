package centres

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/status"
)

const (
	leastWidth = 1e-6
	rounds     = 60
	exactGap   = 1e-10 // of the objective, at which a loss with a corner is solved
)

// proximal is what a loss with a corner needs of each point.
type proximal struct {
	delta []float64 // of the last round
	shift []float64 // what decisions are lowered by
}

func newProximal(n int) *proximal { return &proximal{make([]float64, n), make([]float64, n)} }

// approach solves for a loss with a corner by proximal points in its dual (Rockafellar, "Monotone operators and the
// proximal point algorithm", SIAM J. Control Optim. 14, 1976): with α⁰ of the last round
//
//	max over 0 ≤ α ≤ v of α t − μ (α − α⁰)²/(2v)
//
// is, but for a constant, the loss of corner μ at t + μ α⁰/v: a Newton program with other decisions, f − μ δ⁰/v for the
// signed δ. (A tube has two corners, of which the sign of δ says which.) It is solved
// when the gap is, so that no width is left of what is returned.
func (c *convex) approach(ctx context.Context, z []float64) (status.Status, int) {
	clear(c.near.delta)
	clear(c.near.shift)
	steps := 0
	for width, round := searchWidth, 0; round < rounds; round++ {
		c.loss = c.Loss.smoothed(width)
		st, n := c.newton(ctx, z)
		steps += n
		if ctx.Err() != nil || st == status.Numerical {
			return st, steps
		}
		value, dual, _ := c.certify(ctx, z)
		if ctx.Err() != nil {
			return status.FromContext(ctx), steps
		}
		if value-dual <= exactGap*math.Max(1, math.Abs(value)) {
			return status.Optimal, steps
		}
		width = math.Max(width/10, leastWidth)
		v := c.Weight[c.output*c.N:]
		for i, delta := range c.near.delta {
			if v[i] > 0 {
				c.near.shift[i] = width * delta / v[i]
			}
		}
	}
	return status.IterationLimit, steps
}
