package sparsest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/qp"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// BenchmarkAgainstQP fits the coefficients of a choice here and by package qp, whose matrix is made before: that of the
// dual, min ½ αᵀA_S A_Sᵀα − Σα, 0 ≤ α ≤ cost, yᵀα = 0.
func BenchmarkAgainstQP(b *testing.B) {
	ctx := context.Background()
	const k = 8
	for _, n := range []int{60, 250} {
		rng := rand.New(rand.NewPCG(34, uint64(n)))
		p := &program{n: n, m: k, unit: 1, a: make([]float64, n*k), y: make([]float64, n), cost: make([]float64, n)}
		dual := qp.QP{Q: simplex.NewDense(n, n, make([]float64, n*n))}
		chosen := make([]int32, k)
		for i := range n {
			p.y[i], p.cost[i] = math.Copysign(1, rng.NormFloat64()), 1
			dual.C = append(dual.C, -1)
			for j := range k {
				chosen[j] = int32(j)
				p.column(int32(j))[i] = 0.5 + p.y[i]*0.3*rng.NormFloat64()
			}
		}
		dual.Up, dual.A, dual.RowLo, dual.RowUp = p.cost, simplex.NewDense(1, n, p.y), []float64{0}, []float64{0}
		for i := range n {
			for l := range n {
				for j := range k {
					dual.Q.(*simplex.Dense).Row(i)[l] += p.column(int32(j))[i] * p.column(int32(j))[l]
				}
			}
		}
		var of [2]float64
		b.Run(fmt.Sprintf("samples=%d/by=ipm", n), func(b *testing.B) {
			s := newSearch(p, k, 1, 1<<20)
			defer testutil.ProcessorTime(b)()
			for b.Loop() {
				of[0] = s.fit(ctx, chosen)
			}
		})
		b.Run(fmt.Sprintf("samples=%d/by=qp", n), func(b *testing.B) {
			defer testutil.ProcessorTime(b)()
			for b.Loop() {
				r, err := qp.Solve(ctx, dual, qp.Options{})
				if err != nil || r.Status != status.Optimal {
					b.Fatal(r, err)
				}
				of[1] = -r.Objective
			}
		})
		if of[0] != 0 && of[1] != 0 {
			testutil.Near(b, "objective", of[0], of[1], 1e-6)
		}
	}
}
