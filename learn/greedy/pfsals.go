package greedy

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/learn"
)

// PFSALS is the fast sparse approximation of the LS-SVM with the probabilistic
// speedup (Jiao, Bo and Wang, 2007), read as: the next of 59 random samples is the
// one that lowers the LS-SVM's objective ½v'K_SS v + (C/2) Σ (y_i − f(x_i))² most,
// with a free bias. Here the objective is multiplied by 1/C.
type PFSALS struct {
	C          float64 // weight of the squared errors; > 0, default 10
	Eta        float64 // stop when a sample adds less than this share of what the fit explains; > 0, default 1e-4
	MaxSV      int     // stop at this many support vectors; 0 means no limit
	Candidates int     // random candidates per step; 0 means 59, -1 all
	Seed       uint64  // of the random candidates; default 1
}

func init() {
	learn.Register(learn.Method{
		About: "fast sparse approximation of the least-squares SVM with the probabilistic speedup",
		Paper: "Jiao, Bo & Wang (2007)",
		Tasks: []learn.Task{learn.Classify, learn.Regress}, KernelOnly: true,
	}, (*PFSALS).declare)
}

func (t *PFSALS) declare(p *learn.Params) {
	p.Cost(&t.C, 10)
	declareLimits(p, &t.Eta, &t.MaxSV, &t.Candidates, 59, &t.Seed)
}

// Name implements [learn.Trainer].
func (PFSALS) Name() string { return "pfsals" }

// EstimateMemory implements [learn.Trainer]; see [LDA.EstimateMemory].
func (t PFSALS) EstimateMemory(n, d int) int64 { return estimate(t.Name(), t.declare, t.rule, n, d) }

// Train implements [learn.Trainer]; the objective is the one above divided by C, and
// Report.Figures is a [Figures].
func (t PFSALS) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return trainBy(ctx, p, t.Name(), t.declare, t.rule)
}

func (t *PFSALS) rule() rule {
	return rule{criterion{bias: true, ridge: 1 / t.C}, limits{t.Eta, t.MaxSV, t.Candidates, t.Seed}, math.Inf(1)}
}
