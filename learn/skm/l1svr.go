package skm

import (
	"context"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
)

// L1SVR is the method "l1svr", [LPSVC] for regression: min Σ|α_i| + C Σ(ξ_i + ξ*_i) with the ε-insensitive loss, α of
// either sign and a bias that costs nothing (Smola, Schölkopf & Rätsch 1999, the linear program for a given ε).
//
// The sum of logarithms instead of Σ|α| is ssvr-b of package ssvc.
type L1SVR struct {
	learn.Named[L1SVR]
	C         float64 // cost of a unit of slack; 0 means 1
	Epsilon   float64 // half the width of the tube; 0 means 0.1, a negative number 0
	Threshold float64 // as in [Trainer]
	learn.Subset
}

var _ learn.PathTrainer = L1SVR{}

// EstimateMemory implements [learn.Trainer]: a sample has two constraints.
func (t L1SVR) EstimateMemory(n, d int) int64 { return kernellp.ChosenBytes(2*n, d, t.Subset) }

// Train implements [learn.Trainer] for real targets. Its Figures are a [LinearFigures].
func (t L1SVR) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return train(ctx, p, &t)
}

// Path implements [learn.PathTrainer].
func (t L1SVR) Path(ctx context.Context, p *learn.Problem, c []float64, visit func(float64, *learn.Result) bool) error {
	return path(ctx, p, &t, c, visit)
}

func (t L1SVR) linear() linear {
	return linear{name: t.Name(), c: t.C, threshold: t.Threshold, task: learn.Regress, epsilon: t.Epsilon,
		subset: t.Subset}
}
