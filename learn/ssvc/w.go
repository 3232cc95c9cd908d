package ssvc

import (
	"context"

	"github.com/sparsekm/sparsekm/learn"
)

// W is the method "ssvc-w", the zero-norm model of Weston et al. (2003), eq. (16): it multiplies the kernel columns
// by z, and then z by the solution. Its programs are those of [B] in other units, and B's solver solves them.
// Parameters and models are the same (section 3.5.1).
type W B

var _ learn.PathTrainer = W{}

// Name implements [learn.Trainer].
func (W) Name() string { return learn.Named[W]{}.Name() }

// EstimateMemory implements [learn.Trainer].
func (t W) EstimateMemory(n, d int) int64 { return B(t).EstimateMemory(n, d) }

// Train implements [learn.Trainer]. The report is as for [B.Train].
func (t W) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return trainReweighting(ctx, p, &t)
}

// Path implements [learn.PathTrainer].
func (t W) Path(ctx context.Context, p *learn.Problem, c []float64, visit func(float64, *learn.Result) bool) error {
	return pathReweighting(ctx, p, &t, c, visit)
}

func (t W) linear() linear { return B(t).linear() }
