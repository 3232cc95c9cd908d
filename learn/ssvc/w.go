package ssvc

import (
	"context"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/simplex"
)

// W is the method "ssvc-w", the zero-norm model of Weston et al. (2003), eq. (16):
// the kernel columns are multiplied by z and z by the solution. Its programs are
// those of [B] in other units, and so they are solved: the models are the same (section 3.5.1).
type W struct {
	// C is the cost of a unit of slack; 0 means 1.
	C float64
	// MaxIter limits the rounds; 0 means 50 as in section 4.2.
	MaxIter int
	// Candidates is the number of samples that may be vectors, chosen from a sample; 0 and negative numbers mean all.
	// The margins are those of all samples, and an optimum is one over the candidates.
	Candidates int
	// Choose is how they are chosen: "k-means++", the default, or "cholesky", the pivots of a factor of the sample's
	// kernel matrix.
	Choose string
	Seed   uint64 // of the sample; 0 means 1
	// Dump receives every linear program of the training, whole, in the statement (15).
	// An error stops the training.
	Dump func(lp *simplex.LP) error
}

var (
	_ learn.PathTrainer = W{}
)

func (t *W) declare(p *learn.Params) {
	p.Cost(&t.C, 1)
	p.MaxIter(&t.MaxIter, 50)
	kernellp.Declare(p, &t.Candidates, &t.Choose, &t.Seed)
}

func init() {
	learn.Register(learn.Method{
		About:      "zero-norm classifier by a multiplicative update; gives the models of ssvc-b",
		Paper:      "Weston et al. (2003); Huang et al. (2010), eq. (16) and section 3.5.1",
		KernelOnly: true, Refit: true, Candidates: learn.AnySide,
	}, (*W).declare)
}

// Name implements [learn.Trainer].
func (W) Name() string { return "ssvc-w" }

// WithDump returns the trainer with a receiver of every linear program that it solves, whole.
func (t W) WithDump(dump func(lp *simplex.LP) error) learn.Trainer {
	t.Dump = dump
	return t
}

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
	few := kernellp.Choice{K: t.Candidates, Way: t.Choose, Seed: t.Seed}
	return linear{name: t.Name(), c: t.C, maxIter: t.MaxIter, dump: t.Dump, candidates: few}
}
