package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
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
	var file bytes.Buffer
	if err := binary.Write(&file, binary.LittleEndian, append(set.X[:n*d:n*d], alpha...)); err != nil {
		return err
	}
	path := filepath.Join(e.Tmp, "points")
	if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
		return err
	}
	rows := [][]string{{"sparsekm", seconds(ours), "", "", "", ""}}
	for _, mode := range []struct {
		name, about, bar string
		reps             int
		cores            []string
	}{
		{"lapack", "potrf + potri + pstrf", "≥ 1", e.Reps, coreTypes},
		{"numpy", "in-place rank-one downdates in NumPy", "≥ 20", 1, []string{"SKYLAKEX"}},
		{"blas", "the same by BLAS dsyr or dger", "", 1, []string{"SKYLAKEX", "HASWELL"}},
	} {
		best := math.Inf(1)
		var row []string
		for _, core := range mode.cores {
			out, err := e.python(debianPython, "reduce.py", []string{"OPENBLAS_CORETYPE=" + core}, path, strconv.Itoa(n),
				strconv.Itoa(d),
				fmt.Sprint(gamma), fmt.Sprint(lambda), strconv.Itoa(steps), strconv.Itoa(mode.reps), mode.name)
			if err != nil {
				return err
			}
			var r struct {
				Seconds float64
				Order   []int
				Coef    []float64
			}
			if err := json.Unmarshal([]byte(out), &r); err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "%s, %s: %.3f s\n", mode.about, core, r.Seconds)
			if r.Seconds < best {
				best = r.Seconds
				row = []string{mode.about + " (" + core + ")", seconds(r.Seconds), fmt.Sprintf("%.1f", r.Seconds/ours), mode.bar,
					agree(order, r.Order), fmt.Sprintf("%.1e", farthest(coef, r.Coef))}
			}
		}
		rows = append(rows, row)
	}
	harness.Table([]string{"what", "time", "times ours", "bar", "same removals", "coefficients differ by"}, rows)
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

// agree counts the leading removals that two orders have in common.
func agree(a, b []int) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return fmt.Sprintf("first %d of %d", i, len(a))
}

// farthest is the largest difference, relative to the largest value.
func farthest(a, b []float64) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	var diff, size float64
	for i := range a {
		diff, size = max(diff, math.Abs(a[i]-b[i])), max(size, math.Abs(a[i]))
	}
	return diff / size
}
