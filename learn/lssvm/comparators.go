package lssvm

import (
	"context"

	"github.com/sparsekm/sparsekm/learn"
)

// The other forward selections of Abe (2008), Table 8: the engine of [LDA] with
// another criterion. Limits and random candidates mean the same; Eta stops when
// a point adds less than this part of what the fit explains so far.

// KMP is kernel matching pursuit with back-fitting (Vincent and Bengio, 2002): the
// next point is the one whose centred kernel column matches the residual best,
// (k_j'r)²/‖k_j‖², and all coefficients are fitted again by least squares. The
// bias counts as a member of the dictionary that is always chosen.
type KMP struct {
	Eta        float64 // > 0, default 1e-4
	MaxSV      int     // 0 means no limit
	Candidates int     // random candidates a step; 0 means all
	Seed       uint64
}

// Name implements [learn.Trainer].
func (KMP) Name() string { return "kmp" }

// EstimateMemory implements [learn.Trainer].
func (KMP) EstimateMemory(n, d int) int64 { return LDA{}.EstimateMemory(n, d) }

// Train implements [learn.Trainer]; the objective is half the squared error.
func (t KMP) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return trainForward(ctx, p, criterion{bias: true, matching: true}, limits{t.Eta, t.MaxSV, t.Candidates, t.Seed})
}

// SGGP is sparse greedy Gaussian process regression on the labels (Smola and
// Bartlett, 2001): the next point is the one that lowers
// ½‖y − K_S v‖² + ½σ² v'K_SS v most. There is no bias.
type SGGP struct {
	Noise      float64 // σ², the variance of the noise on the labels; > 0, default 0.1
	Eta        float64 // > 0, default 1e-4
	MaxSV      int     // 0 means no limit
	Candidates int     // random candidates a step; 0 means 59, negative all
	Seed       uint64
}

// Name implements [learn.Trainer].
func (SGGP) Name() string { return "sggp" }

// EstimateMemory implements [learn.Trainer].
func (SGGP) EstimateMemory(n, d int) int64 { return LDA{}.EstimateMemory(n, d) }

// Train implements [learn.Trainer]; the objective is the one above.
func (t SGGP) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if t.Noise == 0 {
		t.Noise = 0.1
	}
	if err := positive("noise", t.Noise); err != nil {
		return nil, err
	}
	return trainForward(ctx, p, criterion{ridge: t.Noise}, limits{t.Eta, t.MaxSV, subset(t.Candidates), t.Seed})
}

// PFSALS is the fast sparse approximation of the LS-SVM with the probabilistic
// speedup (Jiao, Bo and Wang, 2007), read as: the next of 59 random points is the
// one that lowers the LS-SVM's objective ½v'K_SS v + (C/2) Σ (y_i − f(x_i))² most,
// with a free bias. Here the objective is multiplied by 1/C.
type PFSALS struct {
	C          float64 // > 0
	Eta        float64 // > 0, default 1e-4
	MaxSV      int     // 0 means no limit
	Candidates int     // random candidates a step; 0 means 59, negative all
	Seed       uint64
}

// Name implements [learn.Trainer].
func (PFSALS) Name() string { return "pfsals" }

// EstimateMemory implements [learn.Trainer].
func (PFSALS) EstimateMemory(n, d int) int64 { return LDA{}.EstimateMemory(n, d) }

// Train implements [learn.Trainer]; the objective is the one above divided by C.
func (t PFSALS) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := positive("C", t.C); err != nil {
		return nil, err
	}
	return trainForward(ctx, p, criterion{bias: true, ridge: 1 / t.C}, limits{t.Eta, t.MaxSV, subset(t.Candidates), t.Seed})
}

// subset is the number of random candidates that SGGP and PFSALS score a step.
func subset(candidates int) int {
	switch {
	case candidates == 0:
		return 59
	case candidates < 0:
		return 0
	}
	return candidates
}
