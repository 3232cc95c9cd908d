package greedy

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/learn"
)

// SGGP is sparse greedy Gaussian process regression on the labels (Smola and
// Bartlett, 2001): the next sample is the one that lowers
// ½‖y − K_S v‖² + ½σ² v'K_SS v most. There is no bias.
type SGGP struct {
	Noise      float64 // σ², the variance of the noise on the labels; > 0, default 0.1
	Eta        float64 // stop when a sample adds less than this share of what the fit explains; > 0, default 1e-4
	MaxSV      int     // stop at this many support vectors; 0 means no limit
	Candidates int     // random candidates per step; 0 means 59, -1 all
	Seed       uint64  // of the random candidates; default 1
}

func init() {
	learn.Register(learn.Method{
		About: "sparse greedy Gaussian process on the labels",
		Paper: "Smola & Bartlett (2001)",
		Tasks: []learn.Task{learn.Classify, learn.Regress}, KernelOnly: true,
	}, (*SGGP).declare)
}

func (t *SGGP) declare(p *learn.Params) {
	p.Float("noise", &t.Noise, 0.1, learn.Positive, "Variance of the noise on the labels.")
	declareLimits(p, &t.Eta, &t.MaxSV, &t.Candidates, 59, &t.Seed)
}

// Name implements [learn.Trainer].
func (SGGP) Name() string { return "sggp" }

// EstimateMemory implements [learn.Trainer]; see [LDA.EstimateMemory].
func (t SGGP) EstimateMemory(n, d int) int64 { return estimate(t.Name(), t.declare, t.rule, n, d) }

// Train implements [learn.Trainer]; the objective is the one above, and
// Report.Figures is a [Figures].
func (t SGGP) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return trainBy(ctx, p, t.Name(), t.declare, t.rule)
}

func (t *SGGP) rule() rule {
	return rule{criterion{ridge: t.Noise}, limits{t.Eta, t.MaxSV, t.Candidates, t.Seed}, math.Inf(1)}
}
