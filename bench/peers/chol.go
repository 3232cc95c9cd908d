package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/cholupdate"
)

func init() {
	compare("chol", "Cholesky factor and inverse of order 4000 beside OpenBLAS, one thread", compareChol)
}

// debianPython has the NumPy and SciPy that are linked with Debian's OpenBLAS.
const debianPython = "/usr/bin/python3"

func compareChol(ctx context.Context, e *env) error {
	const n = 4000
	rng := rand.New(rand.NewPCG(1, 2))
	a, work := make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		for j := range i {
			a[i*n+j] = 2 * rng.Float64()
		}
		a[i*n+i] = 2 * n
	}
	var err error
	ours := map[string]float64{}
	for name, f := range map[string]func(context.Context, []float64, int, int, int) error{"factor": cholupdate.Cholesky,
		"inverse": cholupdate.Invert} {
		ours[name] = e.BestAfter(func() { copy(work, a) }, func() { err = f(ctx, work, n, n, 1) })
		if err != nil {
			return err
		}
	}
	theirs, core := map[string]float64{}, map[string]string{}
	for _, c := range coreTypes {
		out, err := e.python(debianPython, "chol.py", []string{"OPENBLAS_CORETYPE=" + c}, strconv.Itoa(n),
			strconv.Itoa(e.Reps))
		if err != nil {
			return err
		}
		var t map[string]float64
		if err := json.Unmarshal([]byte(out), &t); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "OpenBLAS %s: factor %.3f s, inverse %.3f s\n", c, t["factor"], t["inverse"])
		for name, s := range t {
			if old, ok := theirs[name]; !ok || s < old {
				theirs[name], core[name] = s, c
			}
		}
	}
	var rows [][]string
	for _, name := range []string{"factor", "inverse"} {
		rows = append(rows, []string{name + ", order 4000", seconds(ours[name]),
			seconds(theirs[name]) + " (" + core[name] + ")", fmt.Sprintf("%.2f", ours[name]/theirs[name]), "≤ 1.5"})
	}
	harness.Table([]string{"what", "sparsekm", "OpenBLAS (best core type)", "ratio", "bar"}, rows)
	return nil
}

func seconds(s float64) string { return fmt.Sprintf("%.3f s", s) }
