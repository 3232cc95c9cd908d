package main

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/learn/density"
	"github.com/sparsekm/sparsekm/modelselect"
)

func init() {
	experiments["density"] = harness.Task{About: "skde compared with Parzen's density of the width that is best on the test samples",
		Run: densityTask}
}

// deviations are the σ that are tried.
var deviations = []float64{0.03, 0.05, 0.07, 0.09, 0.11, 0.13, 0.16, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.85, 1}

// normals draws n samples of an even mixture of round normals at the centers, of deviations.
func normals(n int, seed uint64, centers [][]float64, deviation []float64) *dataset.Set {
	rng, d := dataset.NewRand(seed), len(centers[0])
	s := &dataset.Set{N: n, D: d}
	for range n {
		of := rng.IntN(len(centers))
		for _, c := range centers[of] {
			s.X = append(s.X, c+deviation[of]*rng.NormFloat64())
		}
	}
	return s
}

// densityTask compares mean log densities of test samples, and the numbers of Gaussians.
func densityTask(ctx context.Context, e *harness.Env) error {
	ripley, err := e.Set("ripley-tr.libsvm")
	if err != nil {
		return err
	}
	other, err := e.Set("ripley-te.libsvm")
	if err != nil {
		return err
	}
	two := [][]float64{{-1}, {1}}
	three := [][]float64{{-2, 0, 0}, {2, 0, 0}, {0, 2, 0}}
	harness.Header("points", "Parzen's best σ", "log density", "Gaussians", "skde: σ by 5 folds", "log density",
		"Gaussians", "fewer", "difference", "processor s of the search")
	for _, of := range []struct {
		name        string
		train, test *dataset.Set
	}{
		{"Ripley, 250", ripley, other},
		{"two normals of 1 feature, 500", normals(500, 1, two, []float64{0.5, 0.25}),
			normals(20000, 2, two, []float64{0.5, 0.25})},
		{"three normals of 3 features, 500", normals(500, 3, three, []float64{0.5, 1, 0.7}),
			normals(20000, 4, three, []float64{0.5, 1, 0.7})},
	} {
		if err = densityRow(ctx, of.name, of.train, of.test); err != nil {
			return err
		}
	}
	return nil
}

func densityRow(ctx context.Context, name string, train, test *dataset.Set) error {
	best, sigma := math.Inf(-1), 0.0
	var gammas []float64
	for _, s := range deviations {
		gammas = append(gammas, gram.RBFSigma(s).Gamma)
		if v := parzen(train, test, s); v > best {
			best, sigma = v, s
		}
	}
	start := processor.Seconds()
	settings, err := modelselect.Grid(sparsekm.Options{Trainer: density.SKDE{}, Kernel: gram.RBF(0)},
		modelselect.Gamma(gammas...))
	if err != nil {
		return err
	}
	search := &modelselect.Search{Settings: settings, Folds: 5, Seed: 1}
	tuned, err := search.Run(ctx, train, modelselect.Options{Threads: 1})
	if err != nil {
		return err
	}
	taken := processor.Seconds() - start
	report, err := sparsekm.Evaluate(ctx, tuned.Classifier, test, 1)
	if err != nil {
		return err
	}
	n, found := tuned.Classifier.NumVectors(), *report.LogDensity
	harness.Row(name, fmt.Sprint(sigma), fmt.Sprintf("%.4f", best), fmt.Sprint(train.N),
		fmt.Sprintf("%.3g", math.Sqrt(1/(2*tuned.Report.Kernel.Gamma))), fmt.Sprintf("%.4f", found), fmt.Sprint(n),
		fmt.Sprintf("%.1f %%", 100*(1-float64(n)/float64(train.N))), fmt.Sprintf("%+.4f", found-best),
		fmt.Sprintf("%.1f", taken))
	return nil
}

// parzen is the mean log density of the test samples with a Gaussian on every training sample.
func parzen(train, test *dataset.Set, sigma float64) (mean float64) {
	k, d := gram.RBFSigma(sigma), float64(train.D)
	height := math.Pow(k.Gamma/math.Pi, d/2) / float64(train.N)
	coef := make([]float64, train.N)
	for i := range coef {
		coef[i] = height
	}
	sums := gram.Pack[float64](k, train.X, train.N, train.D).Expand(coef)
	f := make([]float64, test.N)
	sums.Eval(f, test.X, test.N)
	for _, v := range f {
		mean += math.Log(max(v, math.SmallestNonzeroFloat64)) / float64(test.N)
	}
	return mean
}
