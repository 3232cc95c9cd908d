package ssvc

import (
	"context"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/merged"
)

// RegressA is the method "ssvr-a": Implementation A of Huang et al. (2010) with the ε-insensitive loss instead of the
// hinge loss, as section 3.5.2 suggests for regression. It repeatedly solves
//
//	min ½ αᵀ diag(λ) α + Σ C_i (ξ_i + ξ*_i)   subject to   f(x_i) − y_i ≤ ε + ξ*_i,  y_i − f(x_i) ≤ ε + ξ_i,  ξ, ξ* ≥ 0
//
// with λ_i = 1/ᾱ_i². The bias is a coefficient like the others.
type RegressA struct {
	learn.Named[RegressA]
	C         float64 // cost of a unit of slack; 0 means 1
	Epsilon   float64 // half the width of the tube; 0 means 0.1, a negative number 0
	Tolerance float64 // as of [A], in units of y; 0 means 1e-6
	MaxIter   int     // limits the rounds; 0 means 200
	learn.Subset
}

// Train implements [learn.Trainer] for real targets. Report, statuses and [Figures] are as for [A].
func (t RegressA) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	if err := p.Validate(learn.Regress); err != nil {
		return nil, err
	}
	if err := p.ValidateCost(t.Name(), t.C); err != nil {
		return nil, err
	}
	a := A{C: t.C, Tolerance: t.Tolerance, MaxIter: t.MaxIter, Subset: t.Subset}
	return a.train(ctx, p, merged.Regression(t.Name(), p, t.C, t.Epsilon), 0)
}

// EstimateMemory implements [learn.Trainer]. A sample has two constraints.
func (t RegressA) EstimateMemory(n, d int) int64 {
	if k := t.Candidates; k > 0 && k < n {
		return A{}.overFew(2*n, n, d, k)
	}
	return A{}.estimate(2*int64(n), int64(n), int64(d))
}
