package greedy

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// Cholesky is Abe's sparse LS-SVM (C): the support vectors are the samples that an incomplete Cholesky factorisation of
// the kernel matrix, in the order of the data, finds independent of those before them. Abe (2008), sections 2 and 3.2.
type Cholesky struct {
	learn.Named[Cholesky]
	C     float64 // weight of the squared errors against ½‖v‖²; > 0, default 10
	Eta   float64 // η_C: a sample whose squared pivot is at most this is skipped, eq. (7); > 0, default 1e-4
	MaxSV int     // stop at this many support vectors; 0 means no limit
}

// ForSize implements [learn.Sized].
func (t Cholesky) ForSize(samples int) learn.Trainer {
	const many, most = 4000, 1000
	if samples > many && t.MaxSV == 0 {
		t.MaxSV = most
	}
	return t
}

// EstimateMemory implements [learn.Trainer]. The need grows with the number of support vectors, 8 n bytes each and more
// for the fit; a selection that has no room for more ends there.
func (Cholesky) EstimateMemory(n, d int) int64 {
	return samples.LeastSquaresBytes(n, d) + choleskyBytes(n)
}

// choleskyBytes is the memory of vectors over the samples and of the first block of columns.
func choleskyBytes(n int) int64 { return 8*32*int64(n) + factorBytes(n, 0, factorVectors) }

// Train implements [learn.Trainer]. Support is ascending. If ctx ends after the first samples were chosen, the model is
// that of a smaller MaxSV, whose fit takes about 0.1 s.
func (t Cholesky) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	return t.train(ctx, p, t.Name())
}

// train is Train for the method of the given name.
func (t Cholesky) train(ctx context.Context, p *learn.Problem, method string) (*learn.Result, error) {
	r, err := train(ctx, p, method, func(ctx context.Context, task *samples.LeastSquares) (*Selection, error) {
		return t.choose(ctx, task, t.C)
	}, t.C)
	if err == nil {
		r.Report.Figures = nil // J is not part of the method, and not always computed
	}
	return r, err
}

// choose selects the samples by the factorisation and then fits in the span of their columns: for any C, or only for C
// = c if c is not 0 and that is less work.
func (t Cholesky) choose(ctx context.Context, task *samples.LeastSquares, c float64) (*Selection, error) {
	if err := task.Budget.Take(choleskyBytes(task.N)); err != nil {
		return nil, err
	}
	if err := task.Problem.ValidateDefinite(); err != nil {
		return nil, err
	}
	f := &factor{LeastSquares: task, vectors: vectors{n: task.N, each: factorVectors}}
	st, err := f.choose(ctx, t.Eta, t.MaxSV)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return t.ended(ctx, f), nil
	}
	var s *Selection
	if c > 0 && f.whole == f.N && slices.Min(f.W) == slices.Max(f.W) {
		s, err = f.fitFull(ctx, c)
	}
	if s == nil && err == nil {
		s, err = f.fit(ctx)
	}
	if err != nil { // the context's
		return t.ended(ctx, f), nil
	}
	s.Status, s.Message = st, f.message
	return s, nil
}

// endedWork limits the multiply-adds of the selection and the fit after the end of a context.
const endedWork = 3e8

// ended returns a short selection after the end of ctx: the samples that were chosen first, as many as are soon fitted.
// It is the selection of MaxSV at that number, so it does not depend on when ctx ended. Without a chosen sample it is
// empty.
func (t Cholesky) ended(ctx context.Context, f *factor) *Selection {
	largest := len(f.chosen)
	for k := largest; k > 0; k = largest {
		if float64(f.N)*float64(k)*float64(k+f.D)+math.Pow(float64(k), 3) <= endedWork || k == 1 {
			break
		}
		largest = k - max(1, k/64)
	}
	if largest == 0 {
		return &Selection{}
	}
	first := &factor{LeastSquares: f.LeastSquares, vectors: vectors{n: f.N, each: factorVectors}}
	on := context.WithoutCancel(ctx)
	if _, err := first.choose(on, t.Eta, largest); err != nil {
		return &Selection{}
	}
	s, err := first.fit(on)
	if err != nil {
		return &Selection{}
	}
	s.Status, s.KernelEvals = status.FromContext(ctx), s.KernelEvals+f.evals
	s.Message = fmt.Sprintf("the %d samples that were chosen first; a fit of more would take longer", largest)
	return s
}

// fitFull is fit for C = c alone if all samples are selected; nil if rounding errors are too large. The error is the
// context's.
func (f *factor) fitFull(ctx context.Context, c float64) (*Selection, error) {
	system, err := newFull(ctx, f.LeastSquares, c)
	if err != nil {
		return nil, ctx.Err()
	}
	m, good, err := system.fit(ctx)
	if !good || err != nil {
		return nil, err
	}
	evals := f.evals + int64(f.N)*int64(f.N+1)/2
	return &Selection{criterion: criterion{bias: true}, Support: f.Rows(f.chosen), KernelEvals: evals, fitted: m}, nil
}

// Primal is the LS-SVM in the whole empirical feature space: [Cholesky] with a small η_C. Abe (2008), section 4.
type Primal struct {
	learn.Named[Primal]
	C   float64 // weight of the squared errors against ½‖v‖²; > 0, default 10
	Eta float64 // η_C; > 0, default 1e-9
}

// EstimateMemory implements [learn.Trainer]; see [Cholesky.EstimateMemory].
func (Primal) EstimateMemory(n, d int) int64 { return Cholesky{}.EstimateMemory(n, d) }

// Train implements [learn.Trainer]; the result is as [Cholesky.Train]'s.
func (t Primal) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	return Cholesky{C: t.C, Eta: t.Eta}.train(ctx, p, t.Name())
}
