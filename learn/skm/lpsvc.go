package skm

import (
	"context"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
)

// LPSVC is the method "lpsvc" of Kecman & Hadzic (2000): min Σ|α_i| + C Σξ_i with α
// of either sign and a bias that costs nothing.
type LPSVC struct {
	learn.Named[LPSVC]
	C         float64 // cost of a unit of slack; 0 means 1
	Threshold float64 // as in [Trainer]
	learn.Subset
}

var _ learn.ExactPath = LPSVC{}

// EstimateMemory implements [learn.Trainer].
func (t LPSVC) EstimateMemory(n, d int) int64 { return kernellp.ChosenBytes(n, d, t.Subset) }

// Train implements [learn.Trainer]. Its Figures are a [LinearFigures].
func (t LPSVC) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return train(ctx, p, &t)
}

// Path implements [learn.PathTrainer].
func (t LPSVC) Path(ctx context.Context, p *learn.Problem, c []float64, visit func(float64, *learn.Result) bool) error {
	return path(ctx, p, &t, c, visit)
}

// Exact implements [learn.ExactPath], by one parametric pass.
func (t LPSVC) Exact(ctx context.Context, p *learn.Problem, lo, hi float64,
	visit func(from, to float64, r *learn.Result) bool) error {
	return exact(ctx, p, &t, lo, hi, visit)
}

func (t LPSVC) linear() linear {
	return linear{name: t.Name(), c: t.C, threshold: t.Threshold, subset: t.Subset}
}
