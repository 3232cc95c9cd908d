package ssvc

import (
	"context"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
)

// B is the method "ssvc-b", Implementation B of the paper. It repeatedly solves the linear program
//
//	min Σ λ_i |α_i| + Σ C_i ξ_i   subject to   y_i f(x_i) ≥ 1 − ξ_i, ξ ≥ 0         (10), (14)
//
// with λ_i = 1/|ᾱ_i|, through its dual (15). From round to round only the bounds of the dual's rows change, so the
// last basis stays dual feasible. A coefficient that is 0 stays 0. A coefficient with |ᾱ_i| max|(K̄β)_i| < 1 cannot
// return either. Its row is never violated, so keeping it costs nothing.
type B struct {
	learn.Named[B]
	// C is the cost of a unit of slack; 0 means 1.
	C float64
	// MaxIter limits the rounds; 0 means 50 as in section 4.2.
	MaxIter int
	learn.Subset
}

var _ learn.PathTrainer = B{}

// EstimateMemory implements [learn.Trainer].
func (t B) EstimateMemory(n, d int) int64 { return kernellp.ChosenBytes(n, d, t.Subset) }

// Train implements [learn.Trainer]. The report's Objective is (10) in the last round, and its Figures are a
// [LinearFigures].
func (t B) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return trainReweighting(ctx, p, &t)
}

// Path implements [learn.PathTrainer].
func (t B) Path(ctx context.Context, p *learn.Problem, c []float64, visit func(float64, *learn.Result) bool) error {
	return pathReweighting(ctx, p, &t, c, visit)
}

func (t B) linear() linear { return linear{c: t.C, maxIter: t.MaxIter, subset: t.Subset} }
