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
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/ssvclp"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/modelselect"
)

func init() {
	experiments["features"] = harness.Task{About: "twonorm and ringnorm with 80 features of noise: which ones are kept",
		Run: featuresTask}
}

const trueFeatures, noiseFeatures = 20, 80

// withNoise has features of unit normal noise next to the set's own.
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

// featuresTask trains on ten draws of either problem, C by five folds where it is not given, and counts.
func featuresTask(ctx context.Context, _ *harness.Env) error {
	harness.Header("problem", "training samples", "method", "true features kept", "noise dropped", "test error",
		"without the noise's columns", "processor s of the search")
	for _, problem := range []struct {
		name string
		draw func(int, uint64) *dataset.Set
	}{{"twonorm", dataset.Twonorm}, {"ringnorm", dataset.Ringnorm}} {
		for _, n := range []int{400, 1000, 3000} {
			for _, method := range featureMethods() {
				row, err := featuresRow(ctx, problem.draw, n, method)
				if err != nil {
					return fmt.Errorf("%s: %w", method.name, err)
				}
				harness.Row(append([]string{problem.name, fmt.Sprint(n), method.name}, row...)...)
			}
		}
	}
	return nil
}

// featureMethod is a row of the table: what is trained, or tests of each feature alone before an svc of those that
// pass.
type featureMethod struct {
	name  string
	of    sparsekm.Options
	axes  []modelselect.Axis
	tests bool
}

func featureMethods() []featureMethod {
	costs := []modelselect.Axis{modelselect.Param("c", 0.03, 0.1, 0.3, 1, 3, 10)}
	small := []modelselect.Axis{modelselect.Param("c", 0.003, 0.01, 0.03, 0.1, 0.3, 1)}
	linear := func(t learn.Trainer) sparsekm.Options { return sparsekm.Options{Trainer: t, Kernel: gram.Linear()} }
	wide := gram.RBF(0)
	return []featureMethod{
		{name: "`ssvc-features`", of: linear(ssvc.Features{}), axes: costs},
		{name: "`ssvc-features --squares`", of: linear(ssvc.Features{Squares: true}), axes: costs},
		{name: "`ssvc-features-b`", of: linear(ssvclp.FeaturesB{}), axes: costs},
		{name: "`ssvc-features-b --squares`", of: linear(ssvclp.FeaturesB{Squares: true}), axes: costs},
		{name: "`ssvc-features --ranked`, C = 1", of: linear(ssvc.Features{Ranked: true})},
		{name: "`ssvc-features --ranked --squares`, C = 1", of: linear(ssvc.Features{Ranked: true, Squares: true})},
		{name: "a test of each feature, then `svc`, linear", of: linear(svc.Trainer{}), axes: small, tests: true},
		{name: "`svc`, linear", of: linear(svc.Trainer{}), axes: costs},
		{name: "`svc`, rbf", of: sparsekm.Options{Trainer: svc.Trainer{}, Kernel: wide},
			axes: append(costs, modelselect.GammaTimes(0.1, 0.3, 1, 3))},
		{name: "`direct --feature-widths`, C = 1",
			of: sparsekm.Options{Trainer: direct.Trainer{FeatureWidths: true}, Kernel: wide}},
	}
}

// draws is how often a problem is drawn.
const draws = 10

func featuresRow(ctx context.Context, draw func(int, uint64) *dataset.Set, n int,
	method featureMethod) (row []string, err error) {
	var found, dropped int
	var with, without, taken float64
	for seed := range uint64(draws) {
		train, test := draw(n, 2*seed+1), draw(10000, 2*seed+2)
		start := processor.Seconds()
		wide, err := searched(ctx, withNoise(train, 100+seed), method)
		if err != nil {
			return nil, err
		}
		taken += processor.Seconds() - start
		bare, err := searched(ctx, train, method)
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
func searched(ctx context.Context, set *dataset.Set, method featureMethod) (*sparsekm.Classifier, error) {
	of, axes := method.of, method.axes
	if method.tests {
		set = passed(set)
	}
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

// passed is the set with zeros for the features whose classes' means, and those of the squares, are no further apart
// than chance explains: Welch's two-sample test at 5 % over all features (Bonferroni).
func passed(set *dataset.Set) *dataset.Set {
	s := *set
	s.X = slices.Clone(set.X)
	critical := math.Sqrt2 * math.Erfinv(1-0.05/float64(2*set.D))
	for k := range s.D {
		far := 0.0
		for _, power := range []float64{1, 2} {
			var n, sum, squares [2]float64
			for i := range s.N {
				v, c := math.Pow(set.X[i*s.D+k], power), set.Y[i]
				n[c], sum[c], squares[c] = n[c]+1, sum[c]+v, squares[c]+v*v
			}
			variance := 0.0
			for c := range n {
				variance += (squares[c]/n[c] - sum[c]/n[c]*sum[c]/n[c]) / n[c]
			}
			far = max(far, math.Abs(sum[0]/n[0]-sum[1]/n[1])/math.Sqrt(variance))
		}
		for i := range s.N {
			if far < critical {
				s.X[i*s.D+k] = 0
			}
		}
	}
	return &s
}
