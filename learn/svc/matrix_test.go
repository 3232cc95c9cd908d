package svc

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/smo"
)

// The whole matrix has the values of the rows, and is counted; there is none beyond the budget or once the context has
// ended.
func TestWhole(t *testing.T) {
	p := clouds(rand.New(rand.NewPCG(1, 2)), 1100, 3, gram.RBF(1))
	n, idx, coef := p.N, []int{0, 7, 1099}, []float64{1, -2, 0.5}
	room := blocked.Bytes[float32](n, smo.Stride(n), 0, 0) * 4 / 3
	whole := func(ctx context.Context, budget int64) (rows, all smo.Matrix, took func() taken) {
		k, took, end, err := kernelMatrix[float32](t.Context(), p, p.Present(), budget, 1)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(end)
		return k, k.(interface {
			Whole(ctx context.Context) smo.Matrix
		}).Whole(ctx), took
	}
	testutil.EachLevel(t, func(t *testing.T) {
		rows, all, took := whole(t.Context(), room)
		g, h := make([]float64, n), make([]float64, n)
		if rows.AddRows(t.Context(), g, idx, coef) != nil || all.AddRows(t.Context(), h, idx, coef) != nil {
			t.Fatal("no sums")
		}
		for i := range g {
			testutil.Near(t, "sum", h[i], g[i], 1e-6)
		}
		if evals := took().stats.KernelEvals; evals != int64(n)*int64(n+1)/2+3*int64(n) {
			t.Errorf("%d values counted", evals)
		}
	})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, k := range []smo.Matrix{second(whole(t.Context(), room-1)), second(whole(ended, room))} {
		if k != nil {
			t.Error("a matrix beyond the budget, or after the end")
		}
	}
	for budget, want := range map[int64]int64{1000: 1000, 1 << 30: 1 << 30, 3 << 29: 1 << 30, 8 << 30: 4 << 30} {
		if got := largestWhole(budget); got != want {
			t.Errorf("a whole matrix may take %d of %d bytes, want %d", got, budget, want)
		}
	}
}

func second(_, k smo.Matrix, _ func() taken) smo.Matrix { return k }
