package centres

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/status"
)

const (
	rowBlock    = 128 // samples evaluated at a time by a worker
	newtonSteps = 100
	halvings    = 40
	decrement   = 1e-14 // relative decrease promised by a Newton step, below which it is optimal
)

// Certificate certifies a and b of one output for the vectors of a model. It is computed from the model itself by
// package gram, not from the search.
type Certificate struct {
	Status    status.Status
	Objective float64 // the output's terms of (1), without the penalty of widths
	Dual      float64 // dual objective at the model's slopes; NaN for a loss without a known dual
	Gradient  float64 // largest relative violation of the equations for a and b
	Steps     int
	Evals     int64 // kernel evaluations
}

// What an optimum may have: the gap in units of the objective, and the violation.
const (
	OptimalGap       = 1e-8
	OptimalViolation = 1e-6
)

// Refit solves for a and b with vectors and kernel fixed, by Newton's method from their present values. This is one
// convex program per output, with one certificate each.
func Refit(ctx context.Context, p *Problem, m *Model) ([]Certificate, error) {
	p.check()
	p = p.At(m)
	c := newConvex(p, m)
	solve := func(ctx context.Context, z []float64) (status.Status, int) { return c.newton(ctx, z, decrement) }
	if c.near != nil {
		solve = c.approach
	}
	certs := make([]Certificate, p.Outputs)
	for o := range certs {
		before := c.evals
		z := c.load(o)
		st, steps := solve(ctx, z)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c.unload(z)
		value, dual, violation := c.certify(ctx, z)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		certs[o] = Certificate{Status: st, Objective: value, Dual: dual, Gradient: violation, Steps: steps,
			Evals: c.evals - before}
	}
	return certs, nil
}

const (
	// roughly is the share of the objective that a Newton step of [Solve] must promise.
	roughly = 1e-3
	// keptValues is the most values of rows that a Solve keeps.
	keptValues = 1 << 17
)

// SolveBytes is the memory that a [Solve] takes in addition to that of a refit.
const SolveBytes = 8 * keptValues

// Solve is a [Refit] to about three digits without certificates, for the start of a search. A loss with a corner is
// rounded as in a search. It returns the number of steps.
func Solve(ctx context.Context, p *Problem, m *Model) (steps int, err error) {
	p.check()
	p = p.At(m)
	c := newConvex(p, m)
	c.near = nil
	if values := p.N * (c.k + 1); values <= keptValues {
		c.columns.kept = make([]float64, values)
	}
	for o := range p.Outputs {
		z := c.load(o)
		_, n := c.newton(ctx, z, roughly)
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		c.unload(z)
		steps += n
	}
	return steps, nil
}

// convex is the program in a and b of one output.
type convex struct {
	*Problem
	loss    Loss // the problem's, or with its corner rounded over another width
	model   *Model
	columns columns
	near    *proximal // nil for smooth losses
	k       int       // coefficients: of vectors, steps and the plane
	output  int
	share   [2]float64 // factor of α on each side, in the sums for the dual
	parts   []convexPart
	scratch []rowScratch
	norm    []float64 // k×k: ν (K_cc + ρI) for vectors, ν I for steps and the plane
	grad    []float64 // k+1
	hess    []float64 // (k+1)×(k+1)
	evals   int64
}

// columns are what the coefficients multiply.
type columns struct {
	packed *gram.Samples[float64] // the vectors
	axis   []int                  // the only feature of each step, or −1
	mean   []float64              // of the samples, for the plane
	kept   []float64              // the rows of all samples once they are known; nil to compute them every time
	known  bool
}

// convexPart holds the sums over a part of the samples.
type convexPart struct {
	value float64
	grad  []float64 // Σ_i r_i (k_i, 1)
	hess  []float64 // Σ_i s_i (k_i, 1)(k_i, 1)ᵀ, lower triangle
	side  [2]side
	_     [2*apartBytes - 19*8]byte
}

// side holds sums for the dual over the samples with one sign of δ: of α_i = |r_i|, of the loss, of the dual's terms at
// the share of α, and Σ r_i k_i.
type side struct {
	alpha, loss, dual float64
	grad              []float64
}

type rowScratch struct {
	k, active, f, r, s, shifted []float64
}

func newConvex(p *Problem, m *Model) *convex {
	c := &convex{Problem: p, loss: p.Loss, share: [2]float64{1, 1}, model: m, k: m.Units(),
		columns: columns{packed: gram.Pack[float64](m.Kernel, m.Vectors, m.K, p.D), axis: m.axes()}}
	if m.Plane != nil {
		c.k += p.D
		c.columns.mean = means(p)
	}
	parts, _ := partsOf(p.N, rowBlock)
	order := c.k + 1
	c.parts = make([]convexPart, parts)
	for i := range c.parts {
		c.parts[i] = convexPart{grad: apart(order), hess: apart(order * order)}
		for s := range c.parts[i].side {
			c.parts[i].side[s].grad = apart(c.k)
		}
	}
	if p.Loss.smoothed != nil {
		c.near = &proximal{make([]float64, p.N), make([]float64, p.N)}
	}
	c.scratch = make([]rowScratch, min(workers(p.Threads, p.N*c.k*p.D), parts))
	for i := range c.scratch {
		c.scratch[i] = rowScratch{k: make([]float64, rowBlock*order), active: make([]float64, rowBlock*order),
			f: make([]float64, rowBlock), r: make([]float64, rowBlock), s: make([]float64, rowBlock),
			shifted: make([]float64, rowBlock)}
	}
	c.norm, c.grad, c.hess = make([]float64, c.k*c.k), make([]float64, order), make([]float64, order*order)
	c.columns.packed.Cross(c.norm, c.k, m.Vectors, m.K)
	for j := range c.k {
		row := c.norm[j*c.k : (j+1)*c.k]
		if row[j] += Ridge; j >= m.K {
			row[j] = 1
		}
		for i := range row {
			row[i] *= p.Norm
		}
	}
	return c
}

// refitBytes is the memory of a refit of k vectors.
func refitBytes(p *Problem, k int) int64 {
	parts, _ := partsOf(p.N, rowBlock)
	workers := min(parallel.Workers(p.Threads), parts)
	order := int64(k + 1)
	b := int64(parts)*(order*order+3*order) + int64(workers)*rowBlock*(2*order+4) + 3*order*order + 3*order
	if p.Loss.smoothed != nil {
		b += 2 * int64(p.N)
	}
	if p.Levels != nil {
		b += int64(p.N) * int64(p.D)
	}
	return 8*b + gram.Bytes[float64](k, p.D)
}

// pass computes value, gradient and, if wanted, Hessian at z = (a, b); false if the context has ended.
func (c *convex) pass(ctx context.Context, z []float64, hessian bool) (value float64, ok bool) {
	_, each := partsOf(c.N, rowBlock)
	parallel.For(len(c.scratch), len(c.parts), func(w, i int) {
		p := &c.parts[i]
		p.clear()
		for b := i * each; b < (i+1)*each && b*rowBlock < c.N; b++ {
			if ctx.Err() != nil {
				return
			}
			c.rows(p, &c.scratch[w], z, b*rowBlock, min((b+1)*rowBlock, c.N), hessian)
		}
	})
	if ctx.Err() != nil {
		return 0, false
	}
	if !c.columns.known {
		c.evals += int64(c.N) * int64(c.model.K)
		c.columns.known = c.columns.kept != nil
	}
	clear(c.grad)
	clear(c.hess)
	for i := range c.parts {
		p := &c.parts[i]
		value += p.value
		dense.Axpy(1, p.grad, c.grad)
		if hessian {
			dense.Axpy(1, p.hess, c.hess)
		}
	}
	for j := range c.k {
		row := c.norm[j*c.k : (j+1)*c.k]
		ka := dense.Dot(row, z)
		value += ka * z[j] / 2
		c.grad[j] += ka
		dense.Axpy(1, row, c.hess[j*(c.k+1):])
	}
	return value, true
}

func (p *convexPart) clear() {
	p.value = 0
	clear(p.grad)
	clear(p.hess)
	for i := range p.side {
		clear(p.side[i].grad)
		p.side[i] = side{grad: p.side[i].grad}
	}
}

// rows adds the samples lo ≤ i < hi.
func (c *convex) rows(p *convexPart, s *rowScratch, z []float64, lo, hi int, hessian bool) {
	order, m := c.k+1, hi-lo
	k := c.fill(s.k, lo, hi)
	f, r := s.f[:m], s.r[:m]
	dense.MulVec(f, k, order, z)
	y, v := c.Target[c.output*c.N+lo:c.output*c.N+hi], c.Weight[c.output*c.N+lo:c.output*c.N+hi]
	shifted, curves := f, s.s[:m]
	if c.near != nil {
		shifted = s.shifted[:m]
		for i, shift := range c.near.shift[lo:hi] {
			shifted[i] = f[i] - shift
		}
	}
	if !hessian {
		curves = nil
	}
	p.value += c.loss.terms(r, curves, shifted, y, v)
	dense.AddRows(p.grad, r, k, order)
	if !hessian {
		c.sides(p, s, lo, y, v)
		return
	}
	n := 0
	for i, curve := range curves {
		if curve == 0 {
			continue
		}
		root := math.Sqrt(curve)
		to := s.active[n*order : (n+1)*order]
		for j, value := range k[i*order : (i+1)*order] {
			to[j] = root * value
		}
		n++
	}
	a := dense.Of(s.active, n, order, order)
	// A background context: the context is checked between blocks.
	if err := dense.MulLower(context.Background(), 1, 1, a.T(), a, dense.Of(p.hess, order, order, order)); err != nil {
		panic("centres: " + err.Error())
	}
}

// fill returns the rows of the samples lo ≤ i < hi, in dst unless they are kept.
func (c *convex) fill(dst []float64, lo, hi int) []float64 {
	order := c.k + 1
	if c.columns.kept != nil {
		if dst = c.columns.kept[lo*order : hi*order]; c.columns.known {
			return dst
		}
	}
	c.columns.packed.Cross(dst, order, c.X[lo*c.D:hi*c.D], hi-lo)
	for i := range hi - lo {
		c.further(dst[i*order:(i+1)*order], c.X[(lo+i)*c.D:(lo+i+1)*c.D])
	}
	return dst
}

// sides splits sums by the sign of δ_i = −r_i, for samples from lo on.
func (c *convex) sides(p *convexPart, s *rowScratch, lo int, y, v []float64) {
	if c.loss.dual == nil {
		return
	}
	order := c.k + 1
	for i := range y {
		if v[i] == 0 {
			continue
		}
		side, delta := 0, -s.r[i]
		if delta < 0 {
			side = 1
		}
		d := &p.side[side]
		if c.near != nil {
			c.near.delta[lo+i] = delta
		}
		d.alpha += math.Abs(delta)
		d.loss += v[i] * c.loss.value(y[i], s.f[i])
		d.dual += c.loss.dual(c.share[side]*delta, y[i], v[i])
		dense.Axpy(s.r[i], s.k[i*order:i*order+c.k], d.grad)
	}
}

// newton improves z until a step promises less than this share of the objective.
func (c *convex) newton(ctx context.Context, z []float64, smallest float64) (status.Status, int) {
	value, ok := c.pass(ctx, z, true)
	trial, dir := make([]float64, len(z)), make([]float64, len(z))
	const nothing = 1e-30 // of a unit of loss for each sample: an exact fit, whose steps promise half of what is left
	least := nothing * dense.Sum(c.Weight[c.output*c.N:(c.output+1)*c.N])
	for step := range newtonSteps {
		if !ok {
			return status.FromContext(ctx), step
		}
		if !c.direction(ctx, dir) {
			return status.Numerical, step
		}
		slope := dense.Dot(c.grad, dir)
		if !(-slope > max(least, smallest*math.Abs(value))) {
			return status.Optimal, step
		}
		moved := false
		for t, n := 1.0, 0; n < halvings && !moved && ok; t, n = t/2, n+1 {
			copy(trial, z)
			dense.Axpy(t, dir, trial)
			var now float64
			if now, ok = c.pass(ctx, trial, true); ok && now <= value+descent*t*slope {
				value, moved = now, true
				copy(z, trial)
			}
		}
		if !ok {
			return status.FromContext(ctx), step
		}
		if !moved { // only rounding is left; the certificate shows how much
			return status.Optimal, step
		}
	}
	return status.IterationLimit, newtonSteps
}

// direction solves hess·dir = −grad. The diagonal of a singular Hessian is increased until it is definite.
func (c *convex) direction(ctx context.Context, dir []float64) bool {
	order := c.k + 1
	l := make([]float64, len(c.hess))
	var largest float64
	for i := range order {
		largest = max(largest, math.Abs(c.hess[i*order+i]))
	}
	for extra := 0.0; ; extra = max(10*extra, 1e-15*largest) {
		if !(extra <= largest) || ctx.Err() != nil {
			return false
		}
		copy(l, c.hess)
		for i := range order {
			l[i*order+i] += extra
		}
		if c.hess[order*order-1] == 0 { // no sample has curvature
			l[order*order-1] += max(largest, math.SmallestNonzeroFloat64)
		}
		if cholupdate.Cholesky(ctx, l, order, order, 1) == nil {
			break
		}
	}
	for i, g := range c.grad {
		dir[i] = -g
	}
	return SolveFactored(ctx, l, dir) == nil
}

const (
	minWidth = 1e-6
	rounds   = 60
	exactGap = 1e-10 // relative gap at which a loss with a corner is solved
)

// proximal is the state of the proximal iteration, for a loss with a corner.
type proximal struct {
	delta []float64 // δ of the last round
	shift []float64 // subtracted from the decision values
}

// approach solves for a loss with a corner by the proximal point method in its dual (Rockafellar, "Monotone operators
// and the proximal point algorithm", SIAM J. Control Optim. 14, 1976). With α⁰ of the last round,
//
//	max over 0 ≤ α ≤ v of α t − μ (α − α⁰)²/(2v)
//
// is, up to a constant, the loss with its corner rounded over a width μ, at t + μ α⁰/v: a program for Newton's method
// with shifted decision values, f − μ δ⁰/v for the signed δ. (The ε-insensitive loss has two corners; the sign of δ
// tells which one.) It ends by the duality gap of the exact loss, so that the result does not depend on the widths.
func (c *convex) approach(ctx context.Context, z []float64) (status.Status, int) {
	clear(c.near.delta)
	clear(c.near.shift)
	steps := 0
	for width, round := searchWidth, 0; round < rounds; round++ {
		c.loss = c.Loss.smoothed(width)
		st, n := c.newton(ctx, z, decrement)
		steps += n
		if ctx.Err() != nil || st == status.Numerical {
			return st, steps
		}
		value, dual, _ := c.certify(ctx, z)
		if ctx.Err() != nil {
			return status.FromContext(ctx), steps
		}
		if value-dual <= exactGap*math.Max(1, math.Abs(value)) {
			return status.Optimal, steps
		}
		width = math.Max(width/10, minWidth)
		v := c.Weight[c.output*c.N:]
		for i, delta := range c.near.delta {
			if v[i] > 0 {
				c.near.shift[i] = width * delta / v[i]
			}
		}
	}
	return status.IterationLimit, steps
}
