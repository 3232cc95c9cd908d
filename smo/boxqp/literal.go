package boxqp

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// The limit that section 4 of Huang et al. (2010) prints, and τ of (13).
const (
	literalSteps     = 9999
	literalTolerance = 1e-3
)

// literal is the modified SMO of Huang et al. (2010), section 3.4.1, as printed: H is formed, and each step minimises
// over one variable alone, (12), the one whose step promises most, (13).
func (c *proximal) literal(ctx context.Context) status.Status {
	if c.opt.Tolerance <= 0 {
		c.tol = literalTolerance
	}
	if c.opt.MaxIter <= 0 {
		c.limit = literalSteps
	}
	if c.unbounded() {
		c.begin(context.Background())
		c.judgeImage(ctx)
		return status.Unbounded
	}
	h := make([]float64, c.n*c.n)
	c.f.sub(ctx, h, c.n, deal.All(c.n))
	for i := range c.n {
		for j := range i {
			h[j*c.n+i] = h[i*c.n+j]
		}
	}
	c.begin(ctx)
	end := status.Unknown
	for end == status.Unknown {
		switch i := c.steepest(); {
		case i < 0:
			end = status.Optimal
		case c.result.Steps == c.limit:
			end = status.IterationLimit
		default:
			b := singleStep(c.b[i], c.Lo[i], c.Hi[i], c.g[i], c.diag[i])
			dense.Axpy(b-c.b[i], h[i*c.n:(i+1)*c.n], c.g)
			c.b[i] = b
			c.result.Steps++
		}
		if c.result.Steps%256 == 0 && end == status.Unknown {
			end = status.FromContext(ctx)
		}
	}
	c.begin(ctx) // the gradient afresh
	c.judgeImage(ctx)
	if end == status.Optimal && math.IsNaN(c.objective()) {
		return status.Numerical
	}
	return end
}

// steepest returns the variable of (13): of those that violate the conditions by more than the tolerance, that of the
// largest g²/h; −1 for none.
func (c *proximal) steepest() int {
	best, at := 0.0, -1
	for i, g := range c.g {
		if !(violation(c.b[i], c.Lo[i], c.Hi[i], g) > c.tol) {
			continue
		}
		if gain := g * g / max(c.diag[i], tau); gain > best {
			best, at = gain, i
		}
	}
	return at
}
