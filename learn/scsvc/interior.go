package scsvc

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// solver is the primal-dual interior-point method of Mehrotra (1992) for both programs of the package's comment,
// with α = p − q and slacks s and multipliers z, ν = C − β:
//
//	K(α − θ) + λ − z_p = 0,   −K(α − θ) + λ − z_q = 0,   y f + ξ − s = 1,   Σ θ = 0,
//	p z_p = q z_q = β s = ν ξ = μ → 0.
//
// The kernel is divided by its largest diagonal value, the unit, and so are the coefficients multiplied; C is then C
// times the unit.
type solver struct {
	Trainer
	p       *learn.Problem
	rows    []int // of the problem
	n       int
	unit    float64
	y, cost []float64
	k       []float64 // n×n
	a, x, m []float64 // K + E and its factor L, L⁻¹K, KᵀL⁻ᵀL⁻¹K + D and its factor
	v       point     // the iterate
	g, f    []float64 // K(α − θ) and K α
	best    found
	found   bool
	steps   int
}

// point is an iterate, or a direction.
type point struct {
	p, q, zp, zq []float64
	beta, nu     []float64
	s, xi        []float64
	b            float64
}

// found is a machine with its certificate, in the solver's units.
type found struct {
	alpha        []float64
	b            float64
	primal, dual float64
	violation    float64
}

// parts lists the vectors that stay positive, each beside the one that it is multiplied with.
func (v *point) parts() [4][2][]float64 {
	return [4][2][]float64{{v.p, v.zp}, {v.q, v.zq}, {v.beta, v.s}, {v.nu, v.xi}}
}

func newPoint(n int) point {
	make8 := make([]float64, 8*n)
	at := func(i int) []float64 { return make8[i*n : (i+1)*n : (i+1)*n] }
	return point{p: at(0), q: at(1), zp: at(2), zq: at(3), beta: at(4), nu: at(5), s: at(6), xi: at(7)}
}

// newSolver evaluates the kernel and makes the first point. The error is the context's.
func newSolver(ctx context.Context, p *learn.Problem, rows []int, t Trainer) (*solver, error) {
	n := len(rows)
	s := &solver{Trainer: t, p: p, rows: rows, n: n, k: make([]float64, n*n), y: make([]float64, n), cost: make([]float64, n)}
	pts, err := gram.PackContext[float64](ctx, p.Kernel, p.Points(rows), n, p.D)
	if err != nil {
		return nil, err
	}
	parallel.For(p.Threads, pts.FullBlocks(), func(_, b int) {
		if ctx.Err() == nil {
			pts.FullBlock(s.k, n, b)
		}
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for i := range n {
		s.unit = max(s.unit, s.k[i*n+i])
	}
	if s.unit == 0 {
		s.unit = 1
	}
	for i := range s.k {
		if s.k[i] /= s.unit; i%(1<<20) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	for i, row := range rows {
		s.y[i], s.cost[i] = p.Y[row], t.C*p.WeightOf(row)*s.unit
	}
	s.a, s.x, s.m = make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	s.g, s.f = make([]float64, n), make([]float64, n)
	s.start()
	return s, nil
}

// start chooses a point inside whose products are all μ = 1: multipliers near 1, and no function.
func (s *solver) start() {
	s.v = newPoint(s.n)
	v := &s.v
	for i, c := range s.cost {
		v.beta[i] = min(c/2, 1)
		v.nu[i] = c - v.beta[i]
		v.s[i], v.xi[i] = 1/v.beta[i], 1/v.nu[i]
		v.zp[i], v.zq[i] = s.Lambda, s.Lambda
		v.p[i], v.q[i] = 1/s.Lambda, 1/s.Lambda
	}
}

// product writes K x.
func (s *solver) product(x, dst []float64) { dense.MulVec(dst, s.k, s.n, x) }

// run takes steps until the gap is closed or does not close any more. The error is the context's, or the
// factorisation's.
func (s *solver) run(ctx context.Context, most int) (status.Status, error) {
	progress := s.p.Throttle()
	stuck := 0
	for s.steps = 0; ; s.steps++ {
		if st := status.FromContext(ctx); st != status.Unknown {
			return st, ctx.Err()
		}
		gap, better := s.look()
		if stuck++; better {
			stuck = 0
		}
		if gap <= finest*max(1e-300, math.Abs(s.best.primal)) {
			return status.Optimal, nil
		}
		if stuck >= 30 {
			return status.Optimal, nil // for the certificate to say
		}
		if s.steps == most {
			return status.IterationLimit, nil
		}
		if err := s.step(ctx); err != nil {
			if ctx.Err() != nil {
				return status.FromContext(ctx), err
			}
			return status.Numerical, err
		}
		progress(func() learn.Event {
			return learn.Event{Phase: "interior", Done: -1, Step: s.steps + 1, Violation: gap / math.Abs(s.best.primal)}
		})
	}
}

// step is a predictor, a corrector and the step along both. The error is the context's or the factorisation's.
func (s *solver) step(ctx context.Context) error {
	v := &s.v
	e, d := make([]float64, s.n), make([]float64, s.n)
	for i := range s.n {
		tp, tq := v.zp[i]/v.p[i], v.zq[i]/v.q[i]
		e[i] = tp * (tq / (tp + tq))
		d[i] = v.s[i]/v.beta[i] + v.xi[i]/v.nu[i]
	}
	if err := s.factor(ctx, e, d); err != nil {
		return err
	}
	mu := 0.0
	var comp [4][]float64 // −products of the pairs
	for k, pair := range v.parts() {
		comp[k] = make([]float64, s.n)
		for i, x := range pair[0] {
			comp[k][i] = -x * pair[1][i]
			mu += x * pair[1][i] / float64(4*s.n)
		}
	}
	affine := s.direction(comp)
	t := v.reach(&affine)
	after := 0.0
	for k, pair := range v.parts() {
		move := affine.parts()[k]
		for i, x := range pair[0] {
			after += (x + t*move[0][i]) * (pair[1][i] + t*move[1][i]) / float64(4*s.n)
		}
	}
	center := math.Pow(after/mu, 3) * mu
	for k := range comp {
		move := affine.parts()[k]
		for i := range comp[k] {
			comp[k][i] += center - move[0][i]*move[1][i]
		}
	}
	both := s.direction(comp)
	t = min(1, 0.995*v.reach(&both))
	for k, pair := range v.parts() {
		move := both.parts()[k]
		dense.Axpy(t, move[0], pair[0])
		dense.Axpy(t, move[1], pair[1])
	}
	v.b += t * both.b
	return ctx.Err()
}

// reach is the largest step up to 1 that keeps everything from being negative.
func (v *point) reach(d *point) float64 {
	t := 1.0
	for k, pair := range v.parts() {
		move := d.parts()[k]
		for side := range 2 {
			for i, m := range move[side] {
				if m < 0 {
					t = min(t, -pair[side][i]/m)
				}
			}
		}
	}
	return t
}

// factor prepares the system of [solver.direction]. The error is the context's or the factorisation's.
func (s *solver) factor(ctx context.Context, e, d []float64) (err error) {
	n, threads := s.n, parallel.Workers(s.p.Threads)
	if err = s.cholesky(ctx, s.a, e, func() error { copy(s.a, s.k); return nil }); err != nil {
		return err
	}
	copy(s.x, s.k)
	x := dense.Of(s.x, n, n, n)
	if err = dense.SolveLower(ctx, threads, dense.Of(s.a, n, n, n), x); err != nil {
		return err
	}
	return s.cholesky(ctx, s.m, d, func() error {
		clear(s.m)
		return dense.MulLower(ctx, threads, 1, x.T(), x, dense.Of(s.m, n, n, n))
	})
}

// cholesky overwrites a, as fill makes it, with the factor of a + diag(d). Where rounding leaves it without one, the
// diagonal grows by 1e-15 of its largest element, and by ten times more until there is one.
func (s *solver) cholesky(ctx context.Context, a, d []float64, fill func() error) (err error) {
	n := s.n
	for jitter := 0.0; jitter < 1e-6; jitter = max(1e-15, 10*jitter) {
		if err = fill(); err != nil {
			return err
		}
		most := 0.0
		for i := range n {
			most = max(most, a[i*n+i])
		}
		for i := range n {
			a[i*n+i] += d[i] + jitter*most
		}
		if err = cholupdate.Cholesky(ctx, a, n, n, parallel.Workers(s.p.Threads)); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// direction solves Newton's equations for products that change by comp. With Θ = z/x of p and q and
// E = Θ_p Θ_q/(Θ_p + Θ_q), D = s/β + ξ/ν, all but Δα, Δθ and Δb are eliminated one by one:
//
//	(K + E) Δα − K Δθ = r_α,   K Δα + Δb + D Δθ = r_m,   Σ Δθ = −Σ θ,
//
// and Δα from the first goes into the second: (K (K+E)⁻¹ K + D) Δθ + Δb = r_m − K (K+E)⁻¹ r_α.
func (s *solver) direction(comp [4][]float64) point {
	v, n := &s.v, s.n
	d := newPoint(n)
	rp, rq, ra, rm := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	one := make([]float64, n)
	var total float64
	for i, y := range s.y {
		rp[i] = v.zp[i] - s.g[i] - s.Lambda + comp[0][i]/v.p[i]
		rq[i] = v.zq[i] + s.g[i] - s.Lambda + comp[1][i]/v.q[i]
		tp, tq := v.zp[i]/v.p[i], v.zq[i]/v.q[i]
		ra[i] = rp[i] - (rp[i]+rq[i])*(tp/(tp+tq))
		rm[i] = y * (1 - y*(s.f[i]+v.b) - v.xi[i] + v.s[i] - comp[3][i]/v.nu[i] + comp[2][i]/v.beta[i])
		total += y * v.beta[i]
		one[i] = 1
	}
	w, kw := slices.Clone(ra), make([]float64, n)
	cholupdate.Solve(s.a, n, n, w)
	s.product(w, kw)
	for i := range rm {
		rm[i] -= kw[i]
	}
	theta := rm
	cholupdate.Solve(s.m, n, n, theta)
	cholupdate.Solve(s.m, n, n, one)
	var st, so float64
	for i := range theta {
		st += theta[i]
		so += one[i]
	}
	d.b = (st + total) / so
	dense.Axpy(-d.b, one, theta)
	s.product(theta, kw)
	alpha := kw
	for i := range alpha {
		alpha[i] += ra[i]
	}
	cholupdate.Solve(s.a, n, n, alpha)
	for i, y := range s.y {
		tp, tq := v.zp[i]/v.p[i], v.zq[i]/v.q[i]
		d.p[i] = (rp[i] + rq[i] + tq*alpha[i]) / (tp + tq)
		d.q[i] = d.p[i] - alpha[i]
		d.zp[i] = (comp[0][i] - v.zp[i]*d.p[i]) / v.p[i]
		d.zq[i] = (comp[1][i] - v.zq[i]*d.q[i]) / v.q[i]
		d.beta[i] = y * theta[i]
		d.nu[i] = -d.beta[i]
		d.s[i] = (comp[2][i] - v.s[i]*d.beta[i]) / v.beta[i]
		d.xi[i] = (comp[3][i] - v.xi[i]*d.nu[i]) / v.nu[i]
	}
	return d
}
