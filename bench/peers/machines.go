package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/skm"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
)

func init() {
	compare("machines", "whole trainings by linear programs, kernel from scratch, one thread", machineSpeed)
	compare("machines-scale", "10000 and 100000 generated samples, within 2 GiB, all cores", machineScale)
}

// machineSpeed times whole trainings, and SKM with its search for the margin against
// one training at a given margin cut off after the first program.
func machineSpeed(ctx context.Context, e *env) error {
	var rows [][]string
	for _, load := range []func(*env) (*task, error){
		setTask("german", "german.libsvm", true, 10, gram.RBFSigma(12).Gamma),
		setTask("banana-1000", "banana-1000.libsvm", true, 1, gram.RBFSigma(0.7).Gamma),
		setTask("ringnorm-1000", "ringnorm-1000.libsvm", true, 1, gram.RBFSigma(4.5).Gamma),
	} {
		t, err := load(e)
		if err != nil {
			return err
		}
		t.p.Threads = 1
		for _, tr := range []learn.Trainer{ssvclp.B{C: t.c}, skm.Trainer{C: 0.001, Delta: 0.1}, skm.Trainer{C: 0.001},
			skm.L1SVM{C: t.c}, skm.L0SVM{C: t.c}, skm.LPSVC{C: t.c}} {
			var r *learn.Result
			took := e.Best(func() { r, err = tr.Train(ctx, t.p) })
			if err != nil {
				return err
			}
			name := tr.Name()
			if k, ok := tr.(skm.Trainer); ok && k.Delta > 0 {
				name += " at δ = 0.1"
			}
			rows = append(rows, machineRow(t.name, name, ms(took), r))
			if k, ok := tr.(skm.Trainer); ok && k.Delta == 0 {
				delta := r.Report.Figures.(skm.Figures).Delta
				took := e.Best(func() { r, err = skm.Trainer{C: k.C, Delta: delta}.Train(ctx, t.p) })
				if err != nil {
					return err
				}
				rows = append(rows, machineRow(t.name, fmt.Sprintf("skm at the δ found, %.3g", delta), ms(took), r))
			}
		}
	}
	harness.Table([]string{"set", "method", "ms", "rounds", "programs", "pivots", "working rows", "SVs", "gap"}, rows)
	return nil
}

func machineRow(set, method, took string, r *learn.Result) []string {
	solves, working, vectors := 0, 0, len(r.Support)
	switch f := r.Report.Figures.(type) {
	case skm.Figures: // of the paper's count, as the printed tables have it
		solves, working, vectors = f.Solves, f.WorkingRows, f.SVCounted
	case skm.LinearFigures:
		solves, working, vectors = f.Solves, f.WorkingRows, f.SVCounted
	case ssvclp.LinearFigures:
		solves, working = f.Solves, f.WorkingRows
	}
	return []string{set, method, took, strconv.Itoa(r.Report.Iterations), strconv.Itoa(solves),
		strconv.Itoa(r.Report.InnerIterations),
		strconv.Itoa(working), strconv.Itoa(vectors), fmt.Sprintf("%.0e", r.Report.Duality.Gap)}
}

// resampled draws n samples of the file, each moved by a normal deviate of a tenth in every feature.
func (e *env) resampled(file string, n int) (*dataset.Set, error) {
	of, err := e.Set(file)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(5, 5))
	rows := make([]int, n)
	for i := range rows {
		rows[i] = rng.IntN(of.N)
	}
	set := of.Subset(rows)
	for i := range set.X {
		set.X[i] += 0.1 * rng.NormFloat64()
	}
	return set, nil
}

func machineScale(ctx context.Context, e *env) error {
	banana, err := e.resampled("banana.libsvm", 100000)
	if err != nil {
		return err
	}
	one := e.once()
	var rows [][]string
	for _, c := range []struct {
		name  string
		set   *dataset.Set
		gamma float64
		tr    learn.Trainer
	}{
		{"ringnorm-10000", dataset.Ringnorm(10000, 1), 1 / (2 * 4.5 * 4.5), ssvclp.B{C: 1}},
		{"ringnorm-10000", dataset.Ringnorm(10000, 1), 1 / (2 * 4.5 * 4.5), skm.Trainer{C: 0.001}},
		{"ringnorm-100000", dataset.Ringnorm(100000, 1), 0.05, ssvclp.B{C: 1}},
		{"twonorm-100000", dataset.Twonorm(100000, 2), 0.05, ssvclp.B{C: 1}},
		{"banana, 100000 of its samples moved", banana, 1, ssvclp.B{C: 1}},
	} {
		y, err := c.set.Signs()
		if err != nil {
			return err
		}
		p := &learn.Problem{X: c.set.X, N: c.set.N, D: c.set.D, Y: y, Kernel: gram.RBF(c.gamma),
			Resources: learn.Resources{Memory: 2 << 30}}
		var r *learn.Result
		took := one.Best(func() { r, err = c.tr.Train(ctx, p) })
		if err != nil {
			return err
		}
		rows = append(rows, append(machineRow(c.name, c.tr.Name(), fmt.Sprintf("%.2f", took), r), resident()))
	}
	harness.Table([]string{"set", "method", "s", "rounds", "programs", "pivots", "working rows", "SVs", "gap",
		"peak resident memory"}, rows)
	return nil
}
