package greedy

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/learn"
)

// KMP is kernel matching pursuit with back-fitting (Vincent and Bengio, 2002): the
// next sample is the one whose centred kernel column matches the residual best,
// (k_j'r)²/‖k_j‖², and all coefficients are fitted again by least squares. The
// bias counts as a member of the dictionary that is always chosen.
type KMP struct {
	Eta        float64 // stop when a sample adds less than this share of what the fit explains; > 0, default 1e-4
	MaxSV      int     // stop at this many support vectors; 0 means no limit
	Candidates int     // random candidates per step; 0, the default, means all
	Seed       uint64  // of the random candidates; default 1
}

func init() {
	learn.Register(learn.Method{
		About: "kernel matching pursuit with back-fitting",
		Paper: "Vincent & Bengio (2002)",
		Tasks: []learn.Task{learn.Classify, learn.Regress}, KernelOnly: true,
	}, (*KMP).declare)
}

func (t *KMP) declare(p *learn.Params) {
	declareLimits(p, &t.Eta, &t.MaxSV, &t.Candidates, 0, &t.Seed)
}

// Name implements [learn.Trainer].
func (KMP) Name() string { return "kmp" }

// EstimateMemory implements [learn.Trainer]; see [LDA.EstimateMemory].
func (t KMP) EstimateMemory(n, d int) int64 { return estimate(t.Name(), t.declare, t.rule, n, d) }

// Train implements [learn.Trainer]; the objective is half the squared error, and
// Report.Figures is a [Figures].
func (t KMP) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return trainBy(ctx, p, t.Name(), t.declare, t.rule)
}

func (t *KMP) rule() rule {
	return rule{criterion{bias: true, matching: true}, limits{t.Eta, t.MaxSV, t.Candidates, t.Seed}, math.Inf(1)}
}
