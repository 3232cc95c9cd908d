// Package ssvc trains sparse support vector classifiers after K. Huang, D. Zheng,
// J. Sun, Y. Hotta, K. Fujimoto, S. Naoi: Sparse learning for support vector
// classification, Pattern Recognition Letters 31 (2010).
//
// The machine is f(x) = Σ α_i k(x, x_i) + α_0, where the coefficients are no
// multipliers but free variables under a penalty that wants few of them:
//
//	min ½ αᵀ diag(λ) α + Σ C_i ξ_i   subject to   y_i f(x_i) ≥ 1 − ξ_i, ξ ≥ 0      (9)
//
// is solved again and again with λ_i = 1/ᾱ_i², ᾱ the last solution. Each round
// lowers Σ log|α_i| + Σ C_i ξ_i, and coefficients that do not earn their place go
// to zero doubly exponentially. The bias α_0 is a coefficient like the others,
// penalised and often pruned.
package ssvc

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/learn"
)

// Trainer is the method "ssvc-a" with its parameters. The zero value is SSVC-A
// with C = 1.
type Trainer struct {
	// C is the cost of a unit of slack; 0 means 1.
	C float64
	// Norm is p of the p-norm regularised machine, eq. (21), with λ_i = |ᾱ_i|^(p−2):
	// 0 ≤ p < 2. The default 0 is SSVC-A. +Inf is the infinity norm, one linear program.
	Norm float64
	// TwoNorm, when positive, is C₁ of the combined objective of the remarks of
	// section 3.3.2, ½ αᵀKα + C₁ αᵀ diag(λ) α + Σ C_i ξ_i. It needs Norm 0 and a
	// positive semidefinite kernel.
	TwoNorm float64
	// Tolerance is the KKT tolerance of each round's quadratic program, in units of
	// the decision function; 0 means 1e-6. Looser values change which points survive.
	Tolerance float64
	// MaxIter limits the rounds; 0 means 200. With the infinity norm it limits pivots;
	// 0 means the simplex method's default.
	MaxIter int
}

var _ learn.Trainer = Trainer{}

const (
	defaultTolerance = 1e-6
	defaultRounds    = 200
	// fixedPoint is the residual of the fixed-point certificate at which training ends.
	fixedPoint = 1e-6
)

// Name implements [learn.Trainer].
func (Trainer) Name() string { return "ssvc-a" }

// Train implements [learn.Trainer]. The report's Objective is (9) in the last
// round, and each round's KKT, gap and objective are those of its quadratic program.
//
// Extra holds "certificate", the largest |α_i (K̄β)_i − 1| over the coefficients left
// (Norm 0: at a fixed point of the reweighting it vanishes), "live", the coefficients
// that entered each round with the bias among them, and "merged", the points that
// repeat another's features: they share that point's coefficient, under the lowest index.
func (t Trainer) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := t.validate(); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	begin := time.Now()
	s := merge(p, t.c())
	if _, err := p.Spare(t.Name(), t.estimate(int64(len(s.row)), int64(len(s.first)), int64(p.D))); err != nil {
		return nil, err
	}
	m := &machine{Trainer: t, ctx: ctx, points: s, progress: p.Progress}
	start := time.Now()
	z := s.kernel(p)
	gram := time.Since(start)
	var r *learn.Result
	var err error
	if math.IsInf(t.Norm, 1) {
		r, err = t.infinity(ctx, s, z)
	} else if err = m.run(z); err == nil {
		r = m.result()
	}
	if err != nil {
		return nil, err
	}
	q := int64(len(s.first))
	r.Report.KernelEvals = q * (q + 1) / 2
	r.Report.Seconds = learn.Seconds{Gram: gram.Seconds(), Solve: (time.Since(begin) - gram).Seconds()}
	return r, nil
}

func (t Trainer) validate() error {
	bad := func(v float64) bool { return v < 0 || math.IsNaN(v) || math.IsInf(v, 0) }
	switch {
	case bad(t.C):
		return fmt.Errorf("ssvc: C is %v, want a finite number > 0", t.C)
	case !(t.Norm >= 0 && t.Norm < 2 || math.IsInf(t.Norm, 1)):
		return fmt.Errorf("ssvc: norm is %v, want 0 <= p < 2 or +Inf", t.Norm)
	case bad(t.TwoNorm):
		return fmt.Errorf("ssvc: C1 is %v, want a finite number >= 0", t.TwoNorm)
	case t.TwoNorm > 0 && t.Norm != 0:
		return fmt.Errorf("ssvc: the combined objective (C1 = %v) takes the zero norm, not p = %v", t.TwoNorm, t.Norm)
	case bad(t.Tolerance):
		return fmt.Errorf("ssvc: tolerance is %v, want a finite number > 0", t.Tolerance)
	case t.MaxIter < 0:
		return fmt.Errorf("ssvc: round limit is %d, want at least 1", t.MaxIter)
	}
	return nil
}

func (t Trainer) c() float64 {
	if t.C == 0 {
		return 1
	}
	return t.C
}

// EstimateMemory implements [learn.Trainer]: the kernel matrix with the bias's
// column, several of them for the combined objective and the infinity norm, and vectors.
func (t Trainer) EstimateMemory(n, d int) int64 { return t.estimate(int64(n), int64(n), int64(d)) }

// estimate is EstimateMemory for rows of hinge losses and q distinct points.
func (t Trainer) estimate(rows, q, d int64) int64 {
	const vectors = 40 * 8 // bytes a row: the solver's vectors and bookkeeping
	copies := int64(1)
	switch {
	case t.TwoNorm > 0:
		copies = 3 // the kernel matrix, the penalty's factor and the features made of both
	case math.IsInf(t.Norm, 1):
		copies = 5 // the kernel matrix and the basis, of twice the order
	}
	return copies*rows*(q+1)*8 + 3*q*d*8 + vectors*rows
}
