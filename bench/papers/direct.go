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
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/model"
)

func init() {
	experiments["direct"] = harness.Task{About: "direct compared with a tuned SVC, everything chosen in the training part",
		Run: func(ctx context.Context, e *harness.Env) error {
			return besideSVC(ctx, e, movedSets, direct.Trainer{Tune: true})
		}}
	experiments["direct-pool"] = harness.Task{About: "three classes over one pool of three vectors, compared with a tuned SVC",
		Run: func(ctx context.Context, e *harness.Env) error {
			sets := []benchSet{{"iris", "iris.libsvm", "iris.splits", nil}, movedSets[len(movedSets)-1]}
			return besideSVC(ctx, e, sets, direct.Trainer{Tune: true, MaxSV: 3})
		}}
}

const directSplits = 20 // published; of generated sets as many

// besideSVC compares errors and vectors over splits.
func besideSVC(ctx context.Context, e *harness.Env, sets []benchSet, tr direct.Trainer) error {
	harness.Header("set", "svc: error / vectors", "direct: error / vectors", "difference ± standard error",
		"processor s a split")
	var mean float64
	worst := math.Inf(-1)
	var sizes []float64
	for _, s := range sets {
		if !listed(promiseFlags.sets, s.name) {
			continue
		}
		pairs, err := s.parts(e, 0, directSplits)
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
			from := processor.Seconds()
			if clf, _, err = trainDirect(ctx, p[0], tr); err != nil {
				return err
			}
			seconds += (processor.Seconds() - from) / n
			before := errorOf(svm, p[1])
			svcError, svcSize, size = svcError+before/n, svcSize+float64(svm.NumVectors())/n, size+float64(clf.NumVectors())/n
			diffs = append(diffs, errorOf(clf, p[1])-before)
		}
		d, sd := meanSD(diffs)
		mean, worst, sizes = mean+d, math.Max(worst, d), append(sizes, size)
		harness.Row(s.name, fmt.Sprintf("%.2f / %.0f", svcError, svcSize), fmt.Sprintf("%.2f / %.1f", svcError+d, size),
			fmt.Sprintf("%+.2f ± %.2f", d, sd/math.Sqrt(float64(len(diffs)))), fmt.Sprintf("%.2f", seconds))
	}
	slices.Sort(sizes)
	harness.Row("all", "", fmt.Sprintf("median %.1f vectors", sizes[len(sizes)/2]),
		fmt.Sprintf("%+.2f, worst %+.2f", mean/float64(len(sizes)), worst), "")
	return nil
}

func trainDirect(ctx context.Context, set *dataset.Set,
	tr direct.Trainer) (*model.Classifier, *sparsekm.Report, error) {
	return sparsekm.Train(ctx, set, sparsekm.Options{Trainer: tr, Kernel: gram.RBF(1 / float64(set.D)),
		Scale: dataset.ScaleZ})
}
