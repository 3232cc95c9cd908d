package ssvc

import (
	"context"
	"time"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/merged"
	"github.com/sparsekm/sparsekm/smo"
)

// Features is the method "ssvc-features": a linear model of few features, Implementation A of Huang et al. (2010) on
// the features themselves, as section 3.5.2 suggests. With f(x) = wᵀx + b it minimises
//
//	½ Σ_k λ_k w_k² + ½ λ_0 b² + Σ C_i ξ_i   subject to   y_i f(x_i) ≥ 1 − ξ_i, ξ ≥ 0
//
// again and again with λ_k = 1/w̄_k²: each round lowers Σ_k log|w_k| + log|b| + Σ C_i ξ_i. Features that do not earn
// their place go to 0 and stay there. It begins with features in units of their largest size.
//
// The model has a kernel of its own and does not read the problem's: [gram.Linear] with w as its one vector, or with
// Squares a polynomial of degree 2. A feature that was dropped is 0 in every vector, so that no decision depends on it:
// a [github.com/sparsekm/sparsekm/model.Classifier] knows, and does not ask for it.
type Features struct {
	learn.Named[Features]
	C float64 // cost of a unit of slack; 0 means 1
	// Squares gives every feature its square as a companion, f(x) = Σ_k w_k x_k + u_k x_k² + b. A feature is kept or
	// dropped with its square: λ_k = 1/(w̄_k² + ū_k²), in units of the largest x_k.
	Squares bool
	// Ranked chooses features in another way and does not reweight: one round ranks them, folds say how many to keep, and
	// a round with λ = 1 of these is the model. It keeps what adds little to others, such as one of twenty features
	// that are alike, and still drops what says nothing.
	Ranked    bool
	Tolerance float64 // as of [A]; 0 means 1e-6
	MaxIter   int     // limits the rounds; 0 means 200
}

// FeatureFigures are those of ssvc-features in a report.
type FeatureFigures = merged.FeatureFigures

// EstimateMemory implements [learn.Trainer]: the features, with their squares, the free part of a quadratic program of
// so few columns, and vectors.
func (t Features) EstimateMemory(n, d int) int64 {
	const vectors, free = 300, 16 // bytes a row; samples in a working set, a column
	cols := merged.FeatureColumns(d, t.Squares)
	copies := int64(1)
	if t.Ranked {
		copies = 2
	}
	return 8*copies*int64(n)*int64(cols) + vectors*int64(n) + smo.BoxScratch(min(n, free*cols), cols)
}

// Train implements [learn.Trainer]. The report is that of [A.Train], with the features instead of kernel columns;
// its Figures are a [FeatureFigures].
func (t Features) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if t.Ranked && t.MaxIter != 0 {
		return nil, &learn.ParamError{Method: t.Name(), Param: "max_iter", Value: t.MaxIter,
			Want: "none: it limits rounds, of which ranked has one"}
	}
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	s, err := merged.NewFeatures(p, t, t.C, t.Squares)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	train := t.reweighted
	if t.Ranked {
		train = t.ranked
	}
	r, penalty, err := train(ctx, s)
	if err != nil {
		return nil, err
	}
	s.Recompute(ctx, r, penalty)
	r.Report.Settle(merged.OptimalGap, max(t.Tolerance, 1e-6))
	r.Report.Seconds = learn.Seconds{Solve: time.Since(begin).Seconds()}
	return r, nil
}

// reweighted is the model at the fixed point, with its penalty.
func (t Features) reweighted(ctx context.Context, s *merged.FeatureSpace) (r *learn.Result, size float64, err error) {
	a := A{C: t.C, Tolerance: t.Tolerance, MaxIter: t.MaxIter}
	m := &quadratic{A: a, Samples: s.Samples, progress: s.Problem.Progress}
	if err := m.rounds(ctx, newGrouped(newDiagonal(ctx, s.Values(), s.Samples, 0), s.Groups())); err != nil {
		return nil, 0, err
	}
	r = m.result()
	r.Report.Figures = FeatureFigures{Features: s.Expand(r), Certificate: &m.residual, Live: m.count, Merged: m.Merged}
	return r, m.size, nil
}

// ranked is the model of the features that a [ranker] chooses, with its penalty.
func (t Features) ranked(ctx context.Context, s *merged.FeatureSpace) (r *learn.Result, penalty float64, err error) {
	k := newRanker(t, s)
	kept, message, err := k.choose(ctx)
	if err != nil {
		return nil, 0, err
	}
	m, err := k.round(ctx, merged.All(len(s.At)), kept, t.C, t.Tolerance)
	if err != nil {
		return nil, 0, err
	}
	r = m.result()
	k.plain(r)
	r.Report.AddMessage(message)
	r.Report.Figures = FeatureFigures{Features: s.Expand(r), Live: m.count, Merged: m.Merged}
	return r, m.size, nil
}
