package ipm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/qp"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// BenchmarkAgainstQP solves the dual of a linear SVM here and by package qp, whose matrix is made before.
func BenchmarkAgainstQP(b *testing.B) {
	ctx := context.Background()
	for _, n := range []int{250, 1000} {
		const d = 20
		p, _ := program(rand.New(rand.NewPCG(34, uint64(n))), n, d, 1, 1, 1)
		q := simplex.NewDense(n, n, make([]float64, n*n))
		ones := make([]float64, n)
		for i := range n {
			ones[i] = 1
			for j := range n {
				for k := range d {
					q.Row(i)[j] += p.X[i*d+k] * p.X[j*d+k]
				}
			}
		}
		dual := qp.QP{Q: q, LP: simplex.LP{C: p.P, Lo: p.Lo, Up: p.Hi, A: simplex.NewDense(1, n, ones), RowLo: []float64{0},
			RowUp: []float64{0}}}
		var of [2]float64
		b.Run(fmt.Sprintf("samples=%d/by=ipm", n), func(b *testing.B) {
			defer testutil.ProcessorTime(b)()
			for b.Loop() {
				of[0] = objective(p, p.Solve(ctx).A)
			}
		})
		b.Run(fmt.Sprintf("samples=%d/by=qp", n), func(b *testing.B) {
			defer testutil.ProcessorTime(b)()
			for b.Loop() {
				r, err := qp.Solve(ctx, dual, qp.Options{})
				if err != nil || r.Status != status.Optimal {
					b.Fatal(r, err)
				}
				of[1] = r.Objective
			}
		})
		if of[0] != 0 && of[1] != 0 {
			testutil.Near(b, "objective", of[0], of[1], 1e-6)
		}
	}
}
