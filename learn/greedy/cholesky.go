package greedy

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/leastsq"
	"github.com/sparsekm/sparsekm/status"
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

// choleskyBytes is the vectors by point and the first block of support vectors.
func choleskyBytes(n int) int64 { return 8 * (32*int64(n) + int64(storeBlockLen(n, 1, 0))) }

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

// choose factorises for the choice of the points and then projects on their
// columns: the columns of the factor and the basis share one store.
func (t Cholesky) choose(ctx context.Context, task *leastsq.Task) (*forward, status.Status, error) {
	if err := task.Budget.Take(choleskyBytes(task.N)); err != nil {
		return nil, status.Unknown, err
	}
	if err := task.Problem.ValidateDefinite(); err != nil {
		return nil, status.Unknown, err
	}
	f := newForward(task, criterion{bias: true}, limits{})
	f.firstBlock()
	points, st, err := f.independent(ctx, t.Eta, t.MaxSV)
	if err != nil {
		return nil, status.Unknown, err
	}
	if now := f.project(ctx, points); now != status.Unknown {
		st = now
	}
	return f, st, nil
}

// independent returns the points that eq. (5)-(7) keep: column by column, each
// chosen point's column of L is made from its kernel column, and the pivots of
// the points behind it fall by its squares.
func (f *forward) independent(ctx context.Context, eta float64, maxSV int) ([]int, status.Status, error) {
	pivot := make([]float64, f.N)
	f.Points.Diag(pivot)
	largest := slices.Max(pivot)
	l := f.basis.q // the columns of L; nothing ahead of their own point
	var chosen []int
	var coef []float64
	candidates, _ := learn.Distinct(f.X, f.N, f.D)
	for _, a := range candidates {
		if pivot[a] < -1e-6*largest-eta { // no rounding error: those are eps times the largest
			return nil, status.Unknown, fmt.Errorf("%w on these points: pivot %.3g at point %d",
				learn.ErrIndefinite, pivot[a], f.Row[a])
		}
		if pivot[a] <= eta {
			continue
		}
		k := len(chosen)
		if k == maxSV && maxSV > 0 {
			return chosen, status.IterationLimit, nil
		}
		if st := status.FromContext(ctx); st != status.Unknown {
			return chosen, st, nil
		}
		if err := f.grow(k); err != nil {
			return nil, status.Unknown, fmt.Errorf("%w; or allow no more than the %d support vectors that there is room for,"+
				" or raise eta", err, k)
		}
		coef = resize(coef, k)
		for s := range coef {
			coef[s] = -l.vector(s)[a]
		}
		column := l.vector(k)
		f.Points.Row(column, a)
		behind := column[a:]
		l.axpy(behind, a, coef)
		inverse := 1 / math.Sqrt(pivot[a])
		for i, v := range behind {
			behind[i] = v * inverse
			pivot[a+i] -= behind[i] * behind[i]
		}
		chosen = append(chosen, a)
	}
	return chosen, status.Optimal, nil
}

// project makes a basis of the columns of the given points in their order; its
// status is Unknown unless the context's end stopped it.
func (f *forward) project(ctx context.Context, points []int) status.Status {
	progress := f.Throttle()
	for k, j := range points {
		if st := status.FromContext(ctx); st != status.Unknown {
			return st
		}
		c := &f.chosen
		f.column(c, j)
		f.mean[j] = dense.Dot(f.basis.one, c.a) / math.Sqrt(f.Total)
		f.basis.orthogonalize(c)
		f.accept(j, c)
		f.evals += 2 * int64(f.N)
		progress(func() learn.Event {
			return learn.Event{Phase: "project", Done: float64(k) / float64(len(points))}
		})
	}
	return status.Unknown
}
