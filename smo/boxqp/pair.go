package boxqp

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/smo/internal/duals"
	"github.com/sparsekm/sparsekm/status"
)

// pair is a solve for a Factor H = ZZᵀ: a primal iterate u in the image space and a dual iterate b in the box,
//
//	P(u) = ½‖u‖² + Σ max over b_i in the box of −b_i g_i,   g = Zu + p
//	D(b) = −½‖Zᵀb‖² − pᵀb = −Q(b)
//	P(u) − D(b) = Σ comp(g_i, b_i) + ½‖ρ‖²,                 ρ = u − Zᵀb
//
// with comp = g (b − lo) for g > 0 and −g (hi − b) for g < 0. P is 1-strongly convex, so
// ½‖u − u*‖² is at most that gap. The pair is judged, never b alone: with
// h_ii ≈ 1e8..1e10 one unit in the last place of b moves the gradient at Zᵀb by 1e-5 and more.
type pair struct {
	*state
	f      *Factor
	u, rho []float64
	image  []float64 // Zᵀb
	low    []float64 // rounding errors of image, if they matter

	w     []int       // rows under observation: their gradient is kept up to date
	whole bool        // w has all rows
	out   []entrant   // scratch
	seen  [][]float64 // features of the rows in w, unless whole
	chol  duals.Cholesky

	residuals
	best certified
}

// residuals are those of a pair: the violation, P(u) − D(b), P(u), ‖ρ‖ and ‖u‖.
type residuals struct {
	kkt, gap, primal, size, norm float64
}

// certified is the pair of the smallest gap so far. A context may end while the current pair is
// half changed; then this one is the result.
type certified struct {
	residuals
	b, u, g   []float64
	objective float64 // Q(b)
}

const (
	// gapTolerance bounds the gap of an optimum, relative to max(1, P).
	gapTolerance = 5e-7
	// rhoTolerance bounds ‖ρ‖ relative to max(1, ‖u‖); by ½‖ρ‖² that adds 1e-14 to the gap.
	rhoTolerance = 1e-7
	// corner is the |g| below which, with a stiff H, it is summed exactly.
	corner = 0.01
)

// phases returns the state of a solve, in the memory of an earlier solve.
func (f *Factor) phases(s *state) *proximal {
	if f.kept == nil {
		p := &pair{f: f}
		f.kept = &proximal{pair: p, a: &active{pair: p}}
		f.kept.a.path = path{active: f.kept.a}
	}
	c := f.kept
	c.state, c.chol.Threads = s, f.threads
	c.u = make([]float64, f.r) // the caller's
	for _, v := range []*[]float64{&c.rho, &c.image, &c.low, &c.du, &c.a.du} {
		*v = duals.Grow(*v, f.r)
	}
	for _, v := range []*[]float64{&c.c, &c.inv, &c.sw, &c.a.sw, &c.a.path.v} {
		*v = duals.Grow(*v, s.n)
	}
	c.a.path.inside = duals.Grow(c.a.path.inside, s.n)
	c.a.rows = c.a.rows[:0]
	c.known.begin(s.n)
	c.residuals, c.a.steps = residuals{gap: math.Inf(1)}, 0
	c.best.gap = math.Inf(1)
	return c
}

// solve returns the status of the last pair.
func (c *proximal) solve(ctx context.Context) status.Status {
	switch {
	case c.unbounded():
		c.begin(context.Background())
		c.judgeImage(ctx)
		return status.Unbounded
	case c.f.r == 0 || c.n == 1:
		return c.separate(ctx)
	}
	st := c.stages(ctx)
	if st == status.Unknown {
		st = c.a.descend(ctx, 20*c.n+1000)
	}
	if st == status.Unknown {
		st = status.IterationLimit
	}
	if st == status.IterationLimit {
		c.certify(ctx)
	}
	return st
}

// separate minimises over each variable alone, if there is one or H is zero.
func (c *proximal) separate(ctx context.Context) status.Status {
	for steps := -1; c.result.Steps > steps; c.sweep(ctx) {
		c.begin(ctx)
		c.judgeImage(ctx)
		switch st := c.limited(ctx); {
		case math.IsNaN(c.objective()):
			return status.Numerical
		case c.kkt <= c.tol:
			return status.Optimal
		case st != status.Unknown:
			return st
		}
		steps = c.result.Steps
	}
	return status.Numerical
}

// finish fills in the last pair.
func (c *pair) finish() *Result {
	r := &c.result
	if r.Status == status.TimeLimit || r.Status == status.Cancelled {
		r.Objective = c.restore()
	} else {
		r.Objective = c.objective()
	}
	r.B, r.G, r.U, r.KKT, r.Gap = c.b, c.g, c.u, c.kkt, c.gap
	return r
}

// begin sets the pair to b and its image.
func (c *pair) begin(ctx context.Context) {
	c.sum(ctx)
	for k, v := range c.image {
		c.u[k] = v + c.low[k]
	}
	c.gradient(ctx)
}

// limited returns the status of the limit that is reached, or Unknown.
func (c *pair) limited(ctx context.Context) status.Status {
	if c.result.Passes >= c.limit {
		return status.IterationLimit
	}
	return status.FromContext(ctx)
}

// gradient sets g = Zu + p. When ctx ends it leaves g incomplete.
func (c *pair) gradient(ctx context.Context) {
	c.f.product(ctx, c.g, c.u)
	dense.Axpy(1, c.P, c.g)
	c.result.Passes++
	if c.f.stiff {
		c.f.eachRows(ctx, c.n, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				if math.Abs(c.g[i]) < corner {
					c.g[i] = dotExact(c.P[i], c.f.row(i), c.u)
				}
			}
		})
	}
}

// certify computes g, ρ and the residuals of the pair afresh.
func (c *pair) certify(ctx context.Context) {
	c.gradient(ctx)
	c.norm = math.Sqrt(dense.Dot(c.u, c.u))
	c.residual(ctx)
	c.judge()
	c.keep(ctx)
	if c.opt.Progress != nil {
		c.opt.Progress(c.result.Passes, c.kkt)
	}
}

// residual sets ρ = u − Zᵀb.
func (c *pair) residual(ctx context.Context) {
	c.sum(ctx)
	for k, v := range c.u {
		c.rho[k] = v - c.image[k] - c.low[k]
	}
	c.size = math.Sqrt(dense.Dot(c.rho, c.rho))
}

// judge sets the residuals from g and ρ.
func (c *pair) judge() {
	c.kkt, c.gap, c.primal = 0, c.size*c.size/2, c.norm*c.norm/2
	for i, g := range c.g {
		b, lo, hi := c.b[i], c.Lo[i], c.Hi[i]
		c.kkt = max(c.kkt, violation(b, lo, hi, g))
		switch {
		case g > 0:
			if b > lo {
				c.gap += g * (b - lo)
			}
			if lo != 0 {
				c.primal -= g * lo
			}
		case g < 0:
			if b < hi {
				c.gap -= g * (hi - b)
			}
			if hi != 0 {
				c.primal -= g * hi
			}
		}
	}
}

// judgeImage judges the pair of b and its image, where ρ is rounding.
func (c *pair) judgeImage(ctx context.Context) {
	c.norm, c.size = math.Sqrt(dense.Dot(c.u, c.u)), 0
	c.judge()
	c.keep(ctx)
}

// keep remembers the pair if its residuals are complete and its gap is the smallest so far.
func (c *pair) keep(ctx context.Context) {
	if ctx.Err() != nil || !(c.gap < c.best.gap) {
		return
	}
	best := &c.best
	best.residuals, best.objective = c.residuals, c.objective()
	best.b = append(best.b[:0], c.b...)
	best.u = append(best.u[:0], c.u...)
	best.g = append(best.g[:0], c.g...)
}

// objective is Q(b).
func (c *pair) objective() float64 { return dense.Dot(c.image, c.image)/2 + dense.Dot(c.P, c.b) }

// restore makes the pair that keep has remembered the current one and returns its objective. Without one
// the current pair has an infinite violation and gap.
func (c *pair) restore() float64 {
	best := &c.best
	if c.residuals = best.residuals; math.IsInf(best.gap, 1) {
		c.kkt = best.gap
		return c.objective()
	}
	copy(c.b, best.b)
	copy(c.u, best.u)
	copy(c.g, best.g)
	return best.objective
}

// met reports whether the pair is optimal to the tolerances.
func (c *pair) met() bool {
	return c.kkt <= c.tol && c.gap <= gapTolerance*max(1, c.primal) && c.size <= rhoTolerance*max(1, c.norm)
}

// enough reports whether the gap is below Options.Gap.
func (c *pair) enough() bool { return c.opt.Gap > 0 && c.gap <= c.opt.Gap*c.norm*c.norm/2 }

// settled is met without the bound on ‖ρ‖: the gap includes the rounding errors of b in ρ.
func (c *pair) settled() bool { return c.kkt <= c.tol && c.gap <= gapTolerance*max(1, c.primal) }

// choose observes the rows within width of the corner, the free rows and the violating
// rows; of the last at most the given number, those of the largest gain.
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
		deal.Sort(c.out, byGain)
		c.out = c.out[:violating]
	}
	for _, e := range c.out {
		c.w = append(c.w, e.i)
	}
	slices.Sort(c.w)
	c.observe(c.w)
}

// observe sets w to the given rows, which are ascending and may share its memory; nil means all.
func (c *pair) observe(w []int) {
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

// stretch lengthens u slightly, so that rounding errors fall on the side of the corner without loss: at a large C the
// hinge losses of margins that miss 1 by 1e-9 can exceed all the rest. It keeps the u with the smaller gap.
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
