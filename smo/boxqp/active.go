package boxqp

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/smo/internal/duals"
	"github.com/sparsekm/sparsekm/status"
)

// The active-set method takes over from the proximal point method, near the optimum or where that fails. With F the
// free variables, held in an orthogonal factorisation Z_F = L Q, the step to the minimum over F is
//
//	H_FF db = −g_F,  du = Z_Fᵀ db:   y = L⁻¹(−g_F),  du = Qᵀy,  db = L⁻ᵀy
//
// Variables that meet a bound on the way stay there while the others go on; at the
// minimum, those that violate their conditions most join F. Both u and b move by solutions
// of least-squares problems: b never comes from g/ε, nor u from a difference of large numbers.
type active struct {
	*pair
	basis
	d, e  []float64 // direction over F, and Lᵀ of it
	du    []float64
	sw    []float64
	steps int
	path  path
}

const (
	// activeEntrants is how many variables join F at a time.
	activeEntrants = 16
	// activeRows limits the violating rows that the method observes, in addition to F and to rows near the corner.
	activeRows = 128
	// maxPasses limits the paths from where the last one ended.
	maxPasses = 10
	// refinements of a pair whose rows are right, before what is left is rounding.
	refinements = 3
)

// descend moves the pair to the optimum in at most the given number of steps; when
// they do not suffice it returns Unknown.
func (a *active) descend(ctx context.Context, limit int) status.Status {
	p := a.pair
	p.begin(ctx)
	a.load(ctx)
	p.choose(max(0.1, 3*p.violation()), activeRows)
	for refined := 0; a.steps < limit; {
		if st := p.limited(ctx); st != status.Unknown {
			return st
		}
		p.begin(ctx) // from the image of b, with ρ = 0
		for entered := 1; entered > 0; entered = a.enter(ctx) {
			if a.steps >= limit {
				return status.Unknown
			}
			if st := a.minimise(ctx); st != status.Unknown {
				return st
			}
		}
		p.certify(ctx)
		if st := status.FromContext(ctx); st != status.Unknown {
			return st
		}
		if p.met() && (!p.opt.Exact || refined > 0) {
			return status.Optimal
		}
		p.choose(max(0.1, 3*p.kkt), activeRows)
		if a.enter(ctx) > 0 {
			refined = 0
		} else if refined++; refined == refinements {
			return a.conclude()
		}
	}
	return status.Unknown
}

// load factors the free variables; those that depend on others go to a bound without
// moving u. When ctx ends it handles only a part of them; (u, b) stays a valid pair.
func (a *active) load(ctx context.Context) {
	a.idx = a.idx[:0]
	for i, b := range a.b {
		if b > a.Lo[i] && b < a.Hi[i] {
			a.idx = append(a.idx, i)
		}
	}
	for _, i := range a.build(ctx, a.f, &a.chol, a.idx) {
		if ctx.Err() != nil {
			return
		}
		if !a.add(i, a.f.row(i)) {
			a.slide(ctx, i)
		}
	}
}

// slide moves variable i, whose row depends on those of F, to the first bound on the side that lowers Q, and F with it
// so that u stays, up to rounding. If another variable meets its bound first, i takes its place in F.
func (a *active) slide(ctx context.Context, i int) {
	for ctx.Err() == nil {
		a.express()
		slope := a.g[i]
		for k, j := range a.rows {
			slope -= a.d[k] * a.g[j]
		}
		sign := 1.0
		if slope > 0 {
			sign = -1
		}
		t, hit := a.reach(i, sign)
		if curve := dense.Dot(a.part, a.part); curve > independent*independent*a.diag[i] && sign*slope+t*curve > 0 {
			t, hit = -sign*slope/curve, -2 // only where F is as large as it may be
		}
		if math.IsInf(t, 1) {
			return
		}
		dense.Axpy(t*sign, a.part, a.u)
		if a.exchange(i, sign, t, hit) {
			return
		}
	}
}

// express sets d so that z_i ≈ Σ d_k z_k, for the row i that add has just refused.
func (a *active) express() {
	a.d = append(a.d[:0], a.h[:len(a.q)]...) // the projection of z_i
	a.backward(a.d)
}

// exchange moves variable i by t along sign, and F so that u stays. If hit is a place in F, i takes that place, and
// exchange reports whether its row is independent of the others. Otherwise it is true; −1 puts i to its bound.
func (a *active) exchange(i int, sign, t float64, hit int) bool {
	for k, j := range a.rows {
		a.b[j] = clip(a.b[j]-t*sign*a.d[k], a.Lo[j], a.Hi[j])
	}
	a.b[i] = clip(a.b[i]+t*sign, a.Lo[i], a.Hi[i])
	if hit == -1 {
		a.toBound(i, sign)
	}
	if hit < 0 {
		return true
	}
	a.toBound(a.rows[hit], -sign*a.d[hit])
	a.remove(hit)
	return a.add(i, a.f.row(i))
}

// reach returns how far i, with z_i = Σ d_k z_k, can go along sign while F goes along −sign d,
// and the place in F that ends the step, or −1. Coefficients of rounding size do not count.
func (a *active) reach(i int, sign float64) (t float64, hit int) {
	var largest float64
	for _, d := range a.d {
		largest = max(largest, math.Abs(d))
	}
	t, hit = a.room(i, sign), -1
	for k, j := range a.rows {
		if math.Abs(a.d[k]) <= 1e-10*largest {
			continue
		}
		if room := a.room(j, -sign*a.d[k]); room < t {
			t, hit = room, k
		}
	}
	return t, hit
}

// room returns how far variable i can go along d.
func (a *active) room(i int, d float64) float64 {
	switch {
	case d > 0:
		return (a.Hi[i] - a.b[i]) / d
	case d < 0:
		return (a.Lo[i] - a.b[i]) / d
	}
	return math.Inf(1)
}

func (a *active) toBound(i int, d float64) {
	if d > 0 {
		a.b[i] = a.Hi[i]
	} else {
		a.b[i] = a.Lo[i]
	}
}

// minimise goes to the minimum over F. Variables that meet a bound on the way leave F.
func (a *active) minimise(ctx context.Context) status.Status {
	clear(a.du)
	for {
		if st := status.FromContext(ctx); st != status.Unknown {
			return st
		}
		a.steps++
		a.result.Newton++
		a.direction()
		t, hit := 1.0, -1
		for k, i := range a.rows {
			if room := a.room(i, a.d[k]); room < t {
				t, hit = room, k
			}
		}
		for k, i := range a.rows {
			a.b[i] = clip(a.b[i]+t*a.d[k], a.Lo[i], a.Hi[i])
			a.g[i] *= 1 - t
			a.e[k] *= t
		}
		dense.AddGathered(a.du, a.e, a.q)
		if hit < 0 {
			break
		}
		a.toBound(a.rows[hit], a.d[hit])
		a.remove(hit)
	}
	dense.Axpy(1, a.du, a.u)
	a.again(ctx)
	return status.Unknown
}

// direction sets e = −L⁻¹ g_F and d = L⁻ᵀe.
func (a *active) direction() {
	m := len(a.q)
	a.d, a.e = duals.Grow(a.d, m), duals.Grow(a.e, m)
	for k, i := range a.rows {
		a.e[k] = -a.g[i]
	}
	a.forward(a.e)
	copy(a.d, a.e)
	a.backward(a.d)
}

// again recomputes g in the observed rows.
func (a *active) again(ctx context.Context) {
	a.along(ctx, a.sw, a.u)
	for k, i := range a.w {
		a.g[i] = a.sw[k] + a.P[i]
	}
}

// candidates lists the variables of w outside F that violate their conditions by more
// than the tolerances allow, the most promising first by Huang et al. (2010), eq. (13).
func (a *active) candidates() []entrant {
	share := gapTolerance * max(1, a.primal) / float64(2*a.n)
	slack := a.tol / 2
	if a.opt.Exact {
		slack = 1e-3 * a.tol
	}
	out := a.out[:0]
	for _, i := range a.w {
		b, lo, hi, g := a.b[i], a.Lo[i], a.Hi[i], a.g[i]
		v := violation(b, lo, hi, g)
		if v > 0 && (b == lo || b == hi) && (v > slack || v*(hi-lo) > share) {
			out = append(out, entrant{i, v * v / max(a.diag[i], tau)})
		}
	}
	deal.Sort(out, byGain)
	a.out = out
	return out
}

// enter adds the best candidates to F and returns how many there were.
func (a *active) enter(ctx context.Context) int {
	out := a.candidates()
	out = out[:min(len(out), activeEntrants)]
	for _, e := range out {
		if !a.add(e.i, a.f.row(e.i)) {
			a.slide(ctx, e.i)
		}
	}
	return len(out)
}
