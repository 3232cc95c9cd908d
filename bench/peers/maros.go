package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/qp"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/simplex/lpfile"
)

func init() {
	compare("maros", "QPS files of Maros and Mészáros in the data's folder maros, up to 2200 variables: published "+
		"optima, PIQP, Clarabel and HiGHS", runMaros)
}

// runMaros solves what has dense size. The peers' times are of sparse solvers, ours is of a dense one.
func runMaros(ctx context.Context, e *env) error {
	const maxVariables = 2200
	f, err := os.Open(filepath.Join(e.Data, "maros", "00README.QP"))
	if err != nil {
		return err
	}
	defer f.Close()
	optima := map[string]float64{} // by BPMPD, where the size allows
	for in := bufio.NewScanner(f); in.Scan(); {
		w := strings.Fields(in.Text()) // name, rows, variables, …, the optimum
		if len(w) != 7 {
			continue
		}
		variables, failed := strconv.Atoi(w[2])
		if failed != nil || variables > maxVariables {
			continue
		}
		if optima[w[0]], err = strconv.ParseFloat(w[6], 64); err != nil {
			return err
		}
	}
	files, err := filepath.Glob(filepath.Join(e.Data, "maros", "*.QPS"))
	if err != nil {
		return err
	}
	harness.Header("program", "rows × variables", "status", "optimum", "published is off by", "s (iterations)",
		"peers: off by, s")
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".QPS")
		optimum, ok := optima[strings.ToLower(strings.ReplaceAll(name, "_", ""))]
		if !ok {
			continue
		}
		if err := e.marosRow(ctx, name, path, optimum); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// marosRow solves one program, again as long as that takes less than a second.
func (e *env) marosRow(ctx context.Context, name, path string, published float64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	model, err := lpfile.Read(f, lpfile.Limits{Bytes: 4 << 30})
	if err != nil {
		return err
	}
	p := qp.QP{LP: model.LP, Q: model.Q}
	rows, n := p.A.Dims()
	size := fmt.Sprintf("%d × %d", rows, n)
	var r *qp.Result
	best, began := math.Inf(1), time.Now()
	for range max(1, e.Reps) {
		before := cpu.Seconds()
		if r, err = qp.Solve(ctx, p, qp.Options{}); err != nil {
			harness.Row(name, size, err.Error(), "", "", "", "")
			return nil
		}
		if best = min(best, cpu.Seconds()-before); time.Since(began) > time.Second {
			break
		}
	}
	if err := qp.Check(p, r); err != nil {
		return err
	}
	apart := func(v float64) string {
		return fmt.Sprintf("%.0e", math.Abs(v-r.Objective)/max(1, math.Abs(r.Objective)))
	}
	harness.Row(name, size, r.Status.String(), fmt.Sprintf("%.10g", r.Objective), apart(published),
		fmt.Sprintf("%.2g (%d)", best, r.Iterations), e.marosPeers(p, apart))
	return nil
}

// marosPeers says by how much each peer's objective differs from ours, and its processor time.
func (e *env) marosPeers(p qp.QP, apart func(float64) string) (all string) {
	a, q := p.A.(*simplex.Sparse), p.Q.(*simplex.Sparse)
	m, n := a.Dims()
	parts := []any{[]int64{int64(m), int64(n), int64(len(a.Value)), int64(len(q.Value))}, []float64{p.Offset}, p.C, p.Lo,
		p.Up, p.RowLo, p.RowUp}
	for _, s := range []*simplex.Sparse{a, q} {
		start := make([]int32, n+1)
		for j := range start {
			start[j] = int32(s.Start[j])
		}
		parts = append(parts, start, s.Index, s.Value)
	}
	file, err := e.binary("maros.raw", parts...)
	if err != nil {
		return err.Error()
	}
	for _, solver := range []string{"piqp", "clarabel", "highs"} {
		var objective, seconds float64
		out, err := e.python(pythons()[0], "maros", nil, file, solver)
		if err == nil {
			_, err = fmt.Sscan(lastLine(out), &objective, &seconds)
		}
		if err != nil {
			all += solver + " failed; "
			continue
		}
		all += fmt.Sprintf("%s %s, %.2g; ", solver, apart(objective), seconds)
	}
	return strings.TrimSuffix(all, "; ")
}
