package boxqp

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// start sets the first pair and returns δ, and whether the optimum may be near.
func (c *proximal) start(ctx context.Context) (width float64, near bool) {
	if c.Image == nil {
		c.begin(ctx)
	} else {
		copy(c.u, c.Image)
		c.gradient(ctx)
		c.norm = math.Sqrt(dense.Dot(c.u, c.u))
		c.residual(ctx)
		c.judge()
		c.keep(ctx)
	}
	switch {
	case c.Start == nil:
		return c.cold(ctx), false
	case c.Image == nil || c.opt.Gap == 0:
		return warmWidth, true
	}
	scale := c.norm * c.norm / 2
	far := c.gap / max(scale, tau)
	if far > 1 {
		return min(widest, warmWidth*math.Sqrt(far)), false
	}
	return min(warmWidth, max(far, leastWidth)), c.gap <= nearGap*scale
}

const (
	// nearGap is the gap at the start, relative to ½‖u‖², up to which a solve to a rough gap
	// tries the path before a stage.
	nearGap = 0.05
	// widest is the largest δ of a warm start: from far away wide stages take fewer steps.
	widest = 0.5
)

// cold begins without a solution of a problem like this one and returns δ.
func (c *proximal) cold(ctx context.Context) float64 {
	var span float64
	for i := range c.Hi {
		span = max(span, c.span(i))
	}
	if span > sweepSpan {
		return max(coldWidth, 0.1*span)
	}
	for range coldSweeps {
		c.sweep(ctx)
	}
	c.begin(ctx)
	before := c.residuals
	c.judgeImage(ctx) // to keep the pair, no more
	c.residuals = before
	return c.narrow(coldWidth)
}

// sweep takes the single-variable step (12) in every variable in turn.
func (c *proximal) sweep(ctx context.Context) {
	for i := range c.n {
		if i%256 == 0 && ctx.Err() != nil {
			return
		}
		z := c.f.row(i)
		v := singleStep(c.b[i], c.Lo[i], c.Hi[i], dense.Dot(z, c.image)+c.P[i], c.diag[i])
		if v != c.b[i] {
			dense.Axpy(v-c.b[i], z, c.image)
			c.b[i] = v
			c.result.Steps++
		}
	}
	c.result.Passes++
}

// narrow returns a δ below width at which no more than coldFree variables are free at the start.
func (c *proximal) narrow(width float64) float64 {
	var need []float64 // δ from which on a variable is free, where that is below width
	for i, g := range c.g {
		room := c.Hi[i] - c.b[i]
		if g > 0 {
			room = c.b[i] - c.Lo[i]
		}
		if v := math.Abs(g) * c.span(i) / room; v < width {
			need = append(need, v)
		}
	}
	if len(need) <= coldFree {
		return width
	}
	slices.Sort(need)
	return max(need[coldFree], 0.01)
}

// span is the natural distance that variable i moves: between its bounds, or, when
// one is infinite, that of a single step at unit gradient.
func (s *state) span(i int) float64 {
	if w := s.Hi[i] - s.Lo[i]; w > 0 && !math.IsInf(w, 1) {
		return w
	}
	if s.diag[i] > 0 {
		return 1 / s.diag[i]
	}
	return 1
}
