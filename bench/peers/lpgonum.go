package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

func init() {
	compare("lp-gonum", "dual of SSVC-B on 200 samples of german, C = 10, against gonum's lp.Simplex", runGonumLP)
}

func runGonumLP(ctx context.Context, e *env) error {
	const n, c = 200, 10.0
	k, y, err := e.kernel("german", 12)
	if err != nil {
		return err
	}
	all := len(y)
	small := make([]float64, n*n)
	for i := range n {
		copy(small[i*n:(i+1)*n], k[i*all:])
	}
	p := ssvcbLP("", small, y[:n], c)
	here, _, r := e.solve(ctx, p.dual)

	// Standard form: β, its distance u from C, and for every row s of −1 ≤ K̄β ≤ 1 the
	// distances v and w from both ends: β + u = C, K̄β + v = 1, v + w = 2.
	const m, cols = n + 2*(n+1), 2*n + 2*(n+1)
	a, b, cost := mat.NewDense(m, cols, nil), make([]float64, m), make([]float64, cols)
	for j := range n {
		cost[j] = -1
		a.Set(j, j, 1)
		a.Set(j, n+j, 1)
		b[j] = c
	}
	col := make([]float64, n+1)
	for j := range n {
		p.dual.A.Column(col, j)
		for i, v := range col {
			a.Set(n+i, j, v)
		}
	}
	for i := range n + 1 {
		v, w := 2*n+i, 2*n+(n+1)+i
		a.Set(n+i, v, 1)
		a.Set(n+(n+1)+i, v, 1)
		a.Set(n+(n+1)+i, w, 1)
		b[n+i], b[n+(n+1)+i] = 1, 2
	}
	start := time.Now()
	value, _, err := lp.Simplex(cost, a, b, 1e-10, nil)
	there := time.Since(start).Seconds()
	if err != nil {
		return err
	}
	harness.Table([]string{"solver", "s", "objective", "ratio"}, [][]string{
		{"here", fmt.Sprintf("%.6f", here), fmt.Sprintf("%.10g", r.Objective), ""},
		{"gonum lp.Simplex", fmt.Sprintf("%.3f", there), fmt.Sprintf("%.10g", value), fmt.Sprintf("%.0f", there/here)},
	})
	if math.Abs(value-r.Objective) > 1e-6*math.Abs(value) {
		return fmt.Errorf("the optima differ: %v and %v", r.Objective, value)
	}
	return nil
}
