package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/qp"
	"github.com/sparsekm/sparsekm/simplex"
)

func init() {
	compare("nnls", "non-negative least squares against SciPy's nnls, processor time", runNNLS)
}

// runNNLS draws matrices and right-hand sides, about half of whose coefficients are 0 at the optimum.
func runNNLS(ctx context.Context, e *env) error {
	const k = 20
	harness.Header("rows, columns", "ours, ms", "SciPy, ms", "ratio", "objectives differ by")
	for _, size := range [][2]int{{50, 20}, {200, 50}, {500, 200}} {
		m, n := size[0], size[1]
		rng := rand.New(rand.NewPCG(34, uint64(n)))
		a, right := normal(rng, m*n), normal(rng, k*m)
		file, err := e.binary("nnls.raw", []int64{int64(m), int64(n), k}, a, right)
		if err != nil {
			return err
		}
		var peer qpRun
		if err = e.ask("nnls", nil, &peer, file, strconv.Itoa(e.Reps)); err != nil {
			return err
		}
		apart := 0.0
		ours, err := e.Processor(func() error {
			for t := range k {
				r, failed := qp.NNLS(ctx, simplex.NewDense(m, n, a), right[t*m:(t+1)*m])
				if failed != nil {
					return failed
				}
				apart = max(apart, math.Abs(r.Objective-peer.objectives[t])/r.Objective)
			}
			return nil
		})
		if err != nil {
			return err
		}
		ours /= k
		harness.Row(fmt.Sprintf("%d, %d", m, n), ms(ours), ms(peer.seconds), times(peer.seconds/ours),
			fmt.Sprintf("%.0e", apart))
	}
	return nil
}

func normal(rng *rand.Rand, count int) []float64 {
	v := make([]float64, count)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}
