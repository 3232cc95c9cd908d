package greedy

import (
	"context"

	"github.com/sparsekm/sparsekm/learn"
)

// Primal is the LS-SVM in the whole empirical feature space: [Cholesky] with
// η_C = 1e-9. Abe (2008), section 4.
type Primal struct {
	learn.Named[Primal]
	C float64 // weight of the squared errors against ½‖v‖²; > 0, default 10
}

// EstimateMemory implements [learn.Trainer]; see [Cholesky.EstimateMemory].
func (Primal) EstimateMemory(n, d int) int64 { return Cholesky{}.EstimateMemory(n, d) }

// Train implements [learn.Trainer]; the result is as [Cholesky.Train]'s.
func (t Primal) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	return Cholesky{C: t.C, Eta: 1e-9}.train(ctx, p, t.Name())
}
