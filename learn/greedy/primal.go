package greedy

import (
	"context"

	"github.com/sparsekm/sparsekm/learn"
)

// Primal is the LS-SVM in the whole empirical feature space: [Cholesky] with
// η_C = 1e-9. Abe (2008), section 4.
type Primal struct {
	C float64 // weight of the squared errors against ½‖v‖²; > 0, default 10
}

func init() {
	learn.Register(learn.Method{
		About: "least-squares SVM in the whole empirical feature space",
		Paper: "Abe (2008), section 4",
		Tasks: []learn.Task{learn.Classify, learn.Regress}, KernelOnly: true,
	}, (*Primal).declare)
}

func (t *Primal) declare(p *learn.Params) { p.Cost(&t.C, 10) }

// Name implements [learn.Trainer].
func (Primal) Name() string { return "lssvm-primal" }

// EstimateMemory implements [learn.Trainer]; see [Cholesky.EstimateMemory].
func (Primal) EstimateMemory(n, d int) int64 { return Cholesky{}.EstimateMemory(n, d) }

// Train implements [learn.Trainer]; the result is as [Cholesky.Train]'s.
func (t Primal) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(t.Name(), t.declare); err != nil {
		return nil, err
	}
	return Cholesky{C: t.C, Eta: 1e-9}.train(ctx, p, t.Name())
}
