package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"slices"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

func init() {
	compare("lp-small", "small programs solved warm again and again with other right-hand sides, at every SIMD level; "+
		"HiGHS and CLP", runSmallLP)
}

// manySmall is a small program and the upper bounds of its rows in others.
type manySmall struct {
	lp     simplex.LP
	rights [][]float64
}

// smallPrograms is the number of right-hand sides.
const smallPrograms = 3000

// newManySmall draws a program of m rows and n boxed columns, of which a share of the entries is not 0.
func newManySmall(m, n int, share float64) manySmall {
	r := rand.New(rand.NewPCG(1, uint64(m)))
	a := make([]float64, m*n)
	for i := range a {
		if r.Float64() < share {
			a[i] = r.Float64()
		}
	}
	p := manySmall{lp: simplex.LP{C: make([]float64, n), Lo: make([]float64, n), Up: constant(n, 3),
		RowLo: constant(m, math.Inf(-1)), A: simplex.NewDense(m, n, a)}}
	for j := range n {
		p.lp.C[j] = -r.Float64()
	}
	for range smallPrograms {
		right := make([]float64, m)
		for i := range right {
			right[i] = 2 + 2*r.Float64()
		}
		p.rights = append(p.rights, right)
	}
	p.lp.RowUp = p.rights[0]
	return p
}

func runSmallLP(ctx context.Context, e *env) error {
	clp, err := e.compileC("clp_small.c", "-lClp")
	if err != nil {
		absent(err)
	}
	var rows [][]string
	for _, size := range [][2]int{{10, 15}, {20, 30}, {50, 80}} {
		for _, share := range []float64{1, 0.4} {
			p := newManySmall(size[0], size[1], share)
			r, err := e.compareSmall(ctx, p, clp)
			if err != nil {
				return err
			}
			rows = append(rows, append([]string{fmt.Sprintf("%d × %d, %.0f %%", size[0], size[1], 100*share)}, r...))
		}
	}
	harness.Table([]string{"program, nonzero", "level", "ours, µs", "pivots", "µs a pivot", "allocations",
		"HiGHS, µs", "ratio", "CLP, µs", "ratio"}, rows)
	return nil
}

// compareSmall returns the cells of a program: each with the figures of all levels.
func (e *env) compareSmall(ctx context.Context, p manySmall, clp string) ([]string, error) {
	peers, err := e.peersSmall(p, clp)
	if err != nil {
		return nil, err
	}
	cells := make([]string, 9)
	for _, l := range simdLevels() {
		restore := cpu.Use(l)
		o, err := e.oursSmall(ctx, p)
		restore()
		if err != nil {
			return nil, err
		}
		line := []string{l.String(), fmt.Sprintf("%.2f", o.micros), fmt.Sprintf("%.1f", o.pivots),
			fmt.Sprintf("%.2f", o.micros/o.pivots), fmt.Sprint(o.allocations)}
		for _, name := range []string{"highs", "clp"} {
			t := peers[name]
			line = append(line, fmt.Sprintf("%.1f", t.seconds*1e6/smallPrograms))
			line = append(line, fmt.Sprintf("%.1f", t.seconds*1e6/smallPrograms/o.micros))
			if d := math.Abs(t.objective - o.objective); t.name != "" && !(d <= 1e-7*math.Abs(o.objective)) {
				return nil, fmt.Errorf("%s: sum of objectives %v, ours is %v", name, t.objective, o.objective)
			}
		}
		for k, c := range line {
			if cells[k] != "" {
				c = " / " + c
			}
			cells[k] += c
		}
	}
	return cells, nil
}

// smallRun is what our solves of a program took, and the sum of their objectives.
type smallRun struct {
	micros, pivots, objective float64
	allocations               uint64
}

// oursSmall times change and solve of every program, with the certificate that the result carries.
func (e *env) oursSmall(ctx context.Context, p manySmall) (o smallRun, err error) {
	s, err := simplex.New(p.lp, simplex.Options{})
	if err != nil {
		return o, err
	}
	var r simplex.Result
	failed := 0
	pass := func() {
		o.objective, o.pivots = 0, 0
		for _, right := range p.rights {
			if refused := s.SetRowBounds(p.lp.RowLo, right); refused != nil {
				panic(refused)
			}
			s.SolveInto(ctx, &r)
			o.objective += r.Objective
			o.pivots += float64(r.Iterations)
			if r.Status != status.Optimal {
				failed++
			}
		}
	}
	pass()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	pass()
	runtime.ReadMemStats(&after)
	o.allocations = (after.Mallocs - before.Mallocs) / smallPrograms
	smallest, err := e.Processor(func() error { pass(); return nil })
	if err != nil {
		return o, err
	}
	o.micros = smallest * 1e6 / smallPrograms
	o.pivots /= smallPrograms
	if failed > 0 {
		err = fmt.Errorf("%d programs are not optimal", failed)
	}
	return o, err
}

// peersSmall returns the time of HiGHS, and that of CLP's better method.
func (e *env) peersSmall(p manySmall, clp string) (map[string]peerRun, error) {
	program, err := e.raw("small.raw", p.lp)
	if err != nil {
		return nil, err
	}
	rights, err := e.binary("rights.raw", slices.Concat(p.rights...))
	if err != nil {
		return nil, err
	}
	best := map[string]peerRun{}
	if clp != "" {
		out, err := exec.Command(clp, program, rights).Output()
		if err != nil {
			return nil, err
		}
		best["clp"] = fastest(parseRuns(string(out)), "")
	}
	if runs := e.highs(program, "--rights", rights); runs != nil {
		best["highs"] = runs[0]
	}
	return best, nil
}
