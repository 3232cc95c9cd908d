package boxqp

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/smo/internal/duals"
	"github.com/sparsekm/sparsekm/status"
)

// Any pair (u, b) with b in the box is optimal for a shifted problem, without ρ and the
// violated part w of g. The parametric active-set method removes the shift in proportion τ, from 1 to 0:
//
//	u − Zᵀb = τρ,  Z_F u + p_F = τw_F
//
// Between two changes of F everything is linear in τ, so a step goes to the first b_i that meets a bound and leaves
// F, or g_i − τw_i that meets zero and joins F (Best 1996). With Z_F = L Q the rates are, for falling τ,
//
//	y = L⁻¹(−w_F),  u' = Qᵀ(y + Qρ) − ρ,  b_F' = L⁻ᵀ(y + Qρ)
//
// A start from the solution of a similar problem takes as many steps as F has changes. Both u and b move by solutions
// of least-squares problems: b never comes from g/ε, nor u from a difference of large numbers.
type path struct {
	*active
	v      []float64 // w
	inside []bool    // F
	stale  bool      // F must be factored again
	tau    float64
}

// follow goes from the pair to the optimum, and again from its end if rounding errors are left.
// It returns Unknown when there are, or will be, more than limit changes of F.
func (a *active) follow(ctx context.Context, limit int) status.Status {
	c := &a.path
	c.stale = true
	for pass, refined := 0, 0; pass < maxPasses && refined < refinements; pass++ {
		if c.stale {
			a.load(ctx)
			c.stale = false
		}
		a.gradient(ctx)
		a.norm = math.Sqrt(dense.Dot(a.u, a.u))
		a.residual(ctx)
		c.violated()
		c.rates(ctx)
		if pass == 0 && c.predict(limit/2) > limit/2 {
			return status.Unknown
		}
		before := a.steps
		st := c.run(ctx, limit)
		if st == status.Unknown {
			st = a.limited(ctx)
		}
		if st != status.Unknown || c.tau > 0 {
			return st
		}
		a.certify(ctx)
		if a.steps == before+1 && !c.stale {
			refined++
		} else {
			refined = 0
		}
		if a.met() && (!a.opt.Exact || refined > 0) {
			return status.Optimal
		}
	}
	return a.conclude()
}

// predict estimates the number of changes of F from the first rates, and observes the rows that
// may come to the corner. The certificate covers the others.
func (c *path) predict(limit int) (changes int) {
	for k, i := range c.rows {
		if b := c.b[i] + c.d[k]; b < c.Lo[i] || b > c.Hi[i] {
			changes++
		}
	}
	c.mark()
	w := c.w[:0]
	for i := range c.n {
		g := c.g[i] - c.v[i]
		if !c.inside[i] && g*(c.g[i]+c.sw[i]) < 0 {
			changes++
		}
		if c.inside[i] || math.Abs(g) <= 0.1+3*math.Abs(c.sw[i]) {
			w = append(w, i)
		}
	}
	if changes <= limit {
		c.observe(w)
	}
	return changes
}

// violated sets w of the path: the gradient of free and of violating variables.
func (c *path) violated() {
	for i, g := range c.g {
		b := c.b[i]
		c.v[i] = 0
		if b > c.Lo[i] && b < c.Hi[i] || violation(b, c.Lo[i], c.Hi[i], g) > 0 {
			c.v[i] = g
		}
	}
	c.tau = 1
	c.observe(nil)
}

// run follows the path until τ is 0 or there were limit steps.
func (c *path) run(ctx context.Context, limit int) status.Status {
	for still := 0; c.tau > 0 && c.steps < limit && still < 50; {
		if st := status.FromContext(ctx); st != status.Unknown {
			return st
		}
		c.steps++
		c.result.Newton++
		h, leave, join := c.event()
		c.move(h)
		if h > 0 {
			still = 0
		} else {
			still++
		}
		switch {
		case leave >= 0:
			c.toBound(c.rows[leave], c.d[leave])
			c.remove(leave)
		case join >= 0:
			if !c.add(join, c.f.row(join)) {
				c.replace(join)
			}
		}
		c.rates(ctx)
	}
	return status.Unknown
}

// rates sets d = b_F', du = u' and sw = Z u'.
func (c *path) rates(ctx context.Context) {
	m := len(c.q)
	c.d = duals.Grow(c.d, m)
	for k, i := range c.rows {
		c.d[k] = -c.v[i]
	}
	c.forward(c.d)
	for k, row := range c.q {
		c.d[k] += dense.Dot(row, c.rho)
	}
	for k, v := range c.rho {
		c.du[k] = -v
	}
	dense.AddGathered(c.du, c.d, c.q)
	c.backward(c.d)
	c.along(ctx, c.sw, c.du)
}

// event returns the length of the step, and the place in F that leaves or the row that joins at its end, −1 for none.
func (c *path) event() (h float64, leave, join int) {
	h, leave, join = c.tau, -1, -1
	c.mark()
	for k, i := range c.rows {
		if room := c.room(i, c.d[k]); room < h {
			h, leave = room, k
		}
	}
	for k, i := range c.w {
		b, lo, hi := c.b[i], c.Lo[i], c.Hi[i]
		if c.inside[i] || lo == hi {
			continue
		}
		g, rate := c.g[i]-c.tau*c.v[i], c.sw[k]+c.v[i]
		if b == hi { // g has to be at most 0
			g, rate = -g, -rate
		}
		if rate < 0 && max(g, 0) < -h*rate {
			h, leave, join = max(g, 0)/-rate, -1, i
		}
	}
	return h, leave, join
}

// mark sets inside from the rows of F.
func (c *path) mark() {
	clear(c.inside)
	for _, i := range c.rows {
		c.inside[i] = true
	}
}

func (c *path) move(h float64) {
	dense.Axpy(h, c.du, c.u)
	for k, i := range c.rows {
		c.b[i] = clip(c.b[i]+h*c.d[k], c.Lo[i], c.Hi[i])
	}
	for k, i := range c.w {
		c.g[i] += h * c.sw[k]
	}
	c.tau -= h
}

// replace puts variable i into F, although its row depends on those of F. It moves i off its
// bound and F so that u stays, until one of them meets a bound.
func (c *path) replace(i int) {
	c.express()
	sign := 1.0
	if c.b[i] == c.Hi[i] {
		sign = -1
	}
	t, hit := c.reach(i, sign)
	c.stale = !c.exchange(i, sign, t, hit) || c.stale
}
