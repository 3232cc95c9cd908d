package greedy

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/learn"
)

// LDA is Abe's sparse LS-SVM (L): support vectors are chosen one by one for the best separation of the classes by
// linear discriminant analysis in the empirical feature space, and the LS-SVM in their span is fitted to all samples.
// Abe (2008), sections 2 and 3.4.
type LDA struct {
	learn.Named[LDA]
	C     float64 // weight of the squared errors against ½‖v‖²; > 0, default 10
	Eta   float64 // η_L: stop when a sample adds less than this share of J, eq. (19); > 0, default 1e-4
	MaxSV int     // stop at this many support vectors; 0 means no limit
	// Candidates, when positive, scores that many random samples per step instead of all, for data whose kernel matrix
	// is too large: 59 find one of the best 5 % with probability 0.95 (Smola and Bartlett, 2001).
	Candidates int
	Seed       uint64 // of the random candidates; default 1
	// Singular is the largest pivot of Q_W, eq. (10), at which it counts as singular with a candidate, which is then left
	// out (section 3.4); > 0, default 1e-9, which the paper does not print.
	Singular float64
	// ScatterRidge is ε of eq. (15), added to the diagonal of Q_W in the selection; ≥ 0. The default, 0, is the paper's.
	ScatterRidge float64
}

// EstimateMemory implements [learn.Trainer]. It has room for 32 support vectors and for no kernel values, which are
// computed again for each step where they are not kept; further support vectors take 8 n bytes each, and a selection
// that has no room for more ends there.
func (t LDA) EstimateMemory(n, d int) int64 { return estimate(t, n, d) }

// Train implements [learn.Trainer]. Support lists the samples in the order of selection; Report.Figures is a [Figures].
func (t LDA) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return trainBy(ctx, p, t)
}

// Select chooses the samples without fitting: with an Eta as small as any of
// interest, [Selection.Prefix] and [Selection.Solve] then serve a grid over (η, C).
func (t LDA) Select(ctx context.Context, p *learn.Problem) (*Selection, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	s, _, err := choose(ctx, p, t.Name(), t.rule().choose)
	return s, err
}

func (t LDA) rule() rule {
	return rule{criterion{bias: true, singular: t.Singular, scatter: t.ScatterRidge},
		limits{t.Eta, t.MaxSV, t.Candidates, t.Seed}, t.C}
}

// KMP is kernel matching pursuit with back-fitting (Vincent and Bengio, 2002): the next sample is the one whose centred
// kernel column matches the residual best, (k_j'r)²/‖k_j‖², and all coefficients are fitted again by least squares. The
// bias counts as a member of the dictionary that is always chosen.
type KMP struct {
	learn.Named[KMP]
	Eta        float64 // stop when a sample adds less than this share of what the fit explains; > 0, default 1e-4
	MaxSV      int     // stop at this many support vectors; 0 means no limit
	Candidates int     // random candidates per step; 0, the default, means all
	Seed       uint64  // of the random candidates; default 1
}

// EstimateMemory implements [learn.Trainer]; see [LDA.EstimateMemory].
func (t KMP) EstimateMemory(n, d int) int64 { return estimate(t, n, d) }

// Train implements [learn.Trainer]; the objective is half the squared error, and Report.Figures is a [Figures].
func (t KMP) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return trainBy(ctx, p, t)
}

func (t KMP) rule() rule {
	return rule{criterion{bias: true, matching: true, singular: singular},
		limits{t.Eta, t.MaxSV, t.Candidates, t.Seed}, math.Inf(1)}
}

// SGGP is sparse greedy Gaussian process regression on the labels (Smola and Bartlett, 2001): the next sample is the
// one that lowers ½‖y − K_S v‖² + ½σ² v'K_SS v most. There is no bias.
type SGGP struct {
	learn.Named[SGGP]
	Noise      float64 // σ², the variance of the noise on the labels; > 0, default 0.1
	Eta        float64 // stop when a sample adds less than this share of what the fit explains; > 0, default 1e-4
	MaxSV      int     // stop at this many support vectors; 0 means no limit
	Candidates int     // random candidates per step; 0 means 59, -1 all
	Seed       uint64  // of the random candidates; default 1
}

// EstimateMemory implements [learn.Trainer]; see [LDA.EstimateMemory].
func (t SGGP) EstimateMemory(n, d int) int64 { return estimate(t, n, d) }

// Train implements [learn.Trainer]; the objective is the one above, and Report.Figures is a [Figures].
func (t SGGP) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return trainBy(ctx, p, t)
}

func (t SGGP) rule() rule {
	return rule{criterion{ridge: t.Noise, singular: singular}, limits{t.Eta, t.MaxSV, t.Candidates, t.Seed}, math.Inf(1)}
}

// PFSALS is the fast sparse approximation of the LS-SVM with the probabilistic speedup (Jiao, Bo and Wang, 2007), read
// as: the next of 59 random samples is the one that lowers the LS-SVM's objective ½v'K_SS v + (C/2) Σ (y_i − f(x_i))²
// most, with a free bias. Here the objective is multiplied by 1/C.
type PFSALS struct {
	learn.Named[PFSALS]
	C          float64 // weight of the squared errors; > 0, default 10
	Eta        float64 // stop when a sample adds less than this share of what the fit explains; > 0, default 1e-4
	MaxSV      int     // stop at this many support vectors; 0 means no limit
	Candidates int     // random candidates per step; 0 means 59, -1 all
	Seed       uint64  // of the random candidates; default 1
}

// EstimateMemory implements [learn.Trainer]; see [LDA.EstimateMemory].
func (t PFSALS) EstimateMemory(n, d int) int64 { return estimate(t, n, d) }

// Train implements [learn.Trainer]; the objective is the one above divided by C, and Report.Figures is a [Figures].
func (t PFSALS) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return trainBy(ctx, p, t)
}

func (t PFSALS) rule() rule {
	return rule{criterion{bias: true, ridge: 1 / t.C, singular: singular},
		limits{t.Eta, t.MaxSV, t.Candidates, t.Seed}, math.Inf(1)}
}
