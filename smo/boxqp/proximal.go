package boxqp

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/smo/internal/duals"
	"github.com/sparsekm/sparsekm/status"
)

// The proximal point method on the dual, which is the augmented Lagrangian method on the primal, with semismooth
// Newton steps inside (SSNAL; Li, Sun and Toh 2018). A stage with centre c minimises
//
//	Q(b) + Σ ½ ε_i (b_i − c_i)²    over the box,    ε_i = δ/s_i
//
// with s_i the distance between the bounds, through its primal in the image space,
// which has no constraints and one derivative:
//
//	min Φ(u) = ½‖u‖² − Σ min over b_i of [ b_i (z_iᵀu + p_i) + ½ ε_i (b_i − c_i)² ]
//	∇Φ = u − Zᵀb(u) = ρ,   b_i(u) = clip(c_i − (z_iᵀu + p_i)/ε_i)
//
// For the hinge loss this rounds its corner over a width of δ. With F the variables that b(u) leaves free, a Newton
// step solves (I + Z_Fᵀ E_F⁻¹ Z_F) du = −ρ, or what is the same by the Woodbury identity, (E_F + H_FF) e = Z_F ρ, du
// = Z_Fᵀ e − ρ; whichever is smaller. Since the centre moves on to b, δ need not go to zero.
type proximal struct {
	*pair
	c, inv []float64 // centre, 1/ε
	du     []float64
	zf     []float64 // features of the free rows, scaled
	sw     []float64 // Z_W du
	free   []int
	moving []int
	y      []float64
	grad   []float64
	old    struct{ b, u, g []float64 } // b and u at the start of a stage, g at its end
	a      *active
	known  products
	noise  float64 // of ρ
}

const (
	// δ is in units of the gradient, whose scale for the hinge loss is 1.
	coldWidth, warmWidth = 0.3, 0.3
	minWidth             = 1e-4
	// nearWidth is the δ below which a solve to a rough gap tries the path.
	nearWidth = 0.02
	// A cold start begins with coldSweeps of single-variable steps and few free
	// variables, where no bounds are further apart than sweepSpan.
	sweepSpan, coldSweeps, coldFree = 30, 3, 100
	// stageSteps limits the Newton steps of a stage, maxStages their number.
	stageSteps = 60
	maxStages  = 60
	// nearGap is the gap at the start, relative to ½‖u‖², up to which a solve to a rough gap
	// tries the path before a stage.
	nearGap = 0.05
	// widest is the largest δ of a warm start: from far away wide stages take fewer steps.
	widest = 0.5
)

// stages moves the pair to the optimum: by a stage if many variables will change, along the path if few will, or if H
// is too ill-conditioned for stages. It returns Unknown when neither gets there. If a rough gap is enough, the path
// waits until δ is small: its factorisation costs as much as several steps of a stage.
func (c *proximal) stages(ctx context.Context) status.Status {
	p, a := c.pair, c.a
	width, near := c.start(ctx)
	all := math.Inf(1)
	tau := all
	if near && c.enough() {
		return status.Optimal
	}
	for range maxStages {
		if st := p.limited(ctx); st != status.Unknown {
			return st
		}
		if near || p.f.stiff {
			limit := 40 + len(a.rows)/2
			if p.f.stiff {
				limit = 20 * p.n
			}
			if st := a.follow(ctx, limit); st != status.Unknown || p.f.stiff {
				return st
			}
		}
		c.old.b = append(c.old.b[:0], p.b...)
		c.old.u = append(c.old.u[:0], p.u...)
		c.choose(tau, p.n)
		c.centre(width)
		steps, ok := c.stage(ctx, width)
		c.old.g = append(c.old.g[:0], c.g...)
		c.certify(ctx)
		if st := status.FromContext(ctx); st != status.Unknown {
			return st
		}
		if c.met() && !c.opt.Exact || c.enough() {
			return status.Optimal
		}
		if !ok {
			p.f.stiff = true
			copy(p.b, c.old.b)
			copy(p.u, c.old.u)
			continue
		}
		move := 0.0
		for i, g := range c.g {
			move = max(move, math.Abs(g-c.old.g[i]))
		}
		near = c.kkt <= 2*width && (width <= 0.1 || len(c.free) <= coldFree) &&
			(p.opt.Gap == 0 || width <= nearWidth)
		tau = max(3*c.kkt, 3*move, 2*width)
		switch {
		case c.kkt > 2*width:
			tau = all
		case steps <= 2:
			width = max(0.02*width, minWidth)
		default:
			width = max(0.2*width, minWidth)
		}
	}
	return status.Unknown
}

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
	return min(warmWidth, max(far, minWidth)), c.gap <= nearGap*scale
}

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

// centre begins a stage at b.
func (c *proximal) centre(width float64) {
	for _, i := range c.w {
		c.c[i], c.inv[i] = c.b[i], c.span(i)/width
	}
	c.noise = c.rough()
}

// stage minimises Φ until its gradient moves no z_iᵀu by more than a tenth of width. It
// is false when the steps do not suffice.
func (c *proximal) stage(ctx context.Context, width float64) (steps int, ok bool) {
	image := 0.0
	for _, h := range c.diag {
		image = max(image, h)
	}
	enough := 0.1 * width / math.Sqrt(image)
	predicted := c.predict(ctx)
	for ; ; steps++ {
		c.update(ctx, false)
		size := math.Sqrt(dense.Dot(c.grad, c.grad))
		norm := max(1, math.Sqrt(dense.Dot(c.u, c.u)))
		if size <= max(enough, c.noise, 1e-9*norm) {
			return steps, true
		}
		if steps == stageSteps || status.FromContext(ctx) != status.Unknown {
			return steps, false
		}
		if (steps > 0 || !predicted || !(dense.Dot(c.grad, c.du) < 0)) && !c.direction(ctx) {
			return steps, false
		}
		slope, square := dense.Dot(c.grad, c.du), dense.Dot(c.du, c.du)
		c.along(ctx, c.sw, c.du)
		c.result.Newton++
		t := c.search(slope, square)
		if t == 0 {
			return steps, false
		}
		dense.Axpy(t, c.du, c.u)
		for k, i := range c.w {
			c.g[i] += t * c.sw[k]
		}
	}
}

// predict sets du to a Newton step with the variables free that are free at the centre. It is false if there are none.
// At the same u, a smaller δ takes most of them to a bound, from which they come back a few a step.
func (c *proximal) predict(ctx context.Context) bool {
	if c.Start == nil && c.result.Newton == 0 {
		return false // sweeps say little of what is free
	}
	c.update(ctx, true)
	return len(c.free) > 0 && c.direction(ctx)
}

// update sets b = b(u), its image, the gradient ρ and the list of free variables. If held, these are the centre's, and
// the box does not bound them.
func (c *proximal) update(ctx context.Context, held bool) {
	c.free, c.idx, c.coef = c.free[:0], c.idx[:0], c.coef[:0]
	for _, i := range c.w {
		v := c.c[i] - c.g[i]*c.inv[i]
		free := v > c.Lo[i] && v < c.Hi[i]
		if held {
			free = c.c[i] > c.Lo[i] && c.c[i] < c.Hi[i]
		}
		switch {
		case free:
			c.free = append(c.free, i)
		case held:
			v = c.c[i]
		default:
			v = clip(v, c.Lo[i], c.Hi[i])
		}
		if v != c.b[i] {
			c.idx = append(c.idx, i)
			c.coef = append(c.coef, v-c.b[i])
			c.b[i] = v
		}
	}
	c.f.addAll(ctx, c.image, c.idx, c.coef)
	c.grad = duals.Grow(c.grad, len(c.u))
	for k, v := range c.u {
		c.grad[k] = v - c.image[k]
	}
}

// degraded is the spread of a Cholesky factor's pivots below which its solutions are useless as directions.
const degraded = 1e-7

// direction sets du to the Newton direction. It is false where there is none.
func (c *proximal) direction(ctx context.Context) bool {
	for k, v := range c.grad {
		c.du[k] = -v
	}
	switch m, most := len(c.free), c.f.most; {
	case m > most && c.f.r > most:
		return false
	case m > c.f.r || m > most:
		return c.small(ctx)
	}
	return c.dual(ctx)
}

// factor factors the matrix in chol. It is false when ctx has ended or a solution would be useless.
func (c *proximal) factor(ctx context.Context) bool {
	c.chol.Drop = 0
	return c.chol.Factor(ctx) == nil && c.chol.Spread() > degraded
}

// dual moves du = −ρ by the system of the order of F.
func (c *proximal) dual(ctx context.Context) bool {
	m := len(c.free)
	c.y = duals.Grow(c.y, m)
	l := c.chol.Begin(m)
	c.known.lower(ctx, c.f, l, c.free)
	for r, i := range c.free {
		l[r*m+r] += 1 / c.inv[i]
	}
	c.f.eachRows(ctx, m, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			c.y[r] = dense.Dot(c.f.row(c.free[r]), c.grad)
		}
	})
	if !c.factor(ctx) {
		return false
	}
	c.chol.Solve(c.y)
	c.f.addImage(c.du, c.free, c.y)
	return true
}

// small solves the system of the order of u for du = −ρ.
func (c *proximal) small(ctx context.Context) bool {
	const chunk = 256
	r := c.f.r
	l := c.chol.Begin(r)
	clear(l)
	for k := range r {
		l[k*r+k] = 1
	}
	c.zf = duals.Grow(c.zf, min(chunk, len(c.free))*r)
	for free := c.free; len(free) > 0; {
		m := min(chunk, len(free))
		for a, i := range free[:m] {
			e := math.Sqrt(c.inv[i])
			for k, v := range c.f.row(i) {
				c.zf[a*r+k] = e * v
			}
		}
		w := dense.Of(c.zf, m, r, r)
		if dense.MulLower(ctx, c.f.threads, 1, w.T(), w, dense.Of(l, r, r, r)) != nil {
			return false
		}
		free = free[m:]
	}
	if !c.factor(ctx) {
		return false
	}
	c.chol.Solve(c.du)
	return true
}

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

// search returns t with |dΦ/dt| at most a tenth of its value at 0: one when that will do, 0 when du is no direction
// of descent. Variables whose b_i is the same at two places are the same between them, which leaves few to look at.
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
