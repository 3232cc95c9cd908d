// Command papers compares methods beyond the papers' own tables, which bench/reproduce makes: the models of a study on
// all splits of its sets.
//
//	go run ./bench/papers [-data FOLDER] [-sets NAMES] [-only MODELS] [-splits N] [-tsv FILE] [study ...]
//
// The data sets that the module may not carry are looked for in ../shared/data.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/cpu"
	_ "github.com/sparsekm/sparsekm/learn/all" // every method by its name
	"github.com/sparsekm/sparsekm/model"
)

// study compares models, the first of which the others are compared with, on splits of sets.
type study struct {
	about  string
	sets   []string
	splits int
	models func() ([]candidate, error)
}

// candidate makes a model of training samples. It may begin with the study's first model of the same samples.
type candidate struct {
	name string
	fit  func(ctx context.Context, train *dataset.Set, first *model.Classifier) (*model.Classifier, error)
}

var flags struct {
	splits     int
	only, sets string
}

func main() {
	flag.IntVar(&flags.splits, "splits", 0, "splits of a set; 0 for those of the study")
	flag.StringVar(&flags.only, "only", "", "models, by comma, that are compared with the first; all without it")
	flag.StringVar(&flags.sets, "sets", "", "sets, by comma; all of the study without it")
	os.Exit(suite().Main("papers", &harness.Env{Reps: 1}))
}

func suite() harness.Suite {
	all := harness.Suite{}
	for name, s := range studies {
		all[name] = harness.Task{About: s.about, Run: s.run}
	}
	return all
}

// listed reports whether a list by comma, all if it is empty, has the name.
func listed(list, name string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), name)
}

// figures are a model's on a set, by split: the error in percent, or the RMSE, support vectors, features that it reads,
// processor seconds.
type figures struct{ loss, vectors, features, seconds []float64 }

// run prints a row for each set and model, then the means over the sets.
func (s study) run(ctx context.Context, e *harness.Env) error {
	all, err := s.models()
	if err != nil {
		return err
	}
	all = slices.Concat(all[:1], slices.DeleteFunc(all[1:], func(c candidate) bool { return !listed(flags.only, c.name) }))
	differences, shares := make([][]float64, len(all)), make([][]float64, len(all))
	harness.Header("set", "model", "splits", "error in %, or RMSE", "difference ± standard error", "support vectors",
		"share of the first's", "features", "processor s")
	for _, name := range s.sets {
		if !listed(flags.sets, name) {
			continue
		}
		set, err := source(e, name)
		if err != nil {
			return err
		}
		n := set.splits(cmp.Or(flags.splits, s.splits))
		found, err := compareOn(ctx, set, n, all)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for i, f := range found {
			apart, share := f.compared(&found[0])
			mean, sd := stat.MeanStdDev(apart, nil)
			differences[i] = append(differences[i], mean)
			shares[i] = append(shares[i], share)
			harness.Row(name, all[i].name, fmt.Sprint(n), fmt.Sprintf("%.4g", stat.Mean(f.loss, nil)),
				fmt.Sprintf("%+.3g ± %.2g", mean, sd/math.Sqrt(float64(n))), fmt.Sprintf("%.3g", stat.Mean(f.vectors, nil)),
				fmt.Sprintf("%.3f", share), fmt.Sprintf("%.4g", stat.Mean(f.features, nil)),
				fmt.Sprintf("%.3g", stat.Mean(f.seconds, nil)))
		}
	}
	for i, c := range all {
		if d := differences[i]; len(d) > 1 {
			mean, sd := stat.MeanStdDev(d, nil)
			harness.Row("all", c.name, "", "", fmt.Sprintf("%+.2f ± %.2f, worst %+.2f", mean, sd/math.Sqrt(float64(len(d))),
				slices.Max(d)), "", fmt.Sprintf("%.3f, median %.3f", stat.Mean(shares[i], nil), median(shares[i])), "", "")
		}
	}
	return nil
}

// compareOn trains and tests every model on n splits of a set.
func compareOn(ctx context.Context, set *samples, n int, all []candidate) ([]figures, error) {
	found := make([]figures, len(all))
	for k := range n {
		train, test, err := set.split(k)
		if err != nil {
			return nil, err
		}
		var first *model.Classifier
		for i, c := range all {
			start := cpu.Seconds()
			clf, err := c.fit(ctx, train, first)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			f := &found[i]
			f.seconds = append(f.seconds, cpu.Seconds()-start)
			loss, err := lossOf(ctx, clf, test)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			f.loss = append(f.loss, loss)
			f.vectors = append(f.vectors, float64(clf.NumVectors()))
			features := clf.NumFeatures()
			if needs, all := clf.Needs(); !all {
				features = len(needs)
			}
			f.features = append(f.features, float64(features))
			if i == 0 {
				first = clf
			}
		}
		fmt.Fprintf(os.Stderr, "%s: split %d of %d\n", set.name, k+1, n)
	}
	return found, nil
}

// compared is what the losses differ by from the first model's, of a regression relative to them, and the ratio of
// support vectors.
func (f *figures) compared(first *figures) (differences []float64, share float64) {
	for k, v := range f.loss {
		differences = append(differences, v-first.loss[k])
	}
	return differences, stat.Mean(f.vectors, nil) / stat.Mean(first.vectors, nil)
}

func median(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// lossOf is the error in percent, or the RMSE.
func lossOf(ctx context.Context, clf *model.Classifier, test *dataset.Set) (float64, error) {
	r, err := sparsekm.Evaluate(ctx, clf, test, 1)
	switch {
	case err != nil:
		return 0, err
	case r.Regression != nil:
		return *r.RMSE, nil
	}
	return 100 * *r.ErrorRate, nil
}
