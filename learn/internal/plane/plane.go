// Package plane solves the duals of linear models over their features instead of a kernel matrix,
//
//	min ½ ‖Xᵀa‖² + pᵀa,   lo ≤ a ≤ hi,   Σ a = 0,
//
// by the primal-dual interior-point method of Mehrotra (1992), whose steps solve systems of the order of the features
// (Ferris & Munson 2003). The time of a step is linear in the samples; the number of steps hardly depends on them or on
// the bounds. The solution meets the constraints exactly, with variables at their bounds. An SMO solver can certify it
// and, if necessary, continue from it.
package plane

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/internal/dense"
)

// Program is the dual. A sample may have several variables: variable v belongs to sample v mod N.
type Program struct {
	X         []float64   // N×D, row-major
	Rows      *csr.Matrix // N rows of D features, instead of X, or nil
	N, D      int
	P, Lo, Hi []float64 // of each variable, Lo < Hi, both finite
	Tolerance float64   // violation of the optimality conditions by a pair of variables at which Solve stops
	Threads   int
	// Enough, if not nil, reports whether a point within the tolerance is good enough. Solve goes on until one is.
	Enough   func(*Point) bool
	Progress func(steps int, violation float64) // may be nil
}

// Point is a solution: a within its bounds with Σ a = 0 up to rounding, and XXᵀa by variable.
type Point struct {
	A, KA     []float64
	Violation float64 // of the optimality conditions by a pair, at least 0
	Steps     int
}

const (
	maxSteps = 100
	patience = 8 // steps without a smaller violation, after the first solution
)

// Solve returns the best solution found, nil if there is none, for example because the context ended first. The result
// does not depend on Threads.
func (p *Program) Solve(ctx context.Context) *Point {
	f := newFeatures(ctx, p)
	if ctx.Err() != nil {
		return nil
	}
	s := newSolver(p, f)
	var best *Point
	worse := 0
	s.look()
	for steps := 0; steps < maxSteps && worse < patience; steps++ {
		if s.near() {
			s.look()
			q := s.settle()
			q.Steps = steps
			if worse++; best == nil || q.Violation < best.Violation {
				best, worse = q, 0
			}
			if best.Violation <= p.Tolerance && (p.Enough == nil || worse == 0 && p.Enough(best)) {
				break
			}
			if p.Progress != nil {
				p.Progress(steps, best.Violation)
			}
		}
		if s.step(ctx) != nil || ctx.Err() != nil {
			break
		}
	}
	return best
}

// Bytes is the memory that Solve takes at most, in addition to the program, for each variables per sample.
func Bytes(n, d, each int) int64 {
	order := int64(d + 1)
	return 8*(int64(n)*int64(16*each+8)+(groups+2)*order*order+order*int64(n/chunk+6+groups)) + rowsBytes(n, d)
}

// solver is an iterate: a = lo + low = hi − high with the multipliers of both bounds, and ρ = −b of the equality.
//
//	Xw + p + b − zlow + zhigh = 0,   w = Xᵀa,   low·zlow = high·zhigh = μ → 0
type solver struct {
	*Program
	f           *features
	low, high   []float64
	zlow, zhigh []float64
	b           float64
	w, g        []float64 // Xᵀa and Xw
	mu, sum     float64   // mean product, and Σ a
	missed      float64   // largest violation of the first equation

	system
	affine, both move // the predictor's direction and the step's
}

// system is that of a Newton step.
type system struct {
	m       []float64 // of order d+1: the factor of [I + XᵀWX, XᵀW1; 1ᵀWX, 1ᵀW1]
	weight  []float64 // W, by sample
	inverse []float64 // by variable: its summand of W
	left    []float64 // minus the first equation's left-hand side
	perLow  []float64 // zlow/low by variable
	perHigh []float64 // zhigh/high by variable
	change  []float64 // XΔw + Δb by sample
}

func newSolver(p *Program, f *features) *solver {
	n, v := p.N, len(p.P)
	vector := func() []float64 { return make([]float64, v) }
	s := &solver{Program: p, f: f, low: vector(), high: vector(), zlow: vector(), zhigh: vector(),
		w: make([]float64, p.D+1), g: make([]float64, n),
		system: system{m: make([]float64, (p.D+1)*(p.D+1)), weight: make([]float64, n), inverse: vector(), left: vector(),
			perLow: vector(), perHigh: vector(), change: make([]float64, n)}}
	for _, d := range []*move{&s.affine, &s.both} {
		d.a, d.zlow, d.zhigh, d.w = vector(), vector(), vector(), make([]float64, p.D+1)
	}
	for i := range v {
		box := p.Hi[i] - p.Lo[i]
		in := min(box/2, 1) // from the bound that is nearer to 0: most variables end there
		if s.low[i], s.high[i] = in, box-in; math.Abs(p.Hi[i]) < math.Abs(p.Lo[i]) {
			s.low[i], s.high[i] = box-in, in
		}
		s.zlow[i], s.zhigh[i] = 1/s.low[i], 1/s.high[i]
	}
	return s
}

// of returns the part of v with the e-th variable of every sample.
func (s *solver) of(v []float64, e int) []float64 { return v[e*s.N : (e+1)*s.N : (e+1)*s.N] }

// value returns variable v, computed from the nearer bound.
func (s *solver) value(v int) float64 {
	if s.low[v] < s.high[v] {
		return s.Lo[v] + s.low[v]
	}
	return s.Hi[v] - s.high[v]
}

// look recomputes w, Xw, Σ a and the residuals from the iterate, free of the rounding of earlier steps.
func (s *solver) look() {
	a := s.inverse // scratch here
	for v := range a {
		a[v] = s.value(v)
	}
	s.sum = s.f.gather(s.w, a)
	s.f.mul(s.g, s.w, 0)
	s.measure()
}

// measure computes μ and the residual of the first equation.
func (s *solver) measure() {
	s.mu, s.missed = 0, 0
	for e := range s.f.each {
		p, left, low, high := s.of(s.P, e), s.of(s.left, e), s.of(s.low, e), s.of(s.high, e)
		zlow, zhigh := s.of(s.zlow, e), s.of(s.zhigh, e)
		for i, g := range s.g {
			left[i] = zlow[i] - zhigh[i] - g - p[i] - s.b
			s.missed = max(s.missed, math.Abs(left[i]))
			s.mu += low[i]*zlow[i] + high[i]*zhigh[i]
		}
	}
	s.mu /= float64(2 * len(s.P))
}

// near reports whether the iterate is near enough to an optimum for settle: the first equation nearly holds, and the
// sum of the products, which is the gap, is small.
func (s *solver) near() bool {
	var size float64
	for v, p := range s.P {
		size += math.Abs(p * s.value(v))
	}
	return s.missed <= 0.1 && s.mu*float64(2*len(s.P)) <= 1e-2*size
}

// step takes a predictor-corrector step. The error is that of the factorisation or the context.
func (s *solver) step(ctx context.Context) error {
	clear(s.weight)
	for e := range s.f.each {
		inverse, low, high := s.of(s.inverse, e), s.of(s.low, e), s.of(s.high, e)
		zlow, zhigh, perLow, perHigh := s.of(s.zlow, e), s.of(s.zhigh, e), s.of(s.perLow, e), s.of(s.perHigh, e)
		for i := range s.weight {
			perLow[i], perHigh[i] = zlow[i]/low[i], zhigh[i]/high[i]
			inverse[i] = 1 / (perLow[i] + perHigh[i])
			s.weight[i] += inverse[i]
		}
	}
	s.aim(&s.affine, 0, nil)
	if err := s.f.normal(ctx, s.m, s.weight, s.affine.w, s.affine.a); err != nil {
		return err
	}
	order := s.D + 1
	if err := cholupdate.Cholesky(ctx, s.m, order, order, s.Threads); err != nil {
		return err
	}
	s.direction(&s.affine)
	t := s.reach(&s.affine)
	after := 0.0
	for v, da := range s.affine.a {
		after += (s.low[v]+t*da)*(s.zlow[v]+t*s.affine.zlow[v]) + (s.high[v]-t*da)*(s.zhigh[v]+t*s.affine.zhigh[v])
	}
	after /= float64(2 * len(s.P))
	center := math.Pow(after/s.mu, 3) * s.mu
	s.aim(&s.both, center, &s.affine)
	s.both.w[s.D] = s.f.gather(s.both.w, s.both.a)
	s.direction(&s.both)
	t = min(1, 0.995*s.reach(&s.both))
	for v, da := range s.both.a {
		s.low[v] += t * da
		s.high[v] -= t * da
		s.zlow[v] += t * s.both.zlow[v]
		s.zhigh[v] += t * s.both.zhigh[v]
	}
	s.b += t * s.both.b
	dense.Axpy(t, s.both.w[:s.D], s.w[:s.D]) // which is Xᵀa as it was
	for i, d := range s.change {
		s.g[i] += t * (d - s.both.b)
	}
	s.sum *= 1 - t
	s.measure()
	return nil
}

// move is a direction.
type move struct {
	a, zlow, zhigh []float64
	w              []float64 // and b
	b              float64
}

// aim sets the right-hand sides of Newton's equations for d. The target of the products is center minus the
// second-order terms of the predictor, or 0 without a predictor. All but w and b is eliminated: with
// D = zlow/low + zhigh/high, W = D⁻¹ and r the residual of the first equation with the products' part,
//
//	(I + XᵀWX) Δw + XᵀW1 Δb = XᵀWr,   1ᵀWX Δw + 1ᵀW1 Δb = 1ᵀWr + Σ a,   Δa = W (r − XΔw − Δb).
//
// It leaves Wr in d.a.
func (s *solver) aim(d *move, center float64, predictor *move) {
	for e := range s.f.each {
		da, inverse, left := s.of(d.a, e), s.of(s.inverse, e), s.of(s.left, e)
		low, high, zlow, zhigh := s.of(s.low, e), s.of(s.high, e), s.of(s.zlow, e), s.of(s.zhigh, e)
		dlow, dhigh := s.of(d.zlow, e), s.of(d.zhigh, e)
		if predictor == nil { // the target is 0
			for i, left := range left {
				dlow[i], dhigh[i] = -zlow[i], -zhigh[i]
				da[i] = inverse[i] * (left - zlow[i] + zhigh[i])
			}
			continue
		}
		pa, plow, phigh := s.of(predictor.a, e), s.of(predictor.zlow, e), s.of(predictor.zhigh, e)
		for i, a := range pa {
			dlow[i] = (center-a*plow[i])/low[i] - zlow[i]
			dhigh[i] = (center+a*phigh[i])/high[i] - zhigh[i]
			da[i] = inverse[i] * (left[i] + dlow[i] - dhigh[i])
		}
	}
}

// direction solves the equations of aim. d.w holds XᵀWr and 1ᵀWr.
func (s *solver) direction(d *move) {
	d.w[s.D] += s.sum
	cholupdate.Solve(s.m, s.D+1, s.D+1, d.w)
	d.b = d.w[s.D]
	s.f.mul(s.change, d.w, d.b)
	for e := range s.f.each {
		da, inverse, dlow, dhigh := s.of(d.a, e), s.of(s.inverse, e), s.of(d.zlow, e), s.of(d.zhigh, e)
		perLow, perHigh := s.of(s.perLow, e), s.of(s.perHigh, e)
		for i, change := range s.change {
			da[i] -= inverse[i] * change
			dlow[i] -= perLow[i] * da[i]
			dhigh[i] += perHigh[i] * da[i]
		}
	}
}

// reach returns the largest step up to 1 that keeps distances and multipliers nonnegative. Divisions happen only when a
// step is too long, which is rare.
func (s *solver) reach(d *move) float64 {
	t := 1.0
	for e := range s.f.each {
		low, high, zlow, zhigh := s.of(s.low, e), s.of(s.high, e), s.of(s.zlow, e), s.of(s.zhigh, e)
		dlow, dhigh := s.of(d.zlow, e), s.of(d.zhigh, e)
		for i, da := range s.of(d.a, e) {
			if low[i]+t*da < 0 {
				t = min(t, -low[i]/da)
			}
			if high[i]-t*da < 0 {
				t = min(t, high[i]/da)
			}
			if zlow[i]+t*dlow[i] < 0 {
				t = min(t, -zlow[i]/dlow[i])
			}
			if zhigh[i]+t*dhigh[i] < 0 {
				t = min(t, -zhigh[i]/dhigh[i])
			}
		}
	}
	return t
}

// settle returns the solution that the iterate converges to. A variable goes to a bound if its distance, relative to
// its range, is smaller than the bound's multiplier. The others share the correction that makes Σ a = 0.
func (s *solver) settle() *Point {
	q := &Point{A: make([]float64, len(s.P)), KA: make([]float64, len(s.P))}
	var sum, size float64
	for v := range q.A {
		box := s.Hi[v] - s.Lo[v]
		switch a := s.value(v); {
		case s.low[v] < min(s.high[v], box*s.zlow[v]):
			q.A[v] = s.Lo[v]
		case s.high[v] < min(s.low[v], box*s.zhigh[v]):
			q.A[v] = s.Hi[v]
		default:
			q.A[v] = a
		}
		sum, size = sum+q.A[v], size+math.Abs(q.A[v])
	}
	for range 3 { // each pass leaves a smaller rounding error
		if math.Abs(sum) > 1e-15*size {
			sum -= s.spread(q.A, sum, sum > 0)
		}
	}
	w := make([]float64, s.D+1)
	s.f.gather(w, q.A)
	f := make([]float64, s.N)
	s.f.mul(f, w, 0)
	up, down := math.Inf(-1), math.Inf(1)
	for v, a := range q.A {
		q.KA[v] = f[v%s.N]
		g := q.KA[v] + s.P[v]
		if a < s.Hi[v] {
			up = max(up, -g)
		}
		if a > s.Lo[v] {
			down = min(down, -g)
		}
	}
	q.Violation = max(0, up-down)
	return q
}

// spread subtracts a sum from the variables between their bounds, in proportion to their distances from the bound, or
// from all variables if these do not suffice. It returns the sum that was subtracted.
func (s *solver) spread(a []float64, sum float64, down bool) (given float64) {
	room := func(v int) float64 {
		if down {
			return a[v] - s.Lo[v]
		}
		return s.Hi[v] - a[v]
	}
	for _, all := range []bool{false, true} {
		var total float64
		for v := range a {
			if all || a[v] > s.Lo[v] && a[v] < s.Hi[v] {
				total += room(v)
			}
		}
		if total < 2*math.Abs(sum) && !all || total == 0 {
			continue
		}
		share := sum / total
		for v, before := range a {
			if all || before > s.Lo[v] && before < s.Hi[v] {
				a[v] = min(max(before-share*room(v), s.Lo[v]), s.Hi[v])
				given += before - a[v]
			}
		}
		return given
	}
	return given
}
