package skm

import (
	"context"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
)

// L0SVM is the method "l0svm": min Σ log(α_i + δ) + C 1ᵀξ with α ≥ 0 and δ = 0.1, by
// successive linearisation from α* = 1, eq. (10) and (11).
type L0SVM struct {
	learn.Named[L0SVM]
	C         float64 // cost of a unit of slack; 0 means 1
	Threshold float64 // as in [Trainer]
	MaxIter   int     // limit of linearisations; 0 means 50
	learn.Subset
}

// EstimateMemory implements [learn.Trainer].
func (t L0SVM) EstimateMemory(n, d int) int64 { return kernellp.ChosenBytes(n, d, t.Subset) }

// Train implements [learn.Trainer]. The training ends when no α moves by more than
// 1e-6 of the largest; the paper prints no rule. Its Figures are a [LinearFigures].
func (t L0SVM) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return train(ctx, p, &t)
}

func (t L0SVM) linear() linear {
	return linear{name: t.Name(), c: t.C, threshold: t.Threshold, shape: kernellp.Shape{OneSided: true}, subset: t.Subset,
		next: func(alpha float64) float64 { return 1 / (alpha + l0Delta) }, programs: t.MaxIter}
}

// l0Delta is δ of eq. (10) in all the paper's experiments (section 3, footnote 1).
const l0Delta = 0.1
