package main

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/reduce"
)

func init() {
	compare("reduce", "Kobayashi-Otsu reduction of 3000 vectors to 1500 compared with NumPy and LAPACK, one thread",
		compareReduce)
}

func compareReduce(ctx context.Context, e *env) error {
	const n, d, steps, gamma, lambda = 3000, 20, 1500, 0.05, 1e-3
	set := dataset.Ringnorm(n, 1)
	alpha := set.RestSigns(1)
	k := make([]float64, n*n)
	gram.Pack[float64](gram.RBF(gamma), set.X, n, d).Full(k, n)
	var order []int
	var coef []float64
	var err error
	ours := e.Best(func() { order, coef, err = reduceOnce(ctx, k, n, lambda, alpha, steps, 1) })
	if err != nil {
		return err
	}
	file, err := e.binary("reduce.raw", set.X[:n*d], alpha)
	if err != nil {
		return err
	}
	harness.Header("what", "time", "times ours", "bar", "same first removals", "coefficients differ by")
	harness.Row("sparsekm", seconds(ours), "", "", "", "")
	for _, mode := range []struct {
		name, about, bar string
		reps             int
		cores            []string
	}{
		{"lapack", "potrf + potri + pstrf", "≥ 1", e.Reps, coreTypes},
		{"numpy", "in-place rank-one downdates in NumPy", "≥ 20", 1, []string{"SKYLAKEX"}},
		{"blas", "the same by BLAS dsyr or dger", "", 1, []string{"SKYLAKEX", "HASWELL"}},
	} {
		var best struct {
			Seconds float64
			Order   []int
			Coef    []float64
		}
		for _, core := range mode.cores {
			run := best
			err := e.askOf(debianPython, "reduce", []string{"OPENBLAS_CORETYPE=" + core}, &run, file, strconv.Itoa(n),
				strconv.Itoa(d), fmt.Sprint(gamma), fmt.Sprint(lambda), strconv.Itoa(steps), strconv.Itoa(mode.reps), mode.name)
			if err != nil {
				return err
			}
			if best.Order == nil || run.Seconds < best.Seconds {
				best = run
			}
		}
		same := 0
		for same < min(len(order), len(best.Order)) && order[same] == best.Order[same] {
			same++
		}
		var apart, size float64
		for i := range min(len(coef), len(best.Coef)) {
			apart, size = max(apart, math.Abs(coef[i]-best.Coef[i])), max(size, math.Abs(coef[i]))
		}
		harness.Row(mode.about, seconds(best.Seconds), times(best.Seconds/ours), mode.bar, strconv.Itoa(same),
			fmt.Sprintf("%.1e", apart/size))
	}
	return nil
}

// reduceOnce is everything from a kernel matrix to the coefficients of what is left.
func reduceOnce(ctx context.Context, k []float64, n int, lambda float64, alpha []float64,
	steps, threads int) ([]int, []float64, error) {
	order, err := reduce.Order(ctx, k, n, lambda, steps, threads)
	if err != nil {
		return nil, nil, err
	}
	gone := make([]bool, n)
	for _, i := range order {
		gone[i] = true
	}
	var keep []int
	for i, g := range gone {
		if !g {
			keep = append(keep, i)
		}
	}
	coef, err := reduce.Coefs(ctx, k, n, lambda, alpha, keep, threads)
	return order, coef, err
}
