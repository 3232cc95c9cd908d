package skm

import (
	"context"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/simplex"
)

// LPSVC is the method "lpsvc" of Kecman & Hadzic (2000): min Σ|α_i| + C Σξ_i with α
// of either sign and a bias that costs nothing.
type LPSVC struct {
	C         float64 // price of a unit of slack; 0 means 1
	Threshold float64 // as in [Trainer]
	// Candidates is the number of samples that may be vectors, chosen from a sample; 0 and negative numbers mean all.
	// The margins are those of all samples, and an optimum is one over the candidates.
	Candidates int
	Choose     string                     // how they are chosen: "k-means++", the default, or "cholesky"
	Seed       uint64                     // of the sample; 0 means 1
	Dump       func(lp *simplex.LP) error // as in [Trainer]
}

var (
	_ learn.ExactPath = LPSVC{}
)

func (t *LPSVC) declare(p *learn.Params) {
	p.Cost(&t.C, 1)
	p.Threshold(&t.Threshold)
	kernellp.Declare(p, &t.Candidates, &t.Choose, &t.Seed)
}

func init() {
	learn.Register(learn.Method{
		About:      "LP-SVC: least sum of absolute coefficients with a free bias, by a linear program",
		Paper:      "Kecman & Hadzic (2000)",
		KernelOnly: true, Refit: true, Candidates: learn.AnySide,
	}, (*LPSVC).declare)
}

// Name implements [learn.Trainer].
func (LPSVC) Name() string { return "lpsvc" }

// WithDump returns the trainer with a receiver of every linear program that it solves, whole.
func (t LPSVC) WithDump(dump func(lp *simplex.LP) error) learn.Trainer {
	t.Dump = dump
	return t
}

// EstimateMemory implements [learn.Trainer].
func (t LPSVC) EstimateMemory(n, d int) int64 { return kernellp.ChosenBytes(n, d, t.linear().few) }

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
	few := kernellp.Choice{K: t.Candidates, Way: t.Choose, Seed: t.Seed}
	return linear{name: t.Name(), c: t.C, threshold: t.Threshold, dump: t.Dump, linearisations: 1, few: few}
}
