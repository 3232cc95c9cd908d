package boxqp

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// conclude judges a pair in which rounding errors are all that is left.
func (c *pair) conclude() status.Status {
	if !c.settled() && !c.enough() {
		c.stretch()
	}
	if c.settled() || c.enough() {
		return status.Optimal
	}
	return status.Numerical
}

// stretch makes u longer by as little as takes its rounding errors to the side of the
// corner where they cost least: at a large C the hinge losses of margins that miss 1 by
// 1e-9 can be more than all the rest. It keeps what has the smaller gap.
func (c *pair) stretch() {
	var eta float64
	for i, g := range c.g {
		if v := violation(c.b[i], c.Lo[i], c.Hi[i], g); v > 0 && g != c.P[i] {
			eta = max(eta, v/math.Abs(g-c.P[i]))
		}
	}
	before := c.gap
	for _, sign := range [2]float64{1, -1} {
		if c.lengthen(sign * 2 * eta); c.gap < before {
			return
		}
		c.lengthen(1/(1+sign*2*eta) - 1)
	}
}

// lengthen multiplies u by 1 + η.
func (c *pair) lengthen(eta float64) {
	for k, v := range c.u {
		c.u[k] += eta * v
		c.rho[k] += eta * v
	}
	for i, g := range c.g {
		c.g[i] += eta * (g - c.P[i])
	}
	c.norm = math.Sqrt(dense.Dot(c.u, c.u))
	c.size = math.Sqrt(dense.Dot(c.rho, c.rho))
	c.judge()
}
