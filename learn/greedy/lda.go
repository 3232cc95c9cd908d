package greedy

import (
	"context"

	"github.com/sparsekm/sparsekm/learn"
)

// LDA is Abe's sparse LS-SVM (L): support vectors are chosen one by one for the
// best separation of the classes by linear discriminant analysis in the
// empirical feature space, and the LS-SVM in their span is fitted to all samples.
// Abe (2008), sections 2 and 3.4.
type LDA struct {
	learn.Named[LDA]
	C     float64 // weight of the squared errors against ½‖v‖²; > 0, default 10
	Eta   float64 // η_L: stop when a sample adds less than this share of J, eq. (19); > 0, default 1e-4
	MaxSV int     // stop at this many support vectors; 0 means no limit
	// Candidates, when positive, scores that many random samples per step instead
	// of all, for data whose kernel matrix is too large: 59 find one of the best
	// 5 % with probability 0.95 (Smola and Bartlett, 2001).
	Candidates int
	Seed       uint64 // of the random candidates; default 1
}

// EstimateMemory implements [learn.Trainer]. It has room for 32 support vectors
// and for no kernel values, which are computed again for each step where they are
// not kept; further support vectors take 8 n bytes each, and a selection that has
// no room for more ends there.
func (t LDA) EstimateMemory(n, d int) int64 { return estimate(t, n, d) }

// Train implements [learn.Trainer]. Support lists the samples in the order of
// selection; Report.Figures is a [Figures].
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
	return rule{criterion{bias: true}, limits{t.Eta, t.MaxSV, t.Candidates, t.Seed}, t.C}
}
