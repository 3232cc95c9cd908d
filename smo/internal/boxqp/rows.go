package boxqp

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// choose sets w to the rows within width of the corner, the free ones and the violating
// ones; of these at most the given number, of the largest gain.
func (c *pair) choose(width float64, violating int) {
	c.w, c.out = c.w[:0], c.out[:0]
	for i, g := range c.g {
		b := c.b[i]
		if math.Abs(g) <= width || b > c.Lo[i] && b < c.Hi[i] {
			c.w = append(c.w, i)
		} else if v := violation(b, c.Lo[i], c.Hi[i], g); v > 0 {
			c.out = append(c.out, entrant{i, v * v / max(c.diag[i], tau)})
		}
	}
	if len(c.out) > violating {
		slices.SortFunc(c.out, byGain)
		c.out = c.out[:violating]
	}
	for _, e := range c.out {
		c.w = append(c.w, e.i)
	}
	slices.Sort(c.w)
	c.look(c.w)
}

// look sets w to the given rows, which are ascending and may be in its memory; nil means all.
func (c *pair) look(w []int) {
	c.whole = w == nil || len(w)*10 > 9*c.n
	if c.whole {
		c.w = c.w[:0]
		for i := range c.n {
			c.w = append(c.w, i)
		}
		return
	}
	c.w, c.seen = w, c.seen[:0]
	for _, i := range w {
		c.seen = append(c.seen, c.f.row(i))
	}
}

// along sets s = Z_W du.
func (c *pair) along(ctx context.Context, s, du []float64) {
	if c.whole {
		c.f.product(ctx, s[:c.n], du)
		return
	}
	c.f.eachRows(ctx, len(c.w), func(lo, hi int) {
		clear(s[lo:hi])
		dense.AddMulGathered(s[lo:hi], c.seen[lo:hi], du)
	})
}
