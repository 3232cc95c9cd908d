package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/qp"
	"github.com/sparsekm/sparsekm/simplex"
)

func init() {
	compare("nnls", "non-negative least squares against SciPy's nnls, processor time", runNNLS)
}

// runNNLS draws matrices and right-hand sides, about half of whose coefficients are 0 at the optimum.
func runNNLS(ctx context.Context, e *env) error {
	harness.Header("rows, columns", "ours", "SciPy", "ratio", "objectives differ by")
	for _, size := range [][2]int{{50, 20}, {200, 50}, {500, 200}} {
		const k = 20
		m, n := size[0], size[1]
		rng := rand.New(rand.NewPCG(34, uint64(n)))
		a, right := make([]float64, m*n), make([][]float64, k)
		for i := range a {
			a[i] = rng.NormFloat64()
		}
		file, parts := filepath.Join(e.Tmp, "nnls.raw"), []any{[]int64{int64(m), int64(n), k}, a}
		for t := range right {
			right[t] = make([]float64, m)
			for i := range right[t] {
				right[t][i] = rng.NormFloat64()
			}
			parts = append(parts, right[t])
		}
		if err := writeBinary(file, parts); err != nil {
			return err
		}
		peer, err := e.scipyNNLS(file)
		if err != nil {
			return err
		}
		ours, apart := math.Inf(1), 0.0
		for range e.Reps {
			before := processor.Seconds()
			for t, b := range right {
				r, err := qp.NNLS(ctx, simplex.NewDense(m, n, a), b)
				if err != nil {
					return err
				}
				apart = max(apart, math.Abs(r.Objective-peer.objectives[t])/r.Objective)
			}
			ours = min(ours, (processor.Seconds()-before)/k)
		}
		harness.Row(fmt.Sprintf("%d, %d", m, n), milliseconds(ours), milliseconds(peer.seconds),
			fmt.Sprintf("%.1f", peer.seconds/ours), fmt.Sprintf("%.0e", apart))
	}
	return nil
}

func (e *env) scipyNNLS(file string) (r qpRun, err error) {
	err = errors.New("no Python")
	for _, py := range pythons() {
		var out string
		if out, err = e.python(py, "nnls.py", nil, file, strconv.Itoa(e.Reps)); err == nil {
			return r, json.Unmarshal([]byte(out), &r)
		}
	}
	return r, err
}
