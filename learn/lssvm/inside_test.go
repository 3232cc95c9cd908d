package lssvm

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// The residual at any coefficients, near the solution and far from it, on all
// samples and on some, is that of the system written out.
func TestResidualIsLiteral(t *testing.T) {
	p := ref.Clouds(60, 80, 3)
	p.Weight = ref.Ones(p.N)
	p.Weight[7], p.Weight[8] = 0, 2.5
	task, err := samples.NewLeastSquares("test", p)
	if err != nil {
		t.Fatal(err)
	}
	k := ref.KernelMatrix(p)
	some := []int{40, 3, 8, 12, 77, 50, 21}
	for _, use := range [][]int{task.Row, some} {
		a, b := ref.LSSVMDual(k, p.Y, p.Weight, use, 3)
		e := learn.Expansion{Support: use, Coef: a, Bias: b}
		testutil.AtMost(t, "at the solution", residualOf(task, &e, 3), 1e-13)
		for _, by := range []float64{1e-7, 0.1} {
			off := learn.Expansion{Support: use, Coef: slices.Clone(a), Bias: b + by}
			for i := range off.Coef {
				off.Coef[i] *= 1 + by*math.Sin(float64(i))
			}
			want := ref.LSSVMDualResidual(k, p.Y, p.Weight, use, off.Coef, off.Bias, 3)
			testutil.Near(t, "residual", residualOf(task, &off, 3), want, 1e-7*want)
			if !(want > by/100) {
				t.Errorf("residual %v after a change by %v, too easy", want, by)
			}
		}
	}
}

// ending is a context that ends after so many questions.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever the context ends before there is a model, between two values of γ
// too, the training is an error with the context's in its chain; where it ends behind
// that, the model is there without a residual, and not called optimal.
func TestDualIsCancelled(t *testing.T) {
	p := ref.Clouds(61, 100, 2)
	p.Threads = 1
	grid := Dual{Grid: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}
	whole := &ending{context.Background(), 1 << 30}
	if _, err := grid.Train(whole, p); err != nil {
		t.Fatal(err)
	}
	asked := 1<<30 - whole.left
	if asked < len(grid.Grid)+4 {
		t.Errorf("the context was asked %d times only", asked)
	}
	for left := range asked {
		r, err := grid.Train(&ending{context.Background(), left}, p)
		switch {
		case r == nil && errors.Is(err, context.Canceled):
		case r != nil && r.Report.Status == status.Cancelled && r.Report.Residual == nil && left > asked*9/10:
		default:
			t.Fatalf("after %d questions of %d: result %v, error %v", left, asked, r, err)
		}
	}
	if r, err := (Prune{}).Train(&ending{context.Background(), 0}, p); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("pruning: error %v", err)
	}
}

func residualOf(t *samples.LeastSquares, e *learn.Expansion, gamma float64) float64 {
	r := &learn.Result{Expansion: *e}
	recompute(context.Background(), t, r, gamma)
	return *r.Report.Residual
}
