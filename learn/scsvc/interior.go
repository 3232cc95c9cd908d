package scsvc

import (
	"context"
	"errors"
	"math"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/ipm"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// solver solves both programs of the package comment by [ipm.Method], with α the multipliers of |K(α − θ)| ≤ λ, and
// multipliers s and ξ of β ≥ 0 and of β ≤ C:
//
//	−λ ≤ K(α − θ) ≤ λ,   y f + ξ − s = 1,   Σ θ = 0,   all products → 0.
//
// Few coefficients are non-zero at the optimum. The program therefore has only the coefficients of the first m samples;
// columns.go adds those with |Kη| > λ. The certificate is for the whole program.
//
// The kernel is divided by its largest diagonal value, the unit; coefficients and C are multiplied by it.
type solver struct {
	Trainer
	given
	system
	products
	ipm.Method
	alpha ipm.Box // K(α − θ) of the first m samples between −λ and λ, whose multipliers are α
	beta  ipm.Box // of all samples, between 0 and C
	b     float64
	best  certified
	steps int
	gap   float64 // between the model and the multipliers of the iterate
	// negative says that the gap is below 0 by more than rounding: the kernel is indefinite.
	negative bool
}

// given are the problem's samples, those with coefficients first.
type given struct {
	p       *learn.Problem
	rows    []int // of the problem, in the order of the solver
	n, m    int   // samples, samples with coefficients
	unit    float64
	y, cost []float64
	k       []float64 // kernel matrix, n×n
}

// system is the matrix of a Newton step, and what it finds.
type system struct {
	h       []float64 // m×m, then its Cholesky factor
	e, w    []float64 // shares of α and of β
	wSum    float64
	u       []float64 // means of the first m rows of K, weighted by w
	centred []float64 // scratch: some columns of these rows without their means
	db      float64
}

// products are products of the kernel matrix with the iterate's coefficients and multipliers.
type products struct {
	f       []float64 // K α
	kDiff   []float64 // K(α − θ)
	kEta    []float64 // K η for the balanced multipliers
	betaMin float64   // Σ β of the class where it is smaller
}

// certified is the best model and the best multipliers so far, in the solver's units; vectors are in the problem's
// order.
type certified struct {
	alpha        []float64 // nil before the first model
	theta, eta   []float64 // dual multipliers
	b            float64
	primal, dual float64
	violation    float64
}

// newSolver evaluates the kernel and sets the first iterate. The error is the context's.
func newSolver(ctx context.Context, p *learn.Problem, rows []int, t Trainer) (*solver, error) {
	n := len(rows)
	s := &solver{Trainer: t, given: given{p: p, rows: rows, n: n, k: dense.New(ctx, n*n),
		y: make([]float64, n), cost: make([]float64, n)}}
	if s.k == nil {
		return nil, ctx.Err()
	}
	pts, err := gram.PackContext[float64](ctx, p.Kernel, p.Samples(rows), n, p.D)
	if err != nil {
		return nil, err
	}
	if err = learn.FullMatrix(ctx, pts, s.k, n, p.Threads); err != nil {
		return nil, err
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
	s.f, s.kDiff, s.kEta = make([]float64, n), make([]float64, n), make([]float64, n)
	s.w = make([]float64, n)
	s.begin()
	return s, nil
}

// begin sets the first iterate: no coefficients, all products 1, multipliers near 1 whatever the costs.
func (s *solver) begin() {
	s.Method = ipm.NewMethod(&s.alpha, &s.beta)
	s.beta.Resize(s.n)
	for i, c := range s.cost {
		low := min(c/2, 1)
		high := c - low
		s.beta.Low.X[i], s.beta.High.X[i] = low, high
		s.beta.Low.Z[i], s.beta.High.Z[i] = 1/low, 1/high
	}
}

// start sets the iterate with all products equal to μ, the coefficients alpha of the first m samples, and bias b. Its
// margin equations hold; only Σ θ and the first equation have residuals. s.f must be K α.
func (s *solver) start(alpha []float64, mu float64) {
	s.alpha.Resize(len(alpha))
	for i, a := range alpha {
		s.alpha.Center(i, 2*s.Lambda, a, mu)
	}
	for i, c := range s.cost {
		s.beta.Center(i, c, s.y[i]*(s.f[i]+s.b)-1, mu)
	}
}

// product writes K x to dst for coefficients x of the first len(x) samples.
func (s *solver) product(x, dst []float64) {
	clear(dst)
	dense.AddRows(dst, x, s.k, s.n)
}

// errAbove can only happen if the kernel is not positive semidefinite.
var errAbove = errors.New("the dual's value is above the objective")

// run takes steps until the gap is closed or stagnates. The error is the context's or the factorisation's.
func (s *solver) run(ctx context.Context, limit int) (status.Status, error) {
	progress := s.p.Throttle()
	stuck, raised := 0, false
	for s.steps = 0; ; s.steps++ {
		gap, better, missing := s.certify(ctx)
		if st := status.FromContext(ctx); st != status.Unknown {
			return st, ctx.Err()
		}
		if stuck++; better {
			stuck = 0
		}
		if s.negative {
			return status.Numerical, errAbove
		}
		met := s.best.violation <= optimalGap
		if met && gap <= finest*max(1e-300, math.Abs(s.best.primal)) {
			return status.Optimal, nil
		}
		if stuck >= 30 || stuck >= 3 && met && gap <= optimalGap/10*math.Abs(s.best.primal) {
			return status.Optimal, nil // result certifies the model, and corrects the status if needed
		}
		if s.steps == limit {
			return status.IterationLimit, nil
		}
		switch {
		case missing && s.addColumns(ctx) >= s.m/4:
			stuck = 0
		case stuck >= 15 && !raised && // the products of 1 were too small a start
			gap > optimalGap*math.Abs(s.best.primal):
			s.start(s.coefficients(), lifted*s.mean())
			stuck, raised = 0, true
		}
		if err := s.Step(ctx, s); err != nil {
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

// mean is the average product if the products add up to the gap.
func (s *solver) mean() float64 { return s.gap / float64(2*(s.n+s.m)) }
