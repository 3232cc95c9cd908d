package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/export"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/learn/direct"
)

func init() {
	experiments["direct-steps"] = harness.Task{About: "three rules, a sum of squares and 60 codes: units of direct", Run: stepsTask}
}

// rulesOf draws n samples of 8 features between 0 and 1. Of three rules, two of one threshold and one of two, and some
// noise the sum's sign is the class. Four features do not matter.
func rulesOf(n int, seed uint64) *dataset.Set {
	rng := dataset.NewRand(seed)
	s := &dataset.Set{N: n, D: 8, Labels: []string{"-1", "1"}}
	side := func(holds bool, size float64) float64 {
		if holds {
			return size
		}
		return -size
	}
	for range n {
		x := make([]float64, 8)
		for k := range x {
			x[k] = rng.Float64()
		}
		sum := side(x[0] > 0.5, 1) + side(x[1] > 0.3 && x[2] < 0.6, 1) + side(x[3] > 0.7, 0.8) + 0.3*rng.NormFloat64()
		s.X = append(s.X, x...)
		s.Y = append(s.Y, int(side(sum > 0, 0.5)+0.5))
	}
	return s
}

// squaresOf draws n samples of Hastie, Tibshirani and Friedman (The Elements of Statistical Learning, 2009, 10.2): ten
// normal features, whose squares sum to more than the median 9.34 or not.
func squaresOf(n int, seed uint64) *dataset.Set {
	rng := dataset.NewRand(seed)
	s := &dataset.Set{N: n, D: 10, Labels: []string{"-1", "1"}}
	for range n {
		sum, class := 0.0, 0
		for range 10 {
			x := rng.NormFloat64()
			s.X, sum = append(s.X, x), sum+x*x
		}
		if sum > 9.34 {
			class = 1
		}
		s.Y = append(s.Y, class)
	}
	return s
}

// stepsTask compares the units of direct by test error, size and time.
func stepsTask(ctx context.Context, _ *harness.Env) error {
	harness.Header("problem", "direct", "error of three draws", "units", "bytes of tables in C", "processor s")
	for _, p := range []struct {
		name string
		draw func(n int, seed uint64) *dataset.Set
		n    int
	}{{"three rules", rulesOf, 2000}, {"sum of squares", squaresOf, 2000}, {"60 codes", codesOf, 1000}} {
		for _, tr := range []struct {
			name string
			direct.Trainer
		}{{"", direct.Trainer{}}, {"--units steps", direct.Trainer{Units: "steps"}},
			{"--units mixed", direct.Trainer{Units: "mixed"}}, {"--tune", direct.Trainer{Tune: true}}} {
			if err := stepsRow(ctx, p.name, tr.name, tr.Trainer, p.draw, p.n); err != nil {
				return err
			}
		}
	}
	return nil
}

func stepsRow(ctx context.Context, problem, name string, tr direct.Trainer,
	draw func(n int, seed uint64) *dataset.Set, n int) error {
	var wrong, units, size, took string
	for seed := range uint64(3) {
		train, test := draw(n, 2*seed+1), draw(8000, 2*seed+2)
		start := processor.Seconds()
		clf, _, err := sparsekm.Train(ctx, train, sparsekm.Options{Trainer: tr, Scale: dataset.ScaleZ,
			Kernel: gram.RBF(1 / float64(train.D)), Threads: 1})
		if err != nil {
			return fmt.Errorf("%s, %s: %w", problem, name, err)
		}
		var text bytes.Buffer
		if err = export.Write(&text, clf, "c", export.Options{}); err != nil {
			return err
		}
		wrong += fmt.Sprintf(" %.2f", errorOf(clf, test))
		took += fmt.Sprintf(" %.1f", processor.Seconds()-start)
		units += fmt.Sprintf(" %d", clf.NumUnits())
		size += " " + tablesOf(text.String())
	}
	harness.Row(problem, name, wrong[1:], units[1:], size[1:], took[1:])
	return nil
}

// tablesOf is the number of bytes that a C header says its tables take.
func tablesOf(text string) string {
	var n int
	if at := strings.Index(text, "Tables: "); at >= 0 {
		if _, err := fmt.Sscanf(text[at:], "Tables: %d bytes", &n); err != nil {
			return "?"
		}
	}
	return fmt.Sprint(n)
}
