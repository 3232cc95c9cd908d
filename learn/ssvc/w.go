package ssvc

import (
	"context"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
)

// W is the method "ssvc-w", the zero-norm model of Weston et al. (2003), eq. (16):
// the kernel columns are multiplied by z and z by the solution. Its programs are
// those of [B] in other units, and so they are solved: the models are the same (section 3.5.1).
type W struct {
	// C is the cost of a unit of slack; 0 means 1.
	C float64
	// MaxIter limits the rounds; 0 means 50 as in section 4.2.
	MaxIter int
	learn.Subset
}

var (
	_ learn.PathTrainer = W{}
)

func (t *W) declare(p *learn.Params) {
	p.Cost(&t.C, 1)
	p.MaxIter(&t.MaxIter, 50)
	p.Subset(&t.Subset)
}

func init() {
	learn.Register(learn.Method{
		About:      "zero-norm classifier by a multiplicative update; gives the models of ssvc-b",
		Paper:      "Weston et al. (2003); Huang et al. (2010), eq. (16) and section 3.5.1",
		KernelOnly: true, Refit: true, Candidates: learn.AnySide, Programs: true,
	}, (*W).declare)
}

// Name implements [learn.Trainer].
func (W) Name() string { return "ssvc-w" }

// EstimateMemory implements [learn.Trainer].
func (t W) EstimateMemory(n, d int) int64 { return t.linear().bytes(n, d) }

// Train implements [learn.Trainer]. The report's Objective is (10) in the last round,
// its Figures are a [LinearFigures].
func (t W) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return trainReweighting(ctx, p, &t)
}

// Path implements [learn.PathTrainer].
func (t W) Path(ctx context.Context, p *learn.Problem, c []float64, visit func(float64, *learn.Result) bool) error {
	return pathReweighting(ctx, p, &t, c, visit)
}

func (t W) linear() linear {
	few := kernellp.Choice{Subset: t.Subset}
	return linear{name: t.Name(), c: t.C, maxIter: t.MaxIter, candidates: few}
}
