package boxqp

import (
	"context"
	"math"
)

// rough bounds the rounding errors of a plain sum Zᵀb.
func (c *pair) rough() float64 {
	var total float64
	for i, v := range c.b {
		total += math.Abs(v) * math.Sqrt(c.diag[i])
	}
	return 0x1p-53 * total
}

// sum computes Zᵀb afresh: plainly if its rounding errors do not matter, else with compensated products and sums
// (Dekker and Knuth; Ogita, Rump and Oishi 2005), as accurate as in twice the precision.
func (c *pair) sum(ctx context.Context) {
	c.nonzero()
	clear(c.image)
	clear(c.low)
	if c.rough() <= 1e-9*max(1, c.norm) {
		c.f.addAll(ctx, c.image, c.idx, c.coef)
		return
	}
	for k, i := range c.idx {
		if k%64 == 0 && ctx.Err() != nil {
			return
		}
		addExact(c.image, c.low, c.coef[k], c.f.row(i))
	}
}

// addExact does hi + lo += a·x.
func addExact(hi, lo []float64, a float64, x []float64) {
	hi, lo = hi[:len(x)], lo[:len(x)]
	for k, v := range x {
		p := float64(a * v)
		e := math.FMA(a, v, -p)
		h := hi[k]
		s := h + p
		t := s - h
		hi[k] = s
		lo[k] += (h - (s - t)) + (p - t) + e
	}
}

// dotExact returns p + xᵀy as if it were computed in twice the precision.
func dotExact(p float64, x, y []float64) float64 {
	y = y[:len(x)]
	hi, lo := p, 0.0
	for k, v := range x {
		a := float64(v * y[k])
		e := math.FMA(v, y[k], -a)
		s := hi + a
		t := s - hi
		lo += (hi - (s - t)) + (a - t) + e
		hi = s
	}
	return hi + lo
}
