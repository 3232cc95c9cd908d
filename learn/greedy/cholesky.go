package greedy

import (
	"context"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/leastsq"
)

// Cholesky is Abe's sparse LS-SVM (C): the support vectors are the points that
// an incomplete Cholesky factorisation of the kernel matrix, in the order of the
// data, finds independent of those before them. Abe (2008), sections 2 and 3.2.
type Cholesky struct {
	C     float64 // weight of the squared errors against ½‖v‖²; > 0, default 10
	Eta   float64 // η_C: a point whose squared pivot is at most this is skipped, eq. (7); > 0, default 1e-4
	MaxSV int     // stop at this many support vectors; 0 means no limit
}

// Name implements [learn.Trainer].
func (Cholesky) Name() string { return "lssvm-chol" }

func init() {
	learn.Register(learn.Method{
		Name:  "lssvm-chol",
		About: "sparse least-squares SVM (C): support vectors by incomplete Cholesky factorisation in data order",
		Paper: "Abe (2008), section 3.2",
	}, (*Cholesky).declare)
}

func (t *Cholesky) declare(p *learn.Params) {
	p.Cost(&t.C, 10)
	p.Eta(&t.Eta, 1e-4)
	p.MaxSV(&t.MaxSV)
}

// EstimateMemory implements [learn.Trainer]. The need grows with the number of
// support vectors, 8 n bytes each; a training that comes to need more than its
// budget ends with an error.
func (Cholesky) EstimateMemory(n, d int) int64 { return leastsq.Bytes(n, d) + choleskyBytes(n) }

// choleskyBytes is the vectors by point and the room for the first block of columns.
func choleskyBytes(n int) int64 { return 8*32*int64(n) + factorBytes(n, 0, factorVectors) }

// Train implements [learn.Trainer]. Support is ascending; Report.Figures is a [Figures].
func (t Cholesky) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(t.Name(), t.declare); err != nil {
		return nil, err
	}
	return train(ctx, p, t.Name(), t.choose, t.C)
}

// Select chooses the points without fitting; [Selection.Solve] serves every C.
func (t Cholesky) Select(ctx context.Context, p *learn.Problem) (*Selection, error) {
	if err := learn.Complete(t.Name(), t.declare); err != nil {
		return nil, err
	}
	s, _, err := choose(ctx, p, t.Name(), t.choose)
	return s, err
}

// choose factorises for the choice of the points and then fits in the span of their columns.
func (t Cholesky) choose(ctx context.Context, task *leastsq.Task) (*Selection, error) {
	if err := task.Budget.Take(choleskyBytes(task.N)); err != nil {
		return nil, err
	}
	if err := task.Problem.ValidateDefinite(); err != nil {
		return nil, err
	}
	f := &factor{Task: task}
	st, err := f.choose(ctx, t.Eta, t.MaxSV)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return &Selection{}, nil // points without a fit are no machine
	}
	s, err := f.fit(ctx)
	if err != nil { // the context's
		return &Selection{}, nil
	}
	s.Status = st
	return s, nil
}
