// Package scsvc trains the sparsity-controlled support vector classifier (Drezet & Harrison 2001), a comparison method
// of Huang et al. (2010). It is a support vector machine with an added penalty on its coefficients,
//
//	min ½ αᵀKα + λ ‖α‖₁ + Σ C_i ξ_i,   y_i (Σ_j α_j k(x_i, x_j) + b) ≥ 1 − ξ_i,   ξ ≥ 0.
//
// For λ = 0 it is the ordinary support vector machine. Its dual has multipliers θ = y β for the margins and η for the
// penalty,
//
//	max Σ β − ½ (θ − η)ᵀK(θ − η),   0 ≤ β_i ≤ C_i,   Σ θ = 0,   |Kη| ≤ λ,
//
// and α = θ − η at the optimum. A primal-dual interior-point method solves both, restricted to m coefficients that may
// be non-zero; a step costs n m² operations.
package scsvc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Trainer is the method "sc-svc" with its parameters.
type Trainer struct {
	learn.Named[Trainer]
	C       float64 // cost of a unit of slack; 0 means 1
	Lambda  float64 // λ, the cost of a unit of Σ|α|; 0 means 1
	MaxIter int     // limit on the interior-point steps; 0 means 200
}

// EstimateMemory implements [learn.Trainer]: the kernel matrix and the matrix of a Newton
// step, if all samples have coefficients.
func (Trainer) EstimateMemory(n, d int) int64 { return bytes(int64(n), d, 0) }

func bytes(n int64, d, threads int) int64 {
	work := 2*n*n + (dense.Strip+64)*n + n*int64(d) + dense.Packed(int(n), parallel.Workers(threads))
	return gram.Bytes[float64](int(n), d) + 8*work
}

// A model is optimal up to the relative duality gap optimalGap; the solver aims at finest.
const (
	optimalGap = 1e-6
	finest     = 1e-9
)

// Train implements [learn.Trainer]. The report's Objective is that of the package comment. Its Duality has the dual
// objective at feasible multipliers; KKT is by how much |Kη| exceeded λ before they were scaled down. The kernel must
// be positive semidefinite. Equal samples share one coefficient, under the lowest index.
func (t Trainer) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
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
	case err != nil && s.best.alpha == nil && ctx.Err() != nil:
		return nil, learn.Nothing(ctx, t.Name())
	case err != nil && s.best.alpha == nil, errors.Is(err, errAbove):
		return nil, fmt.Errorf("sc-svc: %w: %w", learn.ErrIndefinite, err)
	}
	r := s.result(ctx, st)
	if st == status.Numerical {
		r.Report.AddMessage("the kernel is indefinite beyond rounding: " + err.Error())
	}
	r.Report.Seconds = learn.Seconds{Gram: gram.Seconds(), Solve: (time.Since(begin) - gram).Seconds()}
	return r, nil
}

// result makes the model of the best iterate. It drops coefficients that are 0 up to the precision of the method, as
// long as the certificate holds without them.
func (s *solver) result(ctx context.Context, st status.Status) *learn.Result {
	r := &learn.Result{Report: learn.Report{
		Status: st, Iterations: s.steps, KernelEvals: int64(s.n) * int64(s.n+1) / 2,
		Objective: s.best.primal / s.unit,
		Duality:   &learn.Duality{Objective: s.best.dual / s.unit, KKT: s.best.violation},
	}}
	alpha := s.merged()
	largest := dense.Largest(alpha)
	for share := 1e-4; ; share /= 10 {
		if share < 1e-12 {
			share = 0
		}
		kept := make([]float64, s.n)
		for i, a := range alpha {
			if math.Abs(a) > share*largest {
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
		r.Report.AddMessage("no coefficient is worth its cost: the model is its bias alone; raise C or lower lambda")
	}
	s.recompute(ctx, r)
	return r
}

// expansion converts coefficients from the solver's units and order.
func (s *solver) expansion(alpha []float64, b float64) learn.Expansion {
	e := learn.Expansion{Support: []int{}, Coef: []float64{}, Bias: b}
	for row, a := range s.byRow(alpha) {
		if a != 0 {
			e.Support = append(e.Support, row)
			e.Coef = append(e.Coef, a/s.unit)
		}
	}
	return e
}

// merged adds the best model's coefficients of equal samples at the first of them, which does not increase Σ|α|.
func (s *solver) merged() []float64 {
	rows := s.p.Present()
	first, index := learn.Distinct(s.p.Samples(rows), s.n, s.p.D)
	sums := make([]float64, s.p.N)
	for i, k := range index {
		sums[rows[first[k]]] += s.best.alpha[rows[i]]
	}
	alpha := make([]float64, s.n)
	for i, row := range s.rows {
		alpha[i] = sums[row]
	}
	return alpha
}

// recompute computes the objective from the model.
func (s *solver) recompute(ctx context.Context, r *learn.Result) {
	var penalty float64
	for k, f := range s.p.Decisions(ctx, &r.Expansion, r.Support) {
		a := r.Coef[k]
		penalty += a*(f-r.Bias)/2 + s.Lambda*math.Abs(a)
	}
	r.Recompute(ctx, s.p, penalty, learn.Hinge(1), s.C)
	r.Report.Settle(optimalGap, 1e-6)
}
