// Package plane solves the duals of linear models over their features instead of a kernel matrix,
//
//	min ½ ‖Xᵀa‖² + pᵀa,   lo ≤ a ≤ hi,   Σ a = 0,
//
// by the primal-dual interior-point method of Mehrotra (1992), whose steps solve systems of the order of the features
// (Ferris & Munson 2003): the time of a step is linear in the points, and their number hardly depends on them or on
// the bounds. It ends at a point that meets the constraints exactly, with variables at their bounds, for a solver of
// two variables at a time to certify and, where need be, to go on from.
package plane

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/internal/dense"
)

// Program is the dual. A point may have several variables: variable v is of point v mod N.
type Program struct {
	X         []float64   // N×D, row-major
	Rows      *csr.Matrix // N rows of D features, instead of X; nil for none
	N, D      int
	P, Lo, Hi []float64 // of each variable, Lo < Hi, both finite
	Tolerance float64   // the violation of the conditions by a pair of variables at which the point is good enough
	Threads   int
	Progress  func(steps int, violation float64) // nil for none
}

// Point is a solution: a within its bounds, Σ a = 0 but for rounding, and XXᵀa of each variable.
type Point struct {
	A, KA     []float64
	Violation float64 // of the conditions by a pair, at least 0
	Steps     int
}

const (
	mostSteps = 100
	patience  = 8 // steps without a smaller violation, after the first that is looked at
)

// Solve returns the best point that was found, nil if none was, as where the context ends first. The same program
// has the same point for any Threads.
func (p *Program) Solve(ctx context.Context) *Point {
	f := newFeatures(ctx, p)
	if ctx.Err() != nil {
		return nil
	}
	s := newSolver(p, f)
	var best *Point
	worse := 0
	s.look()
	for steps := 0; steps < mostSteps && worse < patience; steps++ {
		if s.near() {
			s.look()
			q := s.settle()
			q.Steps = steps
			if worse++; best == nil || q.Violation < best.Violation {
				best, worse = q, 0
			}
			if best.Violation <= p.Tolerance {
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

// Bytes is what Solve takes at most, beside the program, for so many variables a point.
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

	m       []float64 // of order d+1: the factor of [I + XᵀWX, XᵀW1; 1ᵀWX, 1ᵀW1]
	weight  []float64 // W, of each point
	inverse []float64 // of each variable: its summand of W
	left    []float64 // minus the first equation's left-hand side
	perLow  []float64 // zlow/low of each variable
	perHigh []float64 // zhigh/high

	affine, both move // the predictor's direction and the step's
	change       []float64
}

func newSolver(p *Program, f *features) *solver {
	n, v := p.N, len(p.P)
	vector := func() []float64 { return make([]float64, v) }
	s := &solver{Program: p, f: f, low: vector(), high: vector(), zlow: vector(), zhigh: vector(), inverse: vector(),
		left: vector(), perLow: vector(), perHigh: vector(), w: make([]float64, p.D+1), g: make([]float64, n), weight: make([]float64, n),
		m: make([]float64, (p.D+1)*(p.D+1)), change: make([]float64, n)}
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

// of is the part of v that is of the variables e of all points.
func (s *solver) of(v []float64, e int) []float64 { return v[e*s.N : (e+1)*s.N : (e+1)*s.N] }

// value is variable v, from the bound that is nearer.
func (s *solver) value(v int) float64 {
	if s.low[v] < s.high[v] {
		return s.Lo[v] + s.low[v]
	}
	return s.Hi[v] - s.high[v]
}

// look makes what depends on the iterate anew, without the rounding of steps: w, Xw, Σ a and what follows.
func (s *solver) look() {
	a := s.inverse // scratch here
	for v := range a {
		a[v] = s.value(v)
	}
	s.sum = s.f.gather(s.w, a)
	s.f.mul(s.g, s.w, 0)
	s.measure()
}

// measure makes μ and what the first equation lacks.
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

// near reports whether it is worth a look at what the iterate comes to: prices of 1 are what errors cost, and what
// products add up to is a gap.
func (s *solver) near() bool {
	var size float64
	for v, p := range s.P {
		size += math.Abs(p * s.value(v))
	}
	return s.missed <= 0.1 && s.mu*float64(2*len(s.P)) <= 1e-2*size
}

// step is a predictor, a corrector and the step along both. The error is the factorisation's or the context's.
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

// aim says what Newton's equations in d are to come to: products of center, less what the products of a predictor add;
// products of 0 without one. All but w and b is eliminated: with D = zlow/low + zhigh/high, W = D⁻¹ and r what the
// first equation lacks with the products' share,
//
//	(I + XᵀWX) Δw + XᵀW1 Δb = XᵀWr,   1ᵀWX Δw + 1ᵀW1 Δb = 1ᵀWr + Σ a,   Δa = W (r − XΔw − Δb).
//
// It leaves Wr in d.a.
func (s *solver) aim(d *move, center float64, predictor *move) {
	for e := range s.f.each {
		da, inverse, left := s.of(d.a, e), s.of(s.inverse, e), s.of(s.left, e)
		low, high, zlow, zhigh := s.of(s.low, e), s.of(s.high, e), s.of(s.zlow, e), s.of(s.zhigh, e)
		dlow, dhigh := s.of(d.zlow, e), s.of(d.zhigh, e)
		if predictor == nil { // whose products are to be 0
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

// direction solves the equations of aim, of which d.w has XᵀWr and 1ᵀWr.
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

// reach is the largest step up to 1 that keeps everything from being negative. Quotients are made where a step is too
// far only, which is seldom.
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
