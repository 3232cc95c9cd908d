package smo

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// The coarse phase finds, in a dozen passes, which variables end at which bound.
// It minimises the proximal problem
//
//	Q(b) + Σ ½ ε_i (b_i − c_i)²    over the box,    ε_i = δ/s_i
//
// with c the starting point and s_i the distance between the bounds, through its
// primal in the image space, which has no constraints and one derivative:
//
//	min Φ(u) = ½‖u‖² − Σ min over b_i of [ b_i (z_iᵀu + p_i) + ½ ε_i (b_i − c_i)² ]
//	∇Φ = u − Zᵀb(u),   b_i(u) = clip(c_i − (z_iᵀu + p_i)/ε_i)
//
// For the hinge loss this rounds its corner over a width of δ. A Newton step solves
// with I + Z_Fᵀ diag(ε_F)⁻¹ Z_F, F the variables that b(u) leaves free; by the
// Woodbury identity that is a system of order |F| with the matrix diag(ε_F) + H_FF.
// An exact line search along it lets any number of variables change bounds.

const (
	// δ is in units of the gradient, whose scale for the hinge loss is 1. Small
	// values leave few variables free and so make cheap steps, but more of them.
	coldWidth, warmWidth = 0.1, 0.02
	// coldFree bounds the variables that are free at a cold start.
	coldFree = 100
	// coldSweeps of single-variable steps come before a cold start's Newton steps.
	coldSweeps = 3
	// coarseSteps limits the Newton steps: what they have not settled by then is
	// left to the working sets.
	coarseSteps = 20
)

type coarse struct {
	*boxState
	f        *Factor
	c        []float64 // centre of the proximal term
	inv      []float64 // 1/ε
	u, ub    []float64 // the point, and Zᵀb(u)
	du, s    []float64 // direction, and Z du
	y        []float64
	free     []int
	moving   []int
	chol     cholesky
	maxImage float64 // largest ‖z_i‖
}

// coarse moves s.b to a point with nearly the right active set, and sets s.g.
func (s *boxState) coarse(ctx context.Context, f *Factor) status.Status {
	r := f.r
	c := &coarse{boxState: s, f: f, c: make([]float64, s.n), inv: make([]float64, s.n), s: make([]float64, s.n),
		u: make([]float64, r), ub: make([]float64, r), du: make([]float64, r)}
	s.nonzero()
	f.addImage(c.ub, s.idx, s.coef)
	for i := range s.n {
		c.maxImage = max(c.maxImage, math.Sqrt(s.diag[i]))
	}
	width := warmWidth
	if s.Image != nil {
		copy(c.u, s.Image)
	} else {
		if s.Start == nil {
			width = coldWidth
			for range coldSweeps {
				c.sweep()
			}
		}
		copy(c.u, c.ub)
	}
	copy(c.c, s.b)
	c.gradient()
	c.setWidth(width)
	st := c.newton(ctx, width)
	copy(c.u, c.ub)
	c.gradient()
	return st
}

// sweep takes the single-variable step (12) in every variable in turn.
func (c *coarse) sweep() {
	for i := range c.n {
		z := c.f.row(i)
		g := dense.Dot(z, c.ub) + c.P[i]
		v := boxStep(c.b[i], c.Lo[i], c.Hi[i], g, c.diag[i])
		if v != c.b[i] {
			dense.Axpy(v-c.b[i], z, c.ub)
			c.b[i] = v
			c.result.Steps++
		}
	}
	c.result.Passes++
}

// gradient sets g = Zu + p.
func (c *coarse) gradient() {
	c.f.product(c.g, c.u)
	dense.Axpy(1, c.P, c.g)
	c.result.Passes++
}

// setWidth sets 1/ε from δ, made smaller when more than coldFree variables would be free.
func (c *coarse) setWidth(width float64) {
	var need []float64 // δ from which on a variable is free, where that is below width
	for i, g := range c.g {
		c.inv[i] = c.scale(i)
		room := c.Hi[i] - c.b[i]
		if g > 0 {
			room = c.b[i] - c.Lo[i]
		}
		if v := math.Abs(g) * c.inv[i] / room; v < width {
			need = append(need, v)
		}
	}
	if len(need) > coldFree {
		slices.Sort(need)
		width = max(need[coldFree], 1e-6)
	}
	for i := range c.inv {
		c.inv[i] /= width
	}
}

// scale is the natural distance that variable i moves: between its bounds, or, when
// one is infinite, that of a single step at unit gradient.
func (c *coarse) scale(i int) float64 {
	if w := c.Hi[i] - c.Lo[i]; w > 0 && !math.IsInf(w, 1) {
		return w
	}
	if c.diag[i] > 0 {
		return 1 / c.diag[i]
	}
	return 1
}

// newton minimises Φ until its gradient moves no z_iᵀu by more than a tenth of width.
func (c *coarse) newton(ctx context.Context, width float64) status.Status {
	for step := 0; ; step++ {
		c.update()
		copy(c.du, c.u)
		dense.Axpy(-1, c.ub, c.du)
		if size := math.Sqrt(dense.Dot(c.du, c.du)) * c.maxImage; !(size > 0.1*width) || step == coarseSteps {
			return status.Unknown
		}
		if c.result.Passes >= c.limit {
			return status.IterationLimit
		}
		if st := status.FromContext(ctx); st != status.Unknown {
			return st
		}
		c.direction()
		c.f.product(c.s, c.du)
		c.result.Passes++
		c.result.Newton++
		t := c.search()
		if t == 0 {
			return status.Unknown
		}
		dense.Axpy(t, c.du, c.u)
		dense.Axpy(t, c.s, c.g)
	}
}

// update sets b = b(u), its image and the list of free variables.
func (c *coarse) update() {
	c.free, c.idx, c.coef = c.free[:0], c.idx[:0], c.coef[:0]
	for i, g := range c.g {
		v := clip(c.c[i]-g*c.inv[i], c.Lo[i], c.Hi[i])
		if v > c.Lo[i] && v < c.Hi[i] {
			c.free = append(c.free, i)
		}
		if v != c.b[i] {
			c.idx, c.coef = append(c.idx, i), append(c.coef, v-c.b[i])
			c.b[i] = v
		}
	}
	c.f.addImage(c.ub, c.idx, c.coef)
}

// direction turns du = ∇Φ into the Newton direction Zᵀ_F e − ∇Φ with
// (diag(ε_F) + H_FF) e = Z_F ∇Φ.
func (c *coarse) direction() {
	m := len(c.free)
	c.y = grow(c.y, m)
	l := c.chol.begin(m)
	c.f.sub(l, m, c.free)
	for r, i := range c.free {
		l[r*m+r] += 1 / c.inv[i]
		c.y[r] = dense.Dot(c.f.row(i), c.du)
	}
	c.chol.factor()
	c.chol.solve(c.y)
	for k, v := range c.du {
		c.du[k] = -v
	}
	c.f.addImage(c.du, c.free, c.y)
}

// search returns t with |dΦ/dt| at most a tenth of its value at 0: one when that
// will do, 0 when du is no direction of descent. The derivative is piecewise linear
// and rises, since no b_i(u) s_i does; variables whose b_i is the same at two places
// are the same between them, which leaves few to look at.
func (c *coarse) search() float64 {
	linear, square := dense.Dot(c.u, c.du), dense.Dot(c.du, c.du)
	at := func(i int, t float64) float64 {
		return clip(c.c[i]-(c.g[i]+t*c.s[i])*c.inv[i], c.Lo[i], c.Hi[i])
	}
	c.moving = c.moving[:0]
	first, last := linear, linear+square
	still := 0.0 // Σ b_i s_i of the variables that stay between 0 and 1
	for i, s := range c.s {
		b0, b1 := c.b[i], at(i, 1)
		first -= s * b0
		last -= s * b1
		if b0 == b1 {
			still += s * b0
		} else {
			c.moving = append(c.moving, i)
		}
	}
	switch {
	case !(first < 0):
		return 0
	case math.Abs(last) <= -0.1*first:
		return 1
	case last < 0:
		return c.expand(at, linear, square, -0.1*first)
	}
	lo, hi := 0.0, 1.0
	for range 60 {
		t := (lo + hi) / 2
		v := linear + t*square - still
		for _, i := range c.moving {
			v -= c.s[i] * at(i, t)
		}
		if math.Abs(v) <= -0.1*first {
			return t
		}
		if v < 0 {
			lo = t
		} else {
			hi = t
		}
	}
	return lo
}

// expand searches beyond a full step.
func (c *coarse) expand(at func(int, float64) float64, linear, square, enough float64) float64 {
	t, lo, hi := 2.0, 1.0, math.Inf(1)
	for range 60 {
		v := linear + t*square
		for i, s := range c.s {
			v -= s * at(i, t)
		}
		if math.Abs(v) <= enough {
			return t
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
	return lo
}
