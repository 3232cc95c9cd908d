package skm

import (
	"context"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
)

// L1SVM is the method "l1svm": min 1ᵀα + C 1ᵀξ with 0 ≤ α ≤ C and a free bias,
// Peleg & Meir (2009), eq. (6). The upper bound on α is meant: the dual (7) has its multiplier η.
type L1SVM struct {
	learn.Named[L1SVM]
	C         float64 // cost of a unit of slack, and the bound of α; 0 means 1
	Threshold float64 // as in [Trainer]
	learn.Subset
}

var _ learn.ExactPath = L1SVM{}

// EstimateMemory implements [learn.Trainer].
func (t L1SVM) EstimateMemory(n, d int) int64 { return kernellp.ChosenBytes(n, d, t.Subset) }

// Train implements [learn.Trainer]. Its Figures are a [LinearFigures].
func (t L1SVM) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return train(ctx, p, &t)
}

// Path implements [learn.PathTrainer].
func (t L1SVM) Path(ctx context.Context, p *learn.Problem, c []float64, visit func(float64, *learn.Result) bool) error {
	return path(ctx, p, &t, c, visit)
}

// Exact implements [learn.ExactPath], by one parametric pass without the bound α ≤ C. Where that binds the model
// moves with C, and those at both ends of each of its straight lines are visited.
func (t L1SVM) Exact(ctx context.Context, p *learn.Problem, lo, hi float64,
	visit func(from, to float64, r *learn.Result) bool) error {
	return exact(ctx, p, &t, lo, hi, visit)
}

func (t L1SVM) linear() linear {
	shape := kernellp.Shape{OneSided: true, Ceiling: t.C}
	return linear{name: t.Name(), c: t.C, threshold: t.Threshold, shape: shape, subset: t.Subset}
}
