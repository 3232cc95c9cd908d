package centres

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/status"
)

const (
	leastWidth = 1e-6
	rounds     = 60
	exactGap   = 1e-10 // relative gap at which a loss with a corner is solved
)

// proximal is the state of the proximal iteration, for a loss with a corner.
type proximal struct {
	delta []float64 // δ of the last round
	shift []float64 // subtracted from the decision values
}

func newProximal(n int) *proximal { return &proximal{make([]float64, n), make([]float64, n)} }

// approach solves for a loss with a corner by the proximal point method in its dual (Rockafellar, "Monotone operators
// and the proximal point algorithm", SIAM J. Control Optim. 14, 1976). With α⁰ of the last round,
//
//	max over 0 ≤ α ≤ v of α t − μ (α − α⁰)²/(2v)
//
// is, up to a constant, the loss with its corner rounded over a width μ, at t + μ α⁰/v: a program for Newton's method
// with shifted decision values, f − μ δ⁰/v for the signed δ. (The ε-insensitive loss has two corners; the sign of δ
// tells which one.) It ends by the duality gap of the exact loss, so that the result does not depend on the widths.
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
