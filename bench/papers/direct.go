package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/model"
)

func init() {
	experiments["direct"] = harness.Task{About: "direct beside a tuned SVC, everything chosen in the training part",
		Run: func(ctx context.Context, e *harness.Env) error {
			return besideSVC(ctx, e, movedSets, direct.Trainer{Tune: true})
		}}
	experiments["direct-pool"] = harness.Task{About: "three classes over one pool of three vectors, beside a tuned SVC",
		Run: func(ctx context.Context, e *harness.Env) error {
			sets := []benchSet{{"iris", "iris.libsvm", "iris.splits", nil}, movedSets[len(movedSets)-1]}
			return besideSVC(ctx, e, sets, direct.Trainer{Tune: true, MaxSV: 3})
		}}
	experiments["direct-codes"] = harness.Task{About: "60 categorical codes of which 6 matter", Run: codesTask}
}

// besideSVC compares errors and vectors over splits.
func besideSVC(ctx context.Context, e *harness.Env, sets []benchSet, tr direct.Trainer) error {
	harness.Header("set", "svc: error / vectors", "direct: error / vectors", "difference ± standard error", "s a split")
	var mean float64
	worst := math.Inf(-1)
	var sizes []float64
	for _, s := range sets {
		pairs, err := splitParts(e, s.file, s.splits, s.generate)
		if err != nil {
			return err
		}
		var svcError, svcSize, size, seconds float64
		var diffs []float64
		for _, p := range pairs {
			n := float64(len(pairs))
			svm, err := tunedSVC(ctx, p[0])
			if err != nil {
				return err
			}
			var clf *model.Classifier
			seconds += harness.Seconds(func() { clf, _, err = trainDirect(ctx, p[0], tr) }) / n
			if err != nil {
				return err
			}
			before := errorOf(svm, p[1])
			svcError, svcSize, size = svcError+before/n, svcSize+float64(svm.NumVectors())/n, size+float64(clf.NumVectors())/n
			diffs = append(diffs, errorOf(clf, p[1])-before)
		}
		d, sd := meanSD(diffs)
		mean, worst, sizes = mean+d/float64(len(sets)), math.Max(worst, d), append(sizes, size)
		harness.Row(s.name, fmt.Sprintf("%.2f / %.0f", svcError, svcSize), fmt.Sprintf("%.2f / %.1f", svcError+d, size),
			fmt.Sprintf("%+.2f ± %.2f", d, sd/math.Sqrt(float64(len(diffs)))), fmt.Sprintf("%.2f", seconds))
	}
	slices.Sort(sizes)
	harness.Row("all", "", fmt.Sprintf("median %.1f vectors", sizes[len(sizes)/2]),
		fmt.Sprintf("%+.2f, worst %+.2f", mean, worst), "")
	return nil
}

func trainDirect(ctx context.Context, set *dataset.Set,
	tr direct.Trainer) (*model.Classifier, *sparsekm.Report, error) {
	return sparsekm.Train(ctx, set, sparsekm.Options{Trainer: tr, Kernel: gram.RBF(1 / float64(set.D)),
		Scale: dataset.ScaleZ})
}

const (
	codes   = 60
	letters = 4
	motif   = 6 // codes that matter: the first
)

// codesOf draws n points of 60 codes from 1 to 4, at random but for the first six of the second class, each of which is
// its letter of a motif nine times out of ten.
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

// codesTask counts how many of the six features of largest width are those that matter.
func codesTask(ctx context.Context, _ *harness.Env) error {
	harness.Header("seed", "svc: error / vectors", "direct: error / vectors", "found of 6", "s")
	for seed := range uint64(5) {
		train, test := codesOf(1000, 2*seed+1), codesOf(4000, 2*seed+2)
		svm, err := tunedSVC(ctx, train)
		if err != nil {
			return err
		}
		var clf *model.Classifier
		var report *sparsekm.Report
		seconds := harness.Seconds(func() { clf, report, err = trainDirect(ctx, train, direct.Trainer{Tune: true}) })
		if err != nil {
			return err
		}
		found := 0
		if w := report.Kernel.Weights; w != nil {
			order := make([]int, codes)
			for k := range order {
				order[k] = k
			}
			slices.SortFunc(order, func(a, b int) int { return cmp.Compare(w[b], w[a]) })
			for _, k := range order[:motif] {
				if k < motif {
					found++
				}
			}
		}
		harness.Row(fmt.Sprint(seed+1), fmt.Sprintf("%.2f / %d", errorOf(svm, test), svm.NumVectors()),
			fmt.Sprintf("%.2f / %d", errorOf(clf, test), clf.NumVectors()), fmt.Sprint(found), fmt.Sprintf("%.2f", seconds))
	}
	return nil
}
