package smo

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/smo/internal/duals"
	"github.com/sparsekm/sparsekm/status"
)

// conjugate moves all variables at once that are free or violate the conditions at a bound, by projected conjugate
// gradients (Polak & Ribière 1969). It is for solutions with more free variables than a working set holds: sets take
// each other's solution apart, while a kernel so narrow that nearly all samples are support vectors gives a
// well-conditioned matrix.
type conjugate struct {
	off     bool
	steps   int       // since the last working set
	z, p    []float64 // projected residual and direction, 0 for variables that are at rest
	before  float64   // ‖z‖² of the last step
	from    float64   // ‖z‖² some steps ago
	kp, to  []float64 // K times p, and the next iterate
	idx     []int
	coef    []float64
	holders []int
}

const (
	// conjugateWithin steps have to divide ‖z‖² by conjugateLeast, else working sets go on.
	conjugateWithin, conjugateLeast = 6, 16
	// conjugateShare is the least share of free variables in the last working set, and conjugateOthers the largest number
	// of variables that want to leave a bound for each free one: rows are evaluated for all of them.
	conjugateShare, conjugateOthers = 7.0 / 8, 3
	// holding is the least number of variables that take over what bounds keep others from.
	holding = 128
	// conjugateVectors is the number of vectors that such steps take.
	conjugateVectors = 7
)

// spread reports whether nearly all of the last working set, of the largest size, ended free, and many more variables
// are free or want to be than the next one holds.
func (s *pairState) spread() bool {
	if s.all || s.conj.off || s.Together < 0 || len(s.sel.w) < LargestSet {
		return false
	}
	if s.conj.steps > 0 {
		return true
	}
	within, free, others := 0, 0, 0
	for v, g := range s.g[:s.n] {
		up, low := s.up[v] == 0, s.low[v] == 0
		if up && low {
			free++
			within += int(s.sel.in[v])
		} else if up && -g > s.M || low && -g < s.m {
			others++
		}
	}
	most := float64(len(s.sel.w))
	return float64(within) > conjugateShare*most && free+others > LargestSet*5/4 && others <= conjugateOthers*free
}

// conjugateStep takes one step. It reports false, and leaves everything as it was, where steps of this kind do not pay.
func (s *pairState) conjugateStep(ctx context.Context) (st status.Status, ok bool) {
	c := &s.conj
	if !s.direct() {
		c.off = true
		return st, false
	}
	for _, v := range []*[]float64{&c.kp, &c.to} {
		*v = duals.Grow(*v, s.n)
	}
	clear(c.kp)
	c.idx, c.coef = c.idx[:0], c.coef[:0]
	var slope, size float64
	for v, p := range c.p {
		if p != 0 {
			c.idx = append(c.idx, v)
			c.coef = append(c.coef, p)
			slope -= p * s.g[v]
			size += math.Abs(p)
		}
	}
	if s.K.AddRows(ctx, c.kp, c.idx, c.coef) != nil {
		return status.FromContext(ctx), true
	}
	curve := dense.Dot(c.p, c.kp)
	if !(slope > 0) || !(curve > 0) {
		c.off = true
		return st, false
	}
	added := len(c.idx)
	step := slope / curve
	copy(s.saved, s.g[:s.n])
	if err := s.take(ctx, step); err != nil {
		copy(s.g, s.saved)
		return status.FromContext(ctx), true
	}
	s.result.Added += added
	s.result.Moved += step * size
	s.result.Iterations++
	s.result.Rounds++
	for v, a := range c.to {
		s.a[v] = a
		s.up[v], s.low[v] = freedom(a, s.Lo[v], s.Hi[v])
	}
	return st, true
}

// direct computes the next direction, whose sum is 0. It reports false where there is none, or where the last steps
// have gained too little.
func (s *pairState) direct() bool {
	c := &s.conj
	if c.z == nil {
		c.z, c.p = make([]float64, s.n), make([]float64, s.n)
	}
	if c.steps == 0 {
		clear(c.z)
		clear(c.p)
	}
	var rho float64
	free := 0
	for v, g := range s.g[:s.n] {
		if s.up[v] == 0 && s.low[v] == 0 {
			rho += g
			free++
		}
	}
	if free == 0 {
		return false
	}
	rho /= float64(free)
	var square, cross, sum float64
	rests := func(v int, d float64) bool { return s.up[v] != 0 && d >= 0 || s.low[v] != 0 && d <= 0 }
	for v, g := range s.g[:s.n] {
		z := rho - g
		if rests(v, z) {
			z = 0
		}
		square, cross = square+z*z, cross+z*(z-c.z[v])
		c.z[v] = z
	}
	beta := 0.0
	if c.steps > 0 && c.before > 0 {
		beta = max(0, cross/c.before)
	}
	c.before = square
	if c.steps%conjugateWithin == 0 {
		if c.steps > 0 && !(square <= c.from/conjugateLeast) {
			return false
		}
		c.from = square
	}
	c.steps++
	for v, z := range c.z {
		p := z + beta*c.p[v]
		if rests(v, p) {
			p = 0
		}
		c.p[v] = p
		sum += p
	}
	share := sum / float64(free)
	for v := range c.p {
		if s.up[v] == 0 && s.low[v] == 0 {
			c.p[v] -= share
		}
	}
	return true
}

// take goes so far along p, every variable to its bound at most. What those at bounds leave undone, some free variables
// with much room take over, if that goes down; else all stop at the first bound. An error is that of ctx.
func (s *pairState) take(ctx context.Context, step float64) error {
	c := &s.conj
	c.idx, c.coef = c.idx[:0], c.coef[:0]
	first, left := step, 0.0
	for v, p := range c.p {
		a := s.a[v] + step*p
		c.to[v] = min(max(a, s.Lo[v]), s.Hi[v])
		if over := a - c.to[v]; over != 0 {
			c.idx = append(c.idx, v)
			c.coef = append(c.coef, -over)
			left += over
			first = min(first, max(0, (c.to[v]-s.a[v])/p))
		}
	}
	if len(c.idx) == 0 {
		dense.Axpy(step, c.kp, s.g[:s.n])
		return nil
	}
	if s.hold(left) {
		dense.Axpy(step, c.kp, s.g[:s.n])
		if err := s.K.AddRows(ctx, s.g[:s.n], c.idx, c.coef); err != nil {
			return err
		}
		change := 0.0
		for v, a := range c.to {
			change += (a - s.a[v]) * (s.g[v] + s.saved[v])
		}
		if change < 0 {
			s.result.count(c.coef)
			return nil
		}
		copy(s.g, s.saved)
	}
	for v, p := range c.p {
		c.to[v] = min(max(s.a[v]+first*p, s.Lo[v]), s.Hi[v])
	}
	dense.Axpy(first, c.kp, s.g[:s.n])
	return nil
}

// hold adds left, in equal shares, to as few variables as have room for twice that. It reports false where there are
// none.
func (s *pairState) hold(left float64) bool {
	c := &s.conj
	for most := holding; ; most *= 8 {
		share := math.Abs(left) / float64(min(most, s.n)/2)
		c.holders = c.holders[:0]
		for v, a := range c.to {
			if len(c.holders) < most && min(s.Hi[v]-a, a-s.Lo[v]) > 2*share {
				c.holders = append(c.holders, v)
			}
		}
		if len(c.holders) >= min(most, s.n)/2 {
			break
		}
		if most >= s.n {
			return false
		}
	}
	share := left / float64(len(c.holders))
	for _, v := range c.holders {
		c.to[v] += share
		c.idx = append(c.idx, v)
		c.coef = append(c.coef, share)
	}
	return true
}
