package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/ssvclp"
	"github.com/sparsekm/sparsekm/learn/svc"
)

func init() {
	experiments["direct-codes"] = harness.Task{About: "60 categorical codes of which 6 matter", Run: codesTask}
}

const (
	codes   = 60
	letters = 4
	motif   = 6 // codes that matter: the first
)

// codesOf draws n samples of 60 codes from 1 to 4, at random but for the first six of the second class, each of which
// is its letter of a motif nine times out of ten.
func codesOf(n int, seed uint64) *dataset.Set {
	rng := dataset.NewRand(seed)
	s := &dataset.Set{N: n, D: codes, Labels: []string{"-1", "1"}}
	for range n {
		class := rng.IntN(2)
		s.Y = append(s.Y, class)
		for k := range codes {
			code := 1 + rng.IntN(letters)
			if class == 1 && k < motif && rng.Float64() < 0.9 {
				code = 1 + (3*k+1)%letters
			}
			s.X = append(s.X, float64(code))
		}
	}
	return s
}

// codesTask compares errors, vectors and what the widths found.
func codesTask(ctx context.Context, _ *harness.Env) error {
	harness.Header("seed", "method", "error", "vectors", "found of 6", "processor s")
	for seed := range uint64(5) {
		train, test := codesOf(1000, 2*seed+1), codesOf(4000, 2*seed+2)
		start := processor.Seconds()
		best, err := tuned(ctx, train, func(c float64) (learn.Trainer, error) { return svc.Trainer{C: c}, nil })
		if err != nil {
			return err
		}
		widths, sparse, free := best, best, best
		widths.LearnWidths = true
		sparse.LearnWidths, sparse.Trainer = true, ssvclp.B{}
		free.Kernel, free.Trainer = gram.RBF(1.0/codes), direct.Trainer{Tune: true}
		for _, m := range []struct {
			name string
			sparsekm.Options
		}{{"svc, tuned", best}, {"svc --widths learned", widths}, {"ssvc-b --widths learned", sparse},
			{"direct --tune", free}} {
			clf, report, err := sparsekm.Train(ctx, train, m.Options)
			if err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
			end := processor.Seconds()
			harness.Row(fmt.Sprint(seed+1), m.name, fmt.Sprintf("%.2f", errorOf(clf, test)), fmt.Sprint(clf.NumVectors()),
				found(report.Kernel.Weights), fmt.Sprintf("%.2f", end-start))
			start = end
		}
	}
	return nil
}

// found counts how many of the features of largest width are those that matter.
func found(width []float64) string {
	if width == nil {
		return ""
	}
	order, n := make([]int, codes), 0
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(width[b], width[a]) })
	for _, k := range order[:motif] {
		if k < motif {
			n++
		}
	}
	return fmt.Sprint(n)
}
