package main

import (
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
	experiments["direct"] = harness.Task{About: "direct beside a tuned SVC, everything chosen in the training part", Run: directTask}
}

// directTask compares errors and vectors over splits.
func directTask(ctx context.Context, e *harness.Env) error {
	harness.Header("set", "svc: error / vectors", "direct: error / vectors", "difference ± standard error", "s a split")
	var mean, worst float64
	var sizes []float64
	for _, s := range movedSets {
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
			seconds += harness.Seconds(func() { clf, err = tunedDirect(ctx, p[0]) }) / n
			if err != nil {
				return err
			}
			before := errorOf(svm, p[1])
			svcError, svcSize, size = svcError+before/n, svcSize+float64(svm.NumVectors())/n, size+float64(clf.NumVectors())/n
			diffs = append(diffs, errorOf(clf, p[1])-before)
		}
		d, sd := meanSD(diffs)
		mean, worst, sizes = mean+d/float64(len(movedSets)), math.Max(worst, d), append(sizes, size)
		harness.Row(s.name, fmt.Sprintf("%.2f / %.0f", svcError, svcSize), fmt.Sprintf("%.2f / %.1f", svcError+d, size),
			fmt.Sprintf("%+.2f ± %.2f", d, sd/math.Sqrt(float64(len(diffs)))), fmt.Sprintf("%.2f", seconds))
	}
	slices.Sort(sizes)
	harness.Row("all", "", fmt.Sprintf("median %.1f vectors", sizes[len(sizes)/2]),
		fmt.Sprintf("%+.2f, worst %+.2f", mean, worst), "")
	return nil
}

// tunedDirect chooses C, γ, the widths and the number of vectors by 5-fold cross-validation: the fewest vectors
// within a standard error of the best.
func tunedDirect(ctx context.Context, set *dataset.Set) (*model.Classifier, error) {
	type candidate struct {
		o        sparsekm.Options
		k        int
		error    float64
		variance float64
	}
	const folds = 5
	var all []candidate
	for _, k := range []int{4, 8, 16, 32} {
		for _, widths := range []bool{false, true} {
			for _, c := range []float64{0.03, 0.3, 3} {
				for _, gamma := range []float64{0.1, 0.3, 1, 3} {
					o := sparsekm.Options{Trainer: direct.Trainer{C: c, MaxSV: k, FeatureWidths: widths},
						Kernel: gram.RBF(gamma / float64(set.D)), Scale: dataset.ScaleZ}
					all = append(all, candidate{o: o, k: k})
				}
			}
		}
	}
	for i := range all {
		var errs []float64
		for f := range folds {
			var in, out []int
			for r := range set.N {
				if r%folds == f {
					out = append(out, r)
				} else {
					in = append(in, r)
				}
			}
			clf, _, err := sparsekm.Train(ctx, set.Subset(in), all[i].o)
			if err != nil {
				return nil, err
			}
			errs = append(errs, errorOf(clf, set.Subset(out)))
		}
		m, sd := meanSD(errs)
		all[i].error, all[i].variance = m, sd*sd/folds
	}
	best := slices.MinFunc(all, func(a, b candidate) int { return cmpFloat(a.error, b.error) })
	limit := best.error + math.Sqrt(best.variance)
	for _, c := range all {
		if c.error <= limit && (c.k < best.k || c.k == best.k && c.error < best.error) {
			best = c
		}
	}
	clf, _, err := sparsekm.Train(ctx, set, best.o)
	return clf, err
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
