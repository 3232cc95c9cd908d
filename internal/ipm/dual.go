package ipm

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/internal/dense"
)

// Dual is the dual of a linear model, over its features instead of a kernel matrix,
//
//	min ½ ‖Xᵀa‖² + pᵀa,   lo ≤ a ≤ hi,   Σ a = 0.
//
// A sample may have several variables: variable v belongs to sample v mod N. A step solves a system of the order of the
// features (Ferris & Munson 2003). Its time is linear in the samples; the number of steps hardly depends on them or on
// the bounds. The solution meets the constraints exactly, with variables at their bounds. An SMO solver can certify it
// and, if necessary, continue from it.
type Dual struct {
	X         []float64   // N×D, row-major
	Rows      *csr.Matrix // N rows of D features, instead of X, or nil
	N, D      int
	P, Lo, Hi []float64 // of each variable, Lo < Hi, both finite
	Tolerance float64   // violation of the optimality conditions by a pair of variables at which Solve stops
	Threads   int
	// Enough, if not nil, reports whether a point within the tolerance is good enough. Solve goes on until one is.
	Enough   func(*DualPoint) bool
	Progress func(steps int, violation float64) // may be nil
}

// DualPoint is a solution: a within its bounds with Σ a = 0 up to rounding, and XXᵀa by variable.
type DualPoint struct {
	A, KA     []float64
	Violation float64 // of the optimality conditions by a pair, at least 0
	Steps     int
}

const patience = 8 // steps without a smaller violation, after the first solution

// Solve returns the best solution found, nil if there is none, for example because the context ended first. The result
// does not depend on Threads.
func (p *Dual) Solve(ctx context.Context) *DualPoint {
	f := newFeatures(ctx, p)
	if ctx.Err() != nil {
		return nil
	}
	s := newDualSolver(p, f)
	var best *DualPoint
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
		if s.Step(ctx, s) != nil {
			break
		}
	}
	return best
}

// DualBytes is the memory that Solve takes at most, in addition to the program, for each variables per sample.
func DualBytes(n, d, each int) int64 {
	order := int64(d + 1)
	return 8*(int64(n)*int64(14*each+8)+(groups+2)*order*order+order*int64(n/chunk+6+groups)) + rowsBytes(n, d)
}

// dualSolver is an iterate, with ρ = −b of the equality,
//
//	Xw + p + b − Low.Z + High.Z = 0,   w = Xᵀa,   all products X·Z → 0.
type dualSolver struct {
	*Dual
	Method
	Box        // a
	f          *features
	b          float64
	w, g       []float64 // Xᵀa and Xw
	sum        float64   // Σ a
	left       []float64 // minus the first equation's left-hand side
	missed     float64   // largest violation of the first equation
	m          []float64 // of order d+1: the factor of [I + XᵀWX, XᵀW1; 1ᵀWX, 1ᵀW1]
	theta      []float64 // shares
	weight     []float64 // W, their sums by sample
	dw, change []float64 // of the direction: Δw and Δb, and XΔw + Δb by sample
}

func newDualSolver(p *Dual, f *features) *dualSolver {
	n, v := p.N, len(p.P)
	s := &dualSolver{Dual: p, f: f, w: make([]float64, p.D+1), g: make([]float64, n), left: make([]float64, v),
		m: make([]float64, (p.D+1)*(p.D+1)), theta: make([]float64, v), weight: make([]float64, n),
		dw: make([]float64, p.D+1), change: make([]float64, n)}
	s.Method = NewMethod(&s.Box)
	s.Resize(v)
	for i := range v {
		box := p.Hi[i] - p.Lo[i]
		in := min(box/2, 1) // from the bound that is nearer to 0: most variables end there
		if s.Low.X[i], s.High.X[i] = in, box-in; math.Abs(p.Hi[i]) < math.Abs(p.Lo[i]) {
			s.Low.X[i], s.High.X[i] = box-in, in
		}
		s.Low.Z[i], s.High.Z[i] = 1/s.Low.X[i], 1/s.High.X[i]
	}
	return s
}

// part returns the elements of v for the e-th variable of every sample.
func (s *dualSolver) part(v []float64, e int) []float64 { return v[e*s.N : (e+1)*s.N : (e+1)*s.N] }

// value returns variable v.
func (s *dualSolver) value(v int) float64 { return s.Value(v, s.Lo[v], s.Hi[v]) }

// look recomputes w, Xw, Σ a and the residual from the iterate, free of the rounding of earlier steps.
func (s *dualSolver) look() {
	a := s.theta // scratch here
	for v := range a {
		a[v] = s.value(v)
	}
	s.sum = s.f.gather(s.w, a)
	s.f.mul(s.g, s.w, 0)
	s.measure()
}

// measure computes the residual of the first equation.
func (s *dualSolver) measure() {
	s.missed = 0
	for e := range s.f.each {
		p, left, low, high := s.part(s.P, e), s.part(s.left, e), s.part(s.Low.Z, e), s.part(s.High.Z, e)
		for i, g := range s.g {
			left[i] = low[i] - high[i] - g - p[i] - s.b
			s.missed = max(s.missed, math.Abs(left[i]))
		}
	}
}

// near reports whether the iterate is near enough to an optimum for settle: the first equation nearly holds, and the
// sum of the products, which is the gap, is small.
func (s *dualSolver) near() bool {
	if !(s.missed <= 0.1) {
		return false
	}
	var size float64
	for v, p := range s.P {
		size += math.Abs(p * s.value(v))
	}
	return dense.Dot(s.Low.X, s.Low.Z)+dense.Dot(s.High.X, s.High.Z) <= 1e-2*size
}

// Factor implements [Newton]. All but w and b is eliminated: with W the shares and r the residual of the first equation
// and the pull,
//
//	(I + XᵀWX) Δw + XᵀW1 Δb = XᵀWr,   1ᵀWX Δw + 1ᵀW1 Δb = 1ᵀWr + Σ a,   Δa = W (r − XΔw − Δb).
func (s *dualSolver) Factor(ctx context.Context) error {
	clear(s.weight)
	for e := range s.f.each {
		theta, low, high := s.part(s.theta, e), s.part(s.Low.Ratio, e), s.part(s.High.Ratio, e)
		for i := range s.weight {
			theta[i] = 1 / (low[i] + high[i])
			s.weight[i] += theta[i]
		}
	}
	s.pull()
	if err := s.f.normal(ctx, s.m, s.weight, s.dw, s.Low.DX); err != nil {
		return err
	}
	return cholupdate.Cholesky(ctx, s.m, s.D+1, s.D+1, s.Threads)
}

// pull leaves Wr in Low.DX.
func (s *dualSolver) pull() {
	for e := range s.f.each {
		da, theta, left := s.part(s.Low.DX, e), s.part(s.theta, e), s.part(s.left, e)
		low, high := s.part(s.Low.DZ, e), s.part(s.High.DZ, e)
		for i, left := range left {
			da[i] = theta[i] * (left + low[i] - high[i])
		}
	}
}

// Direction implements [Newton]. Factor has gathered what the predictor needs.
func (s *dualSolver) Direction(corrector bool) {
	if corrector {
		s.pull()
		s.dw[s.D] = s.f.gather(s.dw, s.Low.DX)
	}
	s.dw[s.D] += s.sum
	cholupdate.Solve(s.m, s.D+1, s.D+1, s.dw)
	s.f.mul(s.change, s.dw, s.dw[s.D])
	for e := range s.f.each {
		theta, da, minus := s.part(s.theta, e), s.part(s.Low.DX, e), s.part(s.High.DX, e)
		low, high := s.part(s.Low.DZ, e), s.part(s.High.DZ, e)
		perLow, perHigh := s.part(s.Low.Ratio, e), s.part(s.High.Ratio, e)
		for i, change := range s.change {
			d := da[i] - theta[i]*change
			da[i], minus[i] = d, -d
			low[i] -= perLow[i] * d
			high[i] += perHigh[i] * d
		}
	}
}

// Move implements [Newton].
func (s *dualSolver) Move(t, _ float64) {
	db := s.dw[s.D]
	s.b += t * db
	dense.Axpy(t, s.dw[:s.D], s.w[:s.D]) // which is Xᵀa as it was
	for i, d := range s.change {
		s.g[i] += t * (d - db)
	}
	s.sum *= 1 - t
	s.measure()
}

// settle returns the solution that the iterate converges to. A variable goes to a bound if its distance, relative to
// its range, is smaller than the bound's multiplier. The others share the correction that makes Σ a = 0.
func (s *dualSolver) settle() *DualPoint {
	q := &DualPoint{A: make([]float64, len(s.P)), KA: make([]float64, len(s.P))}
	var sum, size float64
	for v := range q.A {
		box := s.Hi[v] - s.Lo[v]
		switch a := s.value(v); {
		case s.Low.X[v] < min(s.High.X[v], box*s.Low.Z[v]):
			q.A[v] = s.Lo[v]
		case s.High.X[v] < min(s.Low.X[v], box*s.High.Z[v]):
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
func (s *dualSolver) spread(a []float64, sum float64, down bool) (given float64) {
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
