package boxqp

import "math"

// at is b_i at g_i + t·s.
func (c *proximal) at(i int, s, t float64) float64 {
	return clip(c.c[i]-(c.g[i]+t*s)*c.inv[i], c.Lo[i], c.Hi[i])
}

// slopeAt is the derivative of Φ along du at t, slope + t‖du‖² − Σ (b_i(t) − b_i) s_i over
// the rows in list: it rises with t.
func (c *proximal) slopeAt(slope, square, t float64, list []int) float64 {
	v := slope + t*square
	for _, k := range list {
		i := c.w[k]
		v -= c.sw[k] * (c.at(i, c.sw[k], t) - c.b[i])
	}
	return v
}

// search returns t with |dΦ/dt| at most a tenth of its value at 0: one when that
// will do, 0 when du is no direction of descent. Variables whose b_i is the same at two
// places are the same between them, which leaves few to look at.
func (c *proximal) search(slope, square float64) float64 {
	if !(slope < 0) {
		return 0
	}
	c.moving = c.moving[:0]
	last := slope + square
	for k, i := range c.w {
		if b := c.at(i, c.sw[k], 1); b != c.b[i] {
			c.moving = append(c.moving, k)
			last -= c.sw[k] * (b - c.b[i])
		}
	}
	enough := -0.1 * slope
	if math.Abs(last) <= enough {
		return 1
	}
	lo, hi, t := 0.0, 1.0, 0.5
	if last < 0 { // beyond a full step, where others move
		lo, hi, t = 1, math.Inf(1), 2
		c.moving = c.moving[:0]
		for k := range c.w {
			c.moving = append(c.moving, k)
		}
	}
	for range 60 {
		v := c.slopeAt(slope, square, t, c.moving)
		if math.Abs(v) <= enough {
			break
		}
		if v < 0 {
			lo = t
		} else {
			hi = t
		}
		if t = (lo + hi) / 2; math.IsInf(t, 1) {
			t = 2 * lo
		}
	}
	return t
}
