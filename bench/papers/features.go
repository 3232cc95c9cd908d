package main

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/modelselect"
)

func init() {
	experiments["features"] = harness.Task{About: "twonorm and ringnorm with 80 features of noise: which ones are kept",
		Run: featuresTask}
}

const trueFeatures, noiseFeatures = 20, 80

// withNoise has features of unit normal noise beside the set's own.
func withNoise(s *dataset.Set, seed uint64) *dataset.Set {
	rnd, w := dataset.NewRand(seed), *s
	w.D, w.X = s.D+noiseFeatures, nil
	for i := range s.N {
		w.X = append(w.X, s.Row(i)...)
		for range noiseFeatures {
			w.X = append(w.X, rnd.NormFloat64())
		}
	}
	return &w
}

// featuresTask trains on ten draws of either problem, C by five folds, and counts.
func featuresTask(ctx context.Context, _ *harness.Env) error {
	harness.Header("problem", "training points", "method", "true features kept", "noise dropped", "test error",
		"without the noise's columns", "processor s of the search")
	costs := modelselect.Param("c", 0.03, 0.1, 0.3, 1, 3, 10)
	widths := modelselect.GammaTimes(0.1, 0.3, 1, 3)
	wide := gram.RBF(0)
	for _, problem := range []struct {
		name string
		draw func(int, uint64) *dataset.Set
	}{{"twonorm", dataset.Twonorm}, {"ringnorm", dataset.Ringnorm}} {
		for _, n := range []int{400, 1000, 3000} {
			for _, method := range []struct {
				name string
				of   sparsekm.Options
				axes []modelselect.Axis
			}{
				{"`ssvc-features`", sparsekm.Options{Trainer: ssvc.Features{}, Kernel: gram.Linear()}, []modelselect.Axis{costs}},
				{"`ssvc-features --squares`", sparsekm.Options{Trainer: ssvc.Features{Squares: true}, Kernel: gram.Linear()},
					[]modelselect.Axis{costs}},
				{"`svc`, linear", sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.Linear()}, []modelselect.Axis{costs}},
				{"`svc`, rbf", sparsekm.Options{Trainer: svc.Trainer{}, Kernel: wide}, []modelselect.Axis{costs, widths}},
				{"`direct --feature-widths`, C = 1",
					sparsekm.Options{Trainer: direct.Trainer{FeatureWidths: true}, Kernel: wide}, nil},
			} {
				row, err := featuresRow(ctx, problem.draw, n, method.of, method.axes)
				if err != nil {
					return fmt.Errorf("%s: %w", method.name, err)
				}
				harness.Row(append([]string{problem.name, fmt.Sprint(n), method.name}, row...)...)
			}
		}
	}
	return nil
}

// draws is how often a problem is drawn.
const draws = 5

func featuresRow(ctx context.Context, draw func(int, uint64) *dataset.Set, n int, of sparsekm.Options,
	axes []modelselect.Axis) (row []string, err error) {
	var found, dropped int
	var with, without, taken float64
	for seed := range uint64(draws) {
		train, test := draw(n, 2*seed+1), draw(10000, 2*seed+2)
		start := processor.Seconds()
		wide, err := searched(ctx, withNoise(train, 100+seed), of, axes)
		if err != nil {
			return nil, err
		}
		taken += processor.Seconds() - start
		bare, err := searched(ctx, train, of, axes)
		if err != nil {
			return nil, err
		}
		keeps := wide.Needs()
		dropped += noiseFeatures
		for _, k := range keeps {
			if k < trueFeatures {
				found++
			} else {
				dropped--
			}
		}
		for _, of := range []struct {
			clf *sparsekm.Classifier
			set *dataset.Set
			sum *float64
		}{{wide, withNoise(test, 200+seed), &with}, {bare, test, &without}} {
			e, err := sparsekm.Evaluate(ctx, of.clf, of.set, 1)
			if err != nil {
				return nil, err
			}
			*of.sum += float64(e.Errors) / float64(of.set.N)
		}
	}
	return []string{fmt.Sprintf("%.1f of %d", float64(found)/draws, trueFeatures),
		fmt.Sprintf("%.1f %%", 100*float64(dropped)/(draws*noiseFeatures)), fmt.Sprintf("%.2f %%", 100*with/draws),
		fmt.Sprintf("%.2f %%", 100*without/draws), fmt.Sprintf("%.1f", taken/draws)}, nil
}

// searched is the classifier of the setting that five folds choose.
func searched(ctx context.Context, set *dataset.Set, of sparsekm.Options,
	axes []modelselect.Axis) (*sparsekm.Classifier, error) {
	if axes == nil {
		of.Threads = 1
		clf, _, err := sparsekm.Train(ctx, set, of)
		return clf, err
	}
	settings, err := modelselect.Grid(of, axes...)
	if err != nil {
		return nil, err
	}
	search := &modelselect.Search{Settings: settings, Folds: 5, Seed: 1}
	r, err := search.Run(ctx, set, modelselect.Options{Threads: 1})
	if err != nil {
		return nil, err
	}
	return r.Classifier, nil
}
