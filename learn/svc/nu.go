package svc

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/status"
)

// A model with ν has a second equality, uᵀa = want: Σα = ν l of ν-SVC, Σ(α + α*) = C ν l of ν-SVR (Schölkopf, Smola,
// Williamson & Bartlett 2000; Chang & Lin 2001). Its multiplier s is the margin of the one and the ε of the other, and
// for a given s the program is that of C-SVC or ε-SVR:
//
//	φ(s) = min ½ aᵀKa + (p + s u)ᵀa − s want   subject to   lo ≤ a ≤ hi,  1ᵀa = 0
//
// is concave with the slope uᵀa(s) − want, which is piecewise linear where K is definite. search looks for its zero
// from both sides. Between the two nearest solutions lies one with the slope 0, and when that satisfies the optimality
// conditions of both groups of variables, u > 0 and u < 0, to the tolerance, it is the model: this is LIBSVM's rule.
type nuSearch struct {
	*program
	q       *smo.Pair
	opt     smo.Options
	p, u    []float64
	want    float64
	lo, hi  *nuPoint // slope ≥ 0, slope ≤ 0; nil before there is one
	best    *nuPoint // between them
	last    *nuPoint // while one is nil
	side    int      // of the last solution, and how often one after the other: 2 is lo twice, −3 hi three times
	steps   int
	rounds  int
	stalled status.Status
	fine    bool // there have been samples on both sides
}

// nuPoint is a solution for one price.
type nuPoint struct {
	s, slope float64
	coarse   bool    // only the side counted
	rho      float64 // −b
	a, ka    []float64
}

// searchMemory is what a search of n variables keeps beside the solver: four samples, direction, prices and an order.
func searchMemory(n int) int64 { return 8 * 12 * int64(n) }

// search solves the program with a share and returns the solution, as one of the program without at its price.
func (m *program) search(ctx context.Context, p *learn.Problem, rows []int, q *smo.Pair,
	opt smo.Options) (*smo.PairResult, float64, error) {
	z := &nuSearch{program: m, q: q, opt: opt, p: append([]float64(nil), q.P...)}
	z.u, z.want = m.share(p, rows)
	s, most, least := z.first(p, rows)
	const (
		looks  = 200
		enough = 1e-9 // of the share: an error of the objective that is as small beside it
	)
	for look := 0; ; look++ {
		at := z.zero(s)
		if z.unit || s < most {
			at = z.solve(ctx, s)
		}
		z.bracket(at)
		best := z.between()
		if math.Abs(at.slope) <= enough*math.Abs(z.want) {
			best = at
		}
		z.best = best
		violation := z.violation(best)
		if z.opt.Progress != nil && !math.IsInf(violation, 1) {
			z.opt.Progress(z.steps, violation)
		}
		end := z.stalled
		switch {
		case violation <= z.tolerance*z.scale(best.s):
			end = status.Optimal
		case end == status.Unknown && look == looks:
			end = status.Numerical
		}
		if end != status.Unknown {
			return z.result(best, end), z.price(best.s), nil
		}
		if s = z.next(at, most); !(s >= least) {
			return nil, 0, fmt.Errorf("%s: %w: the classes overlap so that no margin is left; want at least %.4g times as much",
				m.method, ErrShare, at.slope/z.want+1)
		}
	}
}

// bracket takes a solution in.
func (z *nuSearch) bracket(at *nuPoint) {
	if at.slope >= 0 {
		z.lo, z.side = at, max(z.side, 0)+1
	}
	if at.slope <= 0 {
		z.hi, z.side = at, min(z.side, 0)-1
	}
}

// price is s as C-SVC and ε-SVR have it.
func (z *nuSearch) price(s float64) float64 {
	if z.unit {
		return 1 / s
	}
	return s
}

// scale is what violations are compared in: units of the model that is returned.
func (z *nuSearch) scale(s float64) float64 {
	if !z.unit {
		return 1
	}
	return min(1, s)
}

// first is a price to begin with, and the largest and least one that there may be. A margin below 10⁻⁶ of the samples'
// squared distance in feature space, which C-SVC has at 10⁶ of the C that is natural there, is none.
func (z *nuSearch) first(p *learn.Problem, rows []int) (s, most, least float64) {
	if z.unit {
		x := func(r int) []float64 { return p.X[rows[r]*p.D : (rows[r]+1)*p.D] }
		own, wide, size := p.Kernel.Eval(x(0), x(0)), 0.0, 0.0
		for r := range rows {
			k := p.Kernel.Eval(x(r), x(r))
			size = max(size, k)
			wide = max(wide, own+k-2*p.Kernel.Eval(x(0), x(r)))
		}
		wide = max(wide, 0x1p-40*size)
		return wide / 2, math.Inf(1), 1e-6 * wide
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, i := range rows {
		lo, hi = min(lo, p.Y[i]), max(hi, p.Y[i])
	}
	most = hi/2 - lo/2 // every sample is in the tube
	return most / 8, most, 0
}

// zero is the solution of a regression whose tube has all samples.
func (z *nuSearch) zero(s float64) *nuPoint {
	return &nuPoint{s: s, slope: -z.want, a: make([]float64, len(z.p)), ka: make([]float64, len(z.p))}
}

// solve solves the program at price s, from the best point so far.
func (z *nuSearch) solve(ctx context.Context, s float64) *nuPoint {
	for v := range z.p {
		z.q.P[v] = z.p[v] + s*z.u[v]
	}
	if z.best != nil {
		z.q.Start, z.q.KStart = z.best.a, z.best.ka
	}
	opt := z.opt
	opt.Progress = nil
	opt.Tolerance = z.tolerance * z.scale(s) / 4
	z.fine = z.fine || z.lo != nil && z.hi != nil
	if !z.fine {
		opt.Tolerance = max(opt.Tolerance, 5e-3*s)
	}
	if opt.MaxIter > 0 {
		opt.MaxIter = max(1, opt.MaxIter-z.steps)
	}
	r := z.q.Solve(ctx, opt)
	z.steps += r.Iterations
	z.rounds += r.Rounds
	if r.Status != status.Optimal {
		z.stalled = r.Status
		if r.Status == status.Unknown { // ‖a‖ beyond q.Most
			z.stalled = status.Numerical
		}
	}
	at := &nuPoint{s: s, slope: -z.want, coarse: !z.fine, rho: r.Rho, a: r.A, ka: r.G}
	for v := range r.G {
		r.G[v] -= z.q.P[v]
		at.slope += z.u[v] * r.A[v]
	}
	return at
}

// between is the sample of slope 0 on the line from lo to hi, or the one that there is.
func (z *nuSearch) between() *nuPoint {
	switch {
	case z.lo == nil:
		return z.hi
	case z.hi == nil || z.lo == z.hi:
		return z.lo
	}
	t := z.lo.slope / (z.lo.slope - z.hi.slope)
	at := &nuPoint{s: z.lo.s + t*(z.hi.s-z.lo.s), a: make([]float64, len(z.p)), ka: make([]float64, len(z.p))}
	for v := range at.a {
		at.a[v] = z.lo.a[v]
		if z.hi.a[v] != z.lo.a[v] { // bounds above all stay what they are
			at.a[v] += t * (z.hi.a[v] - z.lo.a[v])
		}
		at.ka[v] = z.lo.ka[v] + t*(z.hi.ka[v]-z.lo.ka[v])
	}
	return at
}

// groups are m and M of the optimality conditions, as of a [smo.PairResult], in the variables with u > 0 and u < 0.
func (z *nuSearch) groups(at *nuPoint) (m, M [2]float64) {
	m, M = [2]float64{math.Inf(-1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(1)}
	for v, a := range at.a {
		g, group := -at.ka[v]-z.p[v], 0
		if z.u[v] < 0 {
			group = 1
		}
		if a < z.q.Hi[v] {
			m[group] = max(m[group], g)
		}
		if a > z.q.Lo[v] {
			M[group] = min(M[group], g)
		}
	}
	return m, M
}

// violation is the largest one of the optimality conditions by a pair of the same group; infinite while the share
// is not known to be between two solutions.
func (z *nuSearch) violation(at *nuPoint) float64 {
	if (z.lo == nil || z.hi == nil) && !z.ended(at) {
		return math.Inf(1)
	}
	m, M := z.groups(at)
	return max(0, m[0]-M[0], m[1]-M[1])
}

// settle puts the price where the groups' multipliers, −(m + M)/2 each, want it: a pair of two groups then violates
// no more than one of the same.
func (z *nuSearch) settle(at *nuPoint) {
	m, M := z.groups(at)
	if s := (m[0] + M[0] - m[1] - M[1]) / 4; s-s == 0 && s > 0 && !z.ended(at) {
		at.s = s
	}
}

// ended reports whether the price can go no further: an ε of 0 with fewer errors than the share allows.
func (z *nuSearch) ended(at *nuPoint) bool { return !z.unit && at.s == 0 && at.slope < 0 }

// next is the price to look at: by the secant, and where one side has not moved for a while, by one with less of its
// slope ("Illinois"), so that both come near.
func (z *nuSearch) next(at *nuPoint, most float64) float64 {
	if far := z.stale(); far != nil {
		return far.s
	}
	guess := z.quantile(at)
	if last := z.last; last != nil {
		const beyond = 1.5 // of the way that the last two slopes foretell
		guess = at.s + beyond*at.slope*(at.s-last.s)/(last.slope-at.slope)
	}
	z.last = at
	switch {
	case z.hi == nil: // NaN is as good as no guess
		return min(16*z.lo.s, most, max(1.05*z.lo.s, math.Ldexp(z.lo.s, z.side-4), finiteOr(guess, 0)))
	case z.lo == nil && !z.unit && z.hi.s < 1e-3*most:
		return 0
	case z.lo == nil:
		return max(z.hi.s/16, min(0.999*z.hi.s, math.Ldexp(z.hi.s, z.side+4), finiteOr(guess, z.hi.s)))
	}
	lo, hi := z.lo.slope, z.hi.slope
	if z.side > 1 {
		hi = math.Ldexp(hi, 1-z.side)
	} else if z.side < -1 {
		lo = math.Ldexp(lo, 1+z.side)
	}
	return z.lo.s + lo/(lo-hi)*(z.hi.s-z.lo.s)
}

// stale takes back a side that was settled coarsely, when many solutions on the other side have not come near it: it
// may have been the wrong one.
func (z *nuSearch) stale() (far *nuPoint) {
	const many = 3
	switch {
	case z.side >= many && z.hi != nil && z.hi.coarse:
		far, z.hi = z.hi, nil
	case z.side <= -many && z.lo != nil && z.lo.coarse:
		far, z.lo = z.lo, nil
	}
	return far
}

func finiteOr(v, other float64) float64 {
	if v-v != 0 {
		return other
	}
	return v
}

// quantile is the price at which the model as it is would have the share: of variables that pay it, those that
// gain by it have as much room.
func (z *nuSearch) quantile(at *nuPoint) float64 {
	gain, order := make([]float64, len(z.p)), make([]int, len(z.p))
	for v, u := range z.u {
		order[v], gain[v] = v, -u*(at.ka[v]+z.p[v]-at.rho) // y f, or an error on one side
	}
	slices.SortFunc(order, func(a, b int) int {
		if z.unit {
			return cmp.Compare(gain[a], gain[b])
		}
		return cmp.Compare(gain[b], gain[a])
	})
	room := math.Abs(z.want)
	for _, v := range order {
		if room -= z.q.Hi[v] - z.q.Lo[v]; room <= 0 {
			return max(gain[v], 0)
		}
	}
	return at.s
}

// result states the solution as one of the program at its price.
func (z *nuSearch) result(at *nuPoint, st status.Status) *smo.PairResult {
	if st == status.Optimal {
		z.settle(at)
	}
	unit := 1.0
	if z.unit && at.s > 0 {
		unit = at.s
	}
	r := &smo.PairResult{Status: st, A: at.a, G: at.ka, Iterations: z.steps, Rounds: z.rounds}
	for v := range z.p {
		z.q.P[v] = (z.p[v] + at.s*z.u[v]) / unit
		z.q.Lo[v] /= unit
		z.q.Hi[v] /= unit
		at.a[v] = min(max(at.a[v]/unit, z.q.Lo[v]), z.q.Hi[v])
		at.ka[v] = at.ka[v]/unit + z.q.P[v]
	}
	z.q.Certify(r)
	return r
}
