package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/modelselect"
)

func init() {
	experiments["fit"] = harness.Task{About: "fit without flags compared with a tuned SVC, five splits a set", Run: fitTask}
}

// fitSeeds is how many times a split is fitted, with folds dealt anew; the figures are means of these.
var fitSeeds int

func declareFit() {
	flag.IntVar(&fitSeeds, "seeds", 1, "fit: times a split is fitted, with folds dealt anew")
}

// enough: other work on the host must not change what is chosen.
const enough = time.Hour

// fitted sums up modelselect.Fit compared with a tuned SVC over the splits of a set.
type fitted struct {
	before, diffs, svcSize, size, seconds []float64
	chosen                                map[string]int
	large                                 string
}

// fitTask compares errors and vectors of modelselect.Fit and of a tuned SVC over splits.
func fitTask(ctx context.Context, e *harness.Env) error {
	harness.Header("set", "svc: error / vectors", "fit: error / vectors", "difference ± standard error",
		"share of vectors", "chosen", "processor s a split", "× 1e4")
	var diffs, shares, sizes, svcSizes []float64
	sets := slices.DeleteFunc(slices.Clone(movedSets), func(s benchSet) bool { return s.generate != nil })
	for _, s := range append(sets, benchSet{"iris", "iris.libsvm", "iris.splits", nil}) {
		if !listed(promiseFlags.sets, s.name) {
			continue
		}
		pairs, err := s.parts(e, 0, 5)
		if err != nil {
			return err
		}
		f := fitted{chosen: make(map[string]int)}
		for i, p := range pairs {
			if err := f.add(ctx, p, uint64(i)+1); err != nil {
				return err
			}
		}
		d, sd := meanSD(f.diffs)
		before, svcSize, size := stat.Mean(f.before, nil), stat.Mean(f.svcSize, nil), stat.Mean(f.size, nil)
		diffs = append(diffs, d)
		shares = append(shares, size/svcSize)
		sizes = append(sizes, size)
		svcSizes = append(svcSizes, svcSize)
		harness.Row(s.name, fmt.Sprintf("%.2f / %.0f", before, svcSize), fmt.Sprintf("%.2f / %.1f", before+d, size),
			fmt.Sprintf("%+.2f ± %.2f", d, sd/math.Sqrt(float64(len(pairs)))), fmt.Sprintf("%.3f", size/svcSize),
			strings.Trim(fmt.Sprint(f.chosen), "map[]"), fmt.Sprintf("%.1f", stat.Mean(f.seconds, nil)), f.large)
	}
	harness.Row("all", "", "", fmt.Sprintf("%+.2f, worst %+.2f", stat.Mean(diffs, nil), slices.Max(diffs)),
		fmt.Sprintf("mean %.3f, of the mean numbers %.3f", stat.Mean(shares, nil), floats.Sum(sizes)/floats.Sum(svcSizes)),
		"", "", "")
	return nil
}

// add makes both models of a split; of the first one also the model of features times 1e4.
func (f *fitted) add(ctx context.Context, p [2]*dataset.Set, first uint64) error {
	var before, wrong, svcSize, size []float64
	for deal := range max(1, fitSeeds) {
		seed := first + uint64(1000*deal)
		train := p[0]
		if deal > 0 {
			train = train.Subset(rand.New(rand.NewPCG(seed, 0)).Perm(train.N))
		}
		svm, err := tunedSVC(ctx, train)
		if err != nil {
			return err
		}
		before = append(before, errorOf(svm, p[1]))
		svcSize = append(svcSize, float64(svm.NumVectors()))
		start := processor.Seconds()
		g, err := modelselect.Fit(ctx, p[0], modelselect.FitOptions{Seed: seed, Time: enough})
		if err != nil {
			return err
		}
		f.seconds = append(f.seconds, processor.Seconds()-start)
		if f.large == "" {
			if f.large, err = largeToo(ctx, p, g, seed); err != nil {
				return err
			}
		}
		wrong = append(wrong, errorOf(g.Classifier, p[1]))
		size = append(size, float64(g.Classifier.NumVectors()))
		f.chosen[g.Table.Settings[g.Chosen].Name]++
	}
	f.before = append(f.before, stat.Mean(before, nil))
	f.svcSize = append(f.svcSize, stat.Mean(svcSize, nil))
	f.diffs = append(f.diffs, stat.Mean(wrong, nil)-stat.Mean(before, nil))
	f.size = append(f.size, stat.Mean(size, nil))
	return nil
}

// largeToo says whether features times 1e4 give a model of the same errors on the same split.
func largeToo(ctx context.Context, p [2]*dataset.Set, f *modelselect.Fitted, seed uint64) (string, error) {
	var large [2]*dataset.Set
	for k, set := range p {
		scaled := *set
		scaled.X = slices.Clone(set.X)
		for i := range scaled.X {
			scaled.X[i] *= 1e4
		}
		large[k] = &scaled
	}
	g, err := modelselect.Fit(ctx, large[0], modelselect.FitOptions{Seed: seed, Time: enough})
	if err != nil {
		return "", err
	}
	if a, b := errorOf(f.Classifier, p[1]), errorOf(g.Classifier, large[1]); a != b {
		return fmt.Sprintf("%.2f for %.2f", b, a), nil
	}
	return "same", nil
}
