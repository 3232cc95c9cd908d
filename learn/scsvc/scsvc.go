// Package scsvc trains the sparsity-controlled support vector classifier (Drezet & Harrison 2001), which
// Huang et al. (2010) compare with: a support vector machine whose expansion pays for the size of its
// coefficients as well,
//
//	min ½ αᵀKα + λ ‖α‖₁ + Σ C_i ξ_i,   y_i (Σ_j α_j k(x_i, x_j) + b) ≥ 1 − ξ_i,   ξ ≥ 0.
//
// For λ = 0 it is the ordinary model. Its dual has a multiplier θ = y β for each margin and η for each size,
//
//	max Σ β − ½ (θ − η)ᵀK(θ − η),   0 ≤ β_i ≤ C_i,   Σ θ = 0,   |Kη| ≤ λ,
//
// and α = θ − η at the optimum. Both are solved by a primal-dual interior-point method, over the coefficients that the
// optimum may want: a step costs n m² operations for m of them.
package scsvc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Trainer is the method "sc-svc" with its parameters.
type Trainer struct {
	C       float64 // weight of the errors; 0 means 1
	Lambda  float64 // λ, the price of a unit of the coefficients' sizes; 0 means 1
	MaxIter int     // limit on the interior-point steps; 0 means 200
}

func (t *Trainer) declare(p *learn.Params) {
	p.Cost(&t.C, 1)
	p.Float("lambda", &t.Lambda, 1, learn.Positive, "Price of a unit of the sum of the coefficients' sizes.")
	p.MaxIter(&t.MaxIter, 200)
}

func init() {
	learn.Register(learn.Method{
		About:      "support vector classifier that pays for its coefficients as well, by an interior-point method",
		Paper:      "Drezet & Harrison (2001)",
		KernelOnly: true,
	}, (*Trainer).declare)
}

// Name implements [learn.Trainer].
func (Trainer) Name() string { return "sc-svc" }

// EstimateMemory implements [learn.Trainer]: the kernel matrix and that of a step, if all samples have
// coefficients.
func (Trainer) EstimateMemory(n, d int) int64 { return bytes(int64(n), d, 0) }

func bytes(n int64, d, threads int) int64 {
	work := 2*n*n + (dense.Strip+64)*n + n*int64(d) + dense.Packed(int(n), parallel.Workers(threads))
	return gram.Bytes[float64](int(n), d) + 8*work
}

// optimalGap is the duality gap up to which a model is called optimal, and finest the one that steps aim at.
const (
	optimalGap = 1e-6
	finest     = 1e-9
)

// Train implements [learn.Trainer]. The report's Objective is that of the package's comment, its Duality the dual's
// value at multipliers that meet its constraints; KKT is what |Kη| exceeded λ by before it was made to. The
// kernel must be positive semidefinite. Equal samples share one coefficient, under the lowest index.
func (t Trainer) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(t.Name(), t.declare); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := p.ValidateCost(t.Name(), t.C); err != nil {
		return nil, err
	}
	begin := time.Now()
	rows := p.Present()
	if err := p.Budget(t.Name(), p.N, p.D).Take(bytes(int64(len(rows)), p.D, p.Threads)); err != nil {
		return nil, err
	}
	if err := p.ValidateDefinite(); err != nil {
		return nil, fmt.Errorf("sc-svc: %w", err)
	}
	s, err := newSolver(ctx, p, rows, t)
	if err != nil {
		return nil, learn.Nothing(ctx, t.Name())
	}
	gram := time.Since(begin)
	st, err := s.run(ctx, t.MaxIter)
	switch {
	case err != nil && !s.found && ctx.Err() != nil:
		return nil, learn.Nothing(ctx, t.Name())
	case err != nil && !s.found, errors.Is(err, errAbove):
		return nil, fmt.Errorf("sc-svc: %w: %w", learn.ErrIndefinite, err)
	}
	r := s.result(ctx, st)
	if st == status.Numerical {
		r.Report.Say("the kernel is indefinite beyond rounding: " + err.Error())
	}
	r.Report.Seconds = learn.Seconds{Gram: gram.Seconds(), Solve: (time.Since(begin) - gram).Seconds()}
	return r, nil
}

// result makes the model of the best point: without the coefficients that are 0 but for the method's
// precision, as long as the certificate stands without them.
func (s *solver) result(ctx context.Context, st status.Status) *learn.Result {
	r := &learn.Result{Report: learn.Report{
		Status: st, Iterations: s.steps, KernelEvals: int64(s.n) * int64(s.n+1) / 2,
		Objective: s.best.primal / s.unit,
		Duality:   &learn.Duality{Objective: s.best.dual / s.unit, KKT: s.best.violation},
	}}
	alpha := s.merged()
	most := 0.0
	for _, a := range alpha {
		most = max(most, math.Abs(a))
	}
	for share := 1e-4; ; share /= 10 {
		if share < 1e-12 {
			share = 0
		}
		kept := make([]float64, s.n)
		for i, a := range alpha {
			if math.Abs(a) > share*most {
				kept[i] = a
			}
		}
		s.product(kept, s.f)
		primal, b := s.primal(kept, s.f, s.best.b)
		if share == 0 || primal-s.best.dual <= max(2*(s.best.primal-s.best.dual), optimalGap/10*math.Abs(s.best.primal)) {
			r.Expansion = s.expansion(kept, b)
			break
		}
	}
	if len(r.Coef) == 0 {
		r.Report.Say("no coefficient is worth its price: the model is its bias alone; raise C or lower lambda")
	}
	s.judge(ctx, r)
	return r
}

// expansion is the model of coefficients in the solver's units and order.
func (s *solver) expansion(alpha []float64, b float64) learn.Expansion {
	e := learn.Expansion{Support: []int{}, Coef: []float64{}, Bias: b}
	for i, a := range alpha {
		if a != 0 {
			e.Support = append(e.Support, s.rows[i])
		}
	}
	slices.Sort(e.Support)
	of := make(map[int]float64, len(e.Support))
	for i, a := range alpha {
		of[s.rows[i]] = a / s.unit
	}
	for _, row := range e.Support {
		e.Coef = append(e.Coef, of[row])
	}
	return e
}

// merged gives the best model's coefficients of equal points to the first of them: no size is larger for it.
func (s *solver) merged() []float64 {
	rows := slices.Sorted(slices.Values(s.rows))
	first, of := learn.Distinct(s.p.Samples(rows), s.n, s.p.D)
	sums := make(map[int]float64, len(first))
	for i, k := range of {
		sums[rows[first[k]]] += s.best.alpha[rows[i]]
	}
	alpha := make([]float64, s.n)
	for i, row := range s.rows {
		alpha[i] = sums[row]
	}
	return alpha
}

// judge recomputes the objective from the model.
func (s *solver) judge(ctx context.Context, r *learn.Result) {
	var penalty float64
	for k, f := range s.p.Decisions(ctx, &r.Expansion, r.Support) {
		a := r.Coef[k]
		penalty += a*(f-r.Bias)/2 + s.Lambda*math.Abs(a)
	}
	r.Recompute(ctx, s.p, penalty, learn.Hinge(1), s.C)
	r.Report.Settle(optimalGap, 1e-6)
}
