package density

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// estimate is a density during training: coefficients of Gaussians of height 1 at the distinct samples.
type estimate struct {
	learn.Resources
	p      *learn.Problem
	c      float64
	height float64 // logarithm of the height of a Gaussian
	n      int
	first  []int     // distinct sample → lowest row of the problem
	weight []float64 // of each distinct sample
	total  float64   // Σ weight
	merged int
	gram   time.Duration
	k      []float64 // n×n
	units  []float64 // λ^(−1/2) of the first program
	state
	*program
}

// state is what the rounds change.
type state struct {
	centres   []int // remaining Gaussians: distinct samples
	alpha     []float64
	rounds    []Round
	steps     int
	begun     bool // a program has begun: before, the context may have ended in the kernel values
	uncovered bool // the coefficient of the only Gaussian near some sample goes to 0
}

const (
	tolerance = 1e-6   // relative gap and violation of a fixed point
	fading    = 1e-10  // coefficient below which a Gaussian may be dropped
	falling   = 0.9    // if it has also fallen below this share of its last value
	minCover  = 1e-280 // density that every sample must keep, in units of a Gaussian's height
	hopeless  = 1e-30  // coefficient at which the only Gaussian near a sample is given up
)

// newEstimate evaluates the kernel. The error is the context's or the budget's.
func newEstimate(ctx context.Context, p *learn.Problem, c, height float64) (*estimate, error) {
	e := &estimate{Resources: p.Resources, p: p, c: c, height: height}
	present := p.Present()
	first, index := learn.Distinct(p.Samples(present), len(present), p.D)
	e.first, e.n, e.merged = deal.Pick(present, first), len(first), len(present)-len(first)
	if err := p.Budget("skde", p.N, p.D).Take(bytes(e.n, p.D, p.Threads)); err != nil {
		return nil, err
	}
	e.weight = make([]float64, e.n)
	for k, sample := range index {
		w := p.WeightOf(present[k])
		e.weight[sample] += w
		e.total += w
	}
	start := time.Now()
	pts, err := gram.PackContext[float64](ctx, p.Kernel, p.Samples(e.first), e.n, p.D)
	if err != nil {
		return nil, learn.Nothing(ctx, "skde")
	}
	if e.k = dense.New(ctx, e.n*e.n); e.k == nil {
		return nil, learn.Nothing(ctx, "skde")
	}
	_ = learn.FullMatrix(ctx, pts, e.k, e.n, p.Threads) // the context is checked between programs
	e.gram = time.Since(start)
	e.units = slices.Repeat([]float64{1}, e.n)
	e.centres, e.alpha = deal.All(e.n), slices.Repeat([]float64{1 / float64(e.n)}, e.n)
	e.program = newProgram(ctx, e.n, parallel.Workers(p.Threads), c, e.weight)
	return e, nil
}

// run solves programs until a fixed point: the solution belongs to its own λ.
func (e *estimate) run(ctx context.Context, limit int) status.Status {
	show := e.Throttle()
	for range limit {
		if st := status.FromContext(ctx); st != status.Unknown {
			return st
		}
		penalty, err := e.round(ctx)
		switch {
		case ctx.Err() != nil:
			return status.FromContext(ctx)
		case err != nil || e.uncovered:
			return status.Numerical
		}
		gap, likelihood := e.gap()
		for gap > e.enough(likelihood) && e.newton(ctx, gap) {
			gap, likelihood = e.gap()
		}
		e.rounds = append(e.rounds, Round{likelihood, penalty, len(e.centres)})
		show(func() learn.Event {
			return learn.Event{Phase: "round", Done: -1, Step: len(e.rounds), Vectors: len(e.centres), Violation: gap}
		})
		if gap <= e.enough(likelihood) {
			return status.Optimal
		}
	}
	return status.IterationLimit
}

// round solves the program of the present λ and drops vanishing coefficients.
func (e *estimate) round(ctx context.Context) (penalty float64, err error) {
	e.begun = true
	m := len(e.centres)
	unit := make([]float64, m) // unit of each coefficient: λ = 1/unit²
	for s := range unit {
		if unit[s] = e.alpha[s]; len(e.rounds) == 0 {
			unit[s] = e.units[s]
		}
	}
	if err = e.load(ctx, unit); err != nil {
		return 0, err
	}
	beta := make([]float64, m)
	for s := range beta {
		beta[s] = e.alpha[s] / unit[s]
	}
	steps, err := e.solve(ctx, unit, beta)
	if e.steps += steps; err != nil {
		if ctx.Err() != nil && len(e.rounds) == 0 {
			e.unfinished(beta)
		}
		return 0, err
	}
	for s, b := range beta {
		e.alpha[s] = b * unit[s]
		penalty += b * b
	}
	e.drop(unit)
	return penalty, nil
}

// unfinished takes over the iterate of a first program that ctx has ended. Its coefficients are positive, and the first
// iterate is the kernel density estimate with equal weights.
func (e *estimate) unfinished(beta []float64) {
	copy(e.alpha, beta)
	times := 1 / dense.Sum(beta)
	for s := range e.alpha {
		e.alpha[s] *= times
	}
}

// drop removes coefficients that are near 0 and still falling, as long as every sample keeps a positive density.
func (e *estimate) drop(before []float64) {
	for s, a := range e.alpha {
		if a < fading && a < falling*before[s] {
			if !e.onlyCover(s) {
				e.alpha[s] = 0
				continue
			}
			e.uncovered = e.uncovered || a < hopeless
		}
	}
	left := e.centres[:0]
	for s, j := range e.centres {
		if e.alpha[s] > 0 {
			left = append(left, j)
		}
	}
	e.centres = left
	e.alpha = slices.DeleteFunc(e.alpha, func(a float64) bool { return a == 0 })
	sum := dense.Sum(e.alpha)
	for s := range e.alpha {
		e.alpha[s] /= sum
	}
}

// onlyCover reports whether some sample has a positive density only by coefficient s.
func (e *estimate) onlyCover(s int) bool {
	a := e.alpha[s]
	e.alpha[s] = 0
	p := e.density()
	e.alpha[s] = a
	return !(slices.Min(p) > minCover)
}

// density is p at every sample.
func (e *estimate) density() []float64 {
	p := make([]float64, e.n)
	for s, j := range e.centres {
		dense.Axpy(e.alpha[s], e.k[j*e.n:(j+1)*e.n], p)
	}
	return p
}

// slopesAt is p at every sample, and Σ C w k_j/p for every coefficient.
func (e *estimate) slopesAt() (p, slope []float64) {
	p, slope = e.density(), make([]float64, len(e.centres))
	over := make([]float64, e.n)
	for i, v := range p {
		over[i] = e.c * e.weight[i] / v
	}
	for s, j := range e.centres {
		slope[s] = dense.Dot(e.k[j*e.n:(j+1)*e.n], over)
	}
	return p, slope
}

// gap bounds how far the coefficients are from the solution of the program of their own λ: the decrease of its
// linearisation to the best corner of the simplex.
func (e *estimate) gap() (gap, likelihood float64) {
	p, slope := e.slopesAt()
	for i, v := range p {
		likelihood += e.weight[i] * (math.Log(v) + e.height)
	}
	var mean float64
	lowest := math.Inf(1)
	for s, a := range e.alpha {
		g := 2/a - slope[s]
		mean += a * g
		lowest = min(lowest, g)
	}
	return mean - lowest, likelihood
}

// enough is the gap up to which the coefficients are a fixed point.
func (e *estimate) enough(likelihood float64) float64 {
	return tolerance / 10 * max(1, math.Abs(float64(len(e.centres))-e.c*likelihood))
}

// newton goes to the minimum on Σα = 1 of the quadratic model of −C Σ w ln p + 2 Σ ln α, of which the programs are
// majorants. It reports whether it has: the model must be convex, no coefficient may lose more than half, and the gap
// must be halved. Near a fixed point it replaces many programs.
func (e *estimate) newton(ctx context.Context, before float64) bool {
	m := len(e.centres)
	if e.load(ctx, e.alpha) != nil {
		return false
	}
	p, slope := e.slopesAt()
	for i, v := range p {
		e.curvature[i] = e.c * e.weight[i] / v / v
	}
	h := e.h[:m*m]
	if dense.MulWeighted(ctx, e.threads, h, e.phi, m, e.n, e.curvature, e.scratch) != nil {
		return false
	}
	d, along := make([]float64, m), make([]float64, m)
	for s, a := range e.alpha {
		for r, b := range e.alpha[:s+1] { // Σα = 1 makes this term constant
			h[s*m+r] += e.c * e.total * a * b
		}
		h[s*m+s] -= 2
		d[s], along[s] = a*slope[s]-2, a
	}
	if cholupdate.Cholesky(ctx, h, m, m, e.threads) != nil {
		return false
	}
	cholupdate.Solve(h, m, m, d)
	cholupdate.Solve(h, m, m, along)
	nu := dense.Dot(e.alpha, d) / dense.Dot(e.alpha, along)
	old := slices.Clone(e.alpha)
	for s, a := range old {
		by := d[s] - nu*along[s]
		if e.alpha[s] = a * (1 + by); !(by > -0.5) {
			copy(e.alpha, old)
			return false
		}
	}
	if after, _ := e.gap(); after <= before/2 {
		return true
	}
	copy(e.alpha, old)
	return false
}

// load fills the rows of Φ: the remaining Gaussians, each times its unit. The error is the context's.
func (e *estimate) load(ctx context.Context, unit []float64) error {
	return inStrips(ctx, len(e.centres), func(lo, hi int) {
		for s, j := range e.centres[lo:hi] {
			row := e.phi[(lo+s)*e.n : (lo+s+1)*e.n]
			for i, v := range e.k[j*e.n : (j+1)*e.n] {
				row[i] = unit[lo+s] * v
			}
		}
	})
}

// expansion converts the coefficients to the model.
func (e *estimate) expansion() (x learn.Expansion) {
	height := math.Exp(e.height)
	for s, j := range e.centres {
		x.Support = append(x.Support, e.first[j])
		x.Coef = append(x.Coef, height*e.alpha[s])
	}
	return x
}
