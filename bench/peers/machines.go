package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/skm"
	"github.com/sparsekm/sparsekm/learn/ssvc"
)

func init() {
	comparisons["machines"] = comparison{"whole trainings by linear programs, kernel from scratch, one thread", machineSpeed}
	comparisons["machines-scale"] = comparison{"ringnorm, 10000 generated points, within 2 GiB, all cores", machineScale}
}

// machineSpeed times whole trainings, and SKM with its search for the margin against
// one training at a given margin cut off after the first program.
func machineSpeed(e *env) error {
	var rows [][]string
	for _, load := range []func(*env) (*svcTask, error){
		smallTask("german", "open/german.libsvm", true, 10, gram.RBFSigma(12).Gamma),
		smallTask("banana-1000", "open/banana-1000.libsvm", true, 1, gram.RBFSigma(0.7).Gamma),
		smallTask("ringnorm-1000", "open/ringnorm-1000.libsvm", true, 1, gram.RBFSigma(4.5).Gamma),
	} {
		t, err := load(e)
		if err != nil {
			return err
		}
		t.p.Threads = 1
		for _, tr := range []learn.Trainer{ssvc.Linear{C: t.c}, skm.SKM{C: 0.001, Delta: 0.1}, skm.SKM{C: 0.001}, skm.L1SVM{C: t.c}, skm.L0SVM{C: t.c}, skm.LPSVC{C: t.c}} {
			var r *learn.Result
			took := e.best(func() { r, err = tr.Train(context.Background(), t.p) })
			if err != nil {
				return err
			}
			name := tr.Name()
			if k, ok := tr.(skm.SKM); ok && k.Delta > 0 {
				name += " at δ = 0.1"
			}
			rows = append(rows, machineRow(t.name, name, ms(took), r))
			if k, ok := tr.(skm.SKM); ok && k.Delta == 0 {
				delta := r.Report.Extra["delta"].(float64)
				took := e.best(func() { r, err = skm.SKM{C: k.C, Delta: delta}.Train(context.Background(), t.p) })
				if err != nil {
					return err
				}
				rows = append(rows, machineRow(t.name, fmt.Sprintf("skm at the δ found, %.3g", delta), ms(took), r))
			}
		}
	}
	table([]string{"set", "method", "ms", "rounds", "programs", "pivots", "working rows", "SVs", "gap"}, rows)
	return nil
}

func machineRow(set, method, took string, r *learn.Result) []string {
	x := r.Report.Extra
	return []string{set, method, took, strconv.Itoa(r.Report.Iterations), fmt.Sprint(x["solves"]), strconv.Itoa(r.Report.InnerIterations),
		fmt.Sprint(x["working_rows"]), strconv.Itoa(len(r.Support)), fmt.Sprintf("%.0e", r.Report.Gap)}
}

func machineScale(e *env) error {
	const n = 10000
	set := dataset.Ringnorm(n, 1)
	y, err := set.Signs()
	if err != nil {
		return err
	}
	p := &learn.Problem{X: set.X, N: n, D: set.D, Y: y, Kernel: gram.RBFSigma(4.5), Resources: learn.Resources{Memory: 2 << 30}}
	one := env{reps: 1}
	var rows [][]string
	for _, tr := range []learn.Trainer{ssvc.Linear{C: 1}, skm.SKM{C: 0.001}} {
		var r *learn.Result
		took := one.best(func() { r, err = tr.Train(context.Background(), p) })
		if err != nil {
			return err
		}
		rows = append(rows, append(machineRow("ringnorm-10000", tr.Name(), fmt.Sprintf("%.2f", took), r), resident()))
	}
	table([]string{"set", "method", "s", "rounds", "programs", "pivots", "working rows", "SVs", "gap", "peak resident memory"}, rows)
	return nil
}
