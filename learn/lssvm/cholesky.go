package lssvm

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Cholesky is Abe's sparse LS-SVM (C): the support vectors are the points that
// an incomplete Cholesky factorisation of the kernel matrix, in the order of the
// data, finds independent of those before them. Abe (2008), sections 2 and 3.2.
type Cholesky struct {
	C     float64 // weight of the squared errors against ½‖v‖²; > 0
	Eta   float64 // η_C: a point whose squared pivot is at most this is skipped, eq. (7); > 0, default 1e-4
	MaxSV int     // stop at this many support vectors; 0 means no limit
}

// Name implements [learn.Trainer].
func (Cholesky) Name() string { return "lssvm-chol" }

// EstimateMemory implements [learn.Trainer]. The need grows with the number of
// support vectors, 16 n bytes each; a training that comes to need more than its
// budget ends with an error.
func (Cholesky) EstimateMemory(n, d int) int64 { return choleskyBytes(n, d, 0) }

func choleskyBytes(n, d, sv int) int64 { return 8 * int64(n) * int64(2*d+2*sv+8) }

// Train implements [learn.Trainer]. Support is ascending; Report.Extra has the
// J of eq. (11) after each point.
func (t Cholesky) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := positive("C", t.C); err != nil {
		return nil, err
	}
	s, err := t.Select(ctx, p)
	if err != nil {
		return nil, err
	}
	return s.result(t.C), nil
}

// Select chooses the points without fitting; [Selection.Solve] serves every C.
func (t Cholesky) Select(ctx context.Context, p *learn.Problem) (*Selection, error) {
	start := time.Now()
	if t.Eta == 0 {
		t.Eta = 1e-4
	}
	if err := positive("eta", t.Eta); err != nil {
		return nil, err
	}
	if t.MaxSV < 0 {
		return nil, fmt.Errorf("lssvm: negative limit of support vectors (%d)", t.MaxSV)
	}
	task, err := newTask(p)
	if err != nil {
		return nil, err
	}
	points, st, err := task.independent(ctx, t.Eta, t.MaxSV)
	if err != nil {
		return nil, err
	}
	s := task.project(ctx, points, st)
	s.Seconds = time.Since(start).Seconds()
	return s, nil
}

// Primal is the LS-SVM in the whole empirical feature space: [Cholesky] with
// η_C = 1e-9. Abe (2008), section 4.
type Primal struct {
	C float64 // weight of the squared errors against ½‖v‖²; > 0
}

// Name implements [learn.Trainer].
func (Primal) Name() string { return "lssvm-primal" }

// EstimateMemory implements [learn.Trainer]; see [Cholesky.EstimateMemory].
func (Primal) EstimateMemory(n, d int) int64 { return Cholesky{}.EstimateMemory(n, d) }

// Train implements [learn.Trainer].
func (t Primal) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return Cholesky{C: t.C, Eta: 1e-9}.Train(ctx, p)
}

// independent returns the points that eq. (5)-(7) keep: column by column, each
// chosen point's column of L is made from its kernel column, and the pivots of
// the points behind it fall by its squares.
func (t *task) independent(ctx context.Context, eta float64, maxSV int) ([]int, status.Status, error) {
	pivot := make([]float64, t.n)
	t.points.Diag(pivot)
	var l []float64 // the columns of L, one after another; nothing ahead of their own point
	var chosen []int
	for _, a := range t.distinct() {
		if pivot[a] <= eta {
			continue
		}
		if len(chosen) == maxSV && maxSV > 0 {
			return chosen, status.IterationLimit, nil
		}
		if st := status.FromContext(ctx); st != status.Unknown {
			return chosen, st, nil
		}
		if need := choleskyBytes(t.n, t.D, len(chosen)+1); need > t.budget() {
			return nil, status.Unknown, fmt.Errorf("lssvm: more than %d support vectors need %d bytes, the budget is %d: allow more memory or fewer support vectors, or raise eta", len(chosen), need, t.budget())
		}
		coef := make([]float64, len(chosen))
		for s := range coef {
			coef[s] = -l[s*t.n+a]
		}
		column := make([]float64, t.n)
		t.points.Row(column, a)
		behind := column[a:]
		dense.AddRows(behind, coef, l[min(a, len(l)):], t.n)
		inverse := 1 / math.Sqrt(pivot[a])
		for i, v := range behind {
			behind[i] = v * inverse
			pivot[a+i] -= behind[i] * behind[i]
		}
		l = append(l, column...)
		chosen = append(chosen, a)
	}
	return chosen, status.Optimal, nil
}

// project fits the columns of the given points in their order.
func (t *task) project(ctx context.Context, points []int, st status.Status) *Selection {
	f := newForward(t, criterion{bias: true}, limits{})
	last := time.Now()
	for k, j := range points {
		if now := status.FromContext(ctx); now != status.Unknown {
			st = now
			break
		}
		c := f.column(nil, j)
		f.mean[j] = dense.Dot(f.basis.one, c.a) / math.Sqrt(f.total)
		f.basis.orthogonalize(c)
		f.accept(j, c)
		if f.Progress != nil && time.Since(last) > 50*time.Millisecond {
			f.Progress(learn.Event{Phase: "project", Done: float64(k) / float64(len(points))})
			last = time.Now()
		}
	}
	f.evals = 2 * int64(len(f.kept)) * int64(f.n)
	return f.selection(st)
}
