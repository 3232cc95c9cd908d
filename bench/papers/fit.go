package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/modelselect"
)

func init() {
	experiments["fit"] = harness.Task{About: "fit without flags beside a tuned SVC, five splits a set", Run: fitTask}
}

// fitTask compares errors and vectors of modelselect.Fit and of a tuned SVC over splits.
func fitTask(ctx context.Context, e *harness.Env) error {
	const most = 5
	harness.Header("set", "svc: error / vectors", "fit: error / vectors", "difference ± standard error",
		"share of vectors", "s a split")
	var mean, worst float64
	var shares []float64
	sets := slices.Clone(movedSets)
	iris := sets[0]
	iris.name, iris.file, iris.splits = "iris", "iris.libsvm", "iris.splits"
	sets = append(sets, iris)
	for _, s := range sets {
		pairs, err := splitParts(e, s.file, s.splits, s.generate)
		if err != nil {
			return err
		}
		pairs = pairs[:min(most, len(pairs))]
		n := float64(len(pairs))
		var svcError, svcSize, size, seconds float64
		var diffs []float64
		for i, p := range pairs {
			svm, err := tunedSVC(ctx, p[0])
			if err != nil {
				return err
			}
			var f *modelselect.Fitted
			seconds += harness.Seconds(func() {
				f, err = modelselect.Fit(ctx, p[0], modelselect.FitOptions{Seed: uint64(i) + 1})
			}) / n
			if err != nil {
				return err
			}
			before := errorOf(svm, p[1])
			svcError, svcSize = svcError+before/n, svcSize+float64(svm.NumVectors())/n
			size += float64(f.Classifier.NumVectors()) / n
			diffs = append(diffs, errorOf(f.Classifier, p[1])-before)
		}
		d, sd := meanSD(diffs)
		mean, worst = mean+d/float64(len(sets)), math.Max(worst, d)
		shares = append(shares, size/svcSize)
		harness.Row(s.name, fmt.Sprintf("%.2f / %.0f", svcError, svcSize), fmt.Sprintf("%.2f / %.1f", svcError+d, size),
			fmt.Sprintf("%+.2f ± %.2f", d, sd/math.Sqrt(n)), fmt.Sprintf("%.3f", size/svcSize), fmt.Sprintf("%.1f", seconds))
	}
	slices.Sort(shares)
	harness.Row("all", "", "", fmt.Sprintf("%+.2f, worst %+.2f", mean, worst),
		fmt.Sprintf("median %.3f", shares[len(shares)/2]), "")
	return nil
}
