package main

import (
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/internal/testing/lpgen"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

func init() {
	compare("lp-sparse", "sparse programs: transport, assignment, staircase, multi-commodity, Netlib; "+
		"compared with CLP and HiGHS, processor times", runSparseLP)
	compare("lp-duals", "duals of drawn programs, in which every equation is a free column; the same peers", runDualLP)
}

// sparseLP is a program by its name.
type sparseLP struct {
	name string
	lp   simplex.LP
}

// drawnLPs are the generated programs, up to 10000 rows.
func drawnLPs() []sparseLP {
	return []sparseLP{
		{"transport 100 × 200", lpgen.Transport(100, 200, 10, 1)},
		{"transport 500 × 1000", lpgen.Transport(500, 1000, 15, 1)},
		{"transport 3000 × 7000", lpgen.Transport(3000, 7000, 8, 1)},
		{"assignment 200", lpgen.Assignment(200, 10, 1)},
		{"assignment 1000", lpgen.Assignment(1000, 10, 1)},
		{"assignment 5000", lpgen.Assignment(5000, 8, 1)},
		{"staircase 10 × 30", lpgen.Staircase(10, 30, 45, 1)},
		{"staircase 30 × 60", lpgen.Staircase(30, 60, 90, 1)},
		{"staircase 500 × 20", lpgen.Staircase(500, 20, 30, 1)},
		{"multi-commodity 20 × 15", lpgen.Multicommodity(20, 80, 15, 1)},
		{"multi-commodity 50 × 40", lpgen.Multicommodity(50, 200, 40, 1)},
		{"multi-commodity 100 × 96", lpgen.Multicommodity(100, 400, 96, 1)},
	}
}

// dualLPs are duals of generated programs.
func dualLPs() []sparseLP {
	return []sparseLP{
		{"transport 500 × 1000", lpgen.Dual(lpgen.Transport(500, 1000, 15, 1))},
		{"assignment 200", lpgen.Dual(lpgen.Assignment(200, 10, 1))},
		{"assignment 1000", lpgen.Dual(lpgen.Assignment(1000, 10, 1))},
		{"staircase 10 × 30", lpgen.Dual(lpgen.Staircase(10, 30, 45, 1))},
		{"staircase 30 × 60", lpgen.Dual(lpgen.Staircase(30, 60, 90, 1))},
		{"multi-commodity 20 × 15", lpgen.Dual(lpgen.Multicommodity(20, 80, 15, 1))},
		{"multi-commodity 50 × 40", lpgen.Dual(lpgen.Multicommodity(50, 200, 40, 1))},
	}
}

// netlibLPs are the files of the data's folder lp that have an optimum.
func (e *env) netlibLPs() (list []sparseLP, err error) {
	files, err := filepath.Glob(filepath.Join(e.Data, "lp", "*.mps.gz"))
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		m, err := simplex.ReadMPS(z)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, sparseLP{strings.TrimSuffix(filepath.Base(path), ".mps.gz"), m.LP})
	}
	return list, nil
}

func runSparseLP(ctx context.Context, e *env) error {
	netlib, err := e.netlibLPs()
	if err != nil {
		return err
	}
	return e.sparseRows(ctx, append(netlib, drawnLPs()...))
}

func runDualLP(ctx context.Context, e *env) error { return e.sparseRows(ctx, dualLPs()) }

// sparseRows compares a list of programs.
func (e *env) sparseRows(ctx context.Context, list []sparseLP) error {
	clp, err := e.compileC("clp_lp.c", "-lClp")
	if err != nil {
		return err
	}
	harness.Header("LP", "rows × columns", "here s (pivots)", "CLP's best s (iterations)", "ratio to CLP",
		"HiGHS's best s (iterations)", "objectives differ by", "CLP's other ways")
	var ratios []float64
	for _, p := range list {
		row, ratio, err := e.sparseRow(ctx, clp, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if row != nil {
			harness.Row(row...)
			ratios = append(ratios, ratio)
		}
	}
	slices.Sort(ratios)
	fmt.Printf("\nratio to CLP: median %.2f, largest %.2f\n", ratios[len(ratios)/2], ratios[len(ratios)-1])
	return nil
}

// sparseRow compares one program; no row where it has no optimum.
func (e *env) sparseRow(ctx context.Context, clp string, p sparseLP) ([]string, float64, error) {
	var r *simplex.Result
	best := math.Inf(1)
	for range e.Reps {
		runtime.GC() // what programs before have left is not this one's
		before := processor.Seconds()
		s, err := simplex.New(p.lp, simplex.Options{})
		if err != nil {
			return nil, 0, err
		}
		r = s.Solve(ctx)
		best = min(best, processor.Seconds()-before)
	}
	if err := simplex.Check(p.lp, r); err != nil {
		return nil, 0, err
	}
	if r.Status == status.Infeasible {
		return nil, 0, nil
	}
	if r.Status != status.Optimal {
		return nil, 0, fmt.Errorf("status %v", r.Status)
	}
	file := filepath.Join(e.Tmp, "lp.raw")
	if err := writeRaw(file, p.lp); err != nil {
		return nil, 0, err
	}
	var runs []peerRun
	for range e.Reps {
		cmd := exec.Command(clp, file)
		cmd.Env = append(os.Environ(), "CLP_PRESOLVE=1")
		out, err := cmd.Output()
		if err != nil {
			return nil, 0, err
		}
		runs = append(runs, parseRuns("P", string(out))...)
	}
	out, err := e.highs([]string{file})
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers: without HiGHS:", err)
	}
	first := fastest(runs)
	apart := math.Abs(first.objective-r.Objective+p.lp.Offset) / max(1, math.Abs(r.Objective))
	m, n := p.lp.A.Dims()
	return []string{p.name, fmt.Sprintf("%d × %d", m, n), fmt.Sprintf("%.4f (%d)", best, r.Iterations), shown(first),
		fmt.Sprintf("%.2f", best/first.seconds), shown(fastest(parseRuns("P", out))), fmt.Sprintf("%.1e", apart),
		eachFastest(runs)}, best / first.seconds, nil
}

func fastest(runs []peerRun) peerRun {
	best := peerRun{seconds: math.Inf(1)}
	for _, r := range runs {
		if r.seconds < best.seconds {
			best = r
		}
	}
	return best
}

func shown(r peerRun) string {
	return fmt.Sprintf("%s %.4f (%d)", strings.TrimSuffix(r.name, "/P"), r.seconds, r.iterations)
}

// eachFastest lists the fastest run of each way.
func eachFastest(runs []peerRun) string {
	ways := map[string][]peerRun{}
	for _, r := range runs {
		ways[r.name] = append(ways[r.name], r)
	}
	var list []string
	for _, w := range ways {
		list = append(list, shown(fastest(w)))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
