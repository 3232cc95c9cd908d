package modelselect_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/modelselect"
)

// TestHalve runs fewer trainings than a whole grid, and chooses what the whole grid would.
func TestHalve(t *testing.T) {
	set, settings := ripley(t), grid(t)
	splits := folds(t, set, 8, 1)
	whole, err := modelselect.Evaluate(t.Context(), set, settings, splits, modelselect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	halved, err := modelselect.Halve(t.Context(), set, settings, splits,
		modelselect.Options{Progress: func(int, int, *modelselect.Run) { runs++ }})
	if err != nil {
		t.Fatal(err)
	}
	want := whole.Settings[modelselect.Choose(whole.Scores(), modelselect.Best)].Name
	got := halved.Settings[modelselect.Choose(halved.Scores(), modelselect.Best)].Name
	if got != want || runs >= len(settings)*len(splits) || len(halved.Settings) >= len(settings) {
		t.Errorf("chose %s after %d runs, %d settings left; want %s after fewer than %d", got, runs,
			len(halved.Settings), want,
			len(settings)*len(splits))
	}
}

// TestTrain trains the choice on all samples.
func TestTrain(t *testing.T) {
	set, settings := ripley(t), grid(t)
	table, err := modelselect.Evaluate(t.Context(), set, settings, folds(t, set, 4, 1), modelselect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tuned, err := table.Train(t.Context(), set, modelselect.OneSE, modelselect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := sparsekm.Train(t.Context(), set, table.Settings[tuned.Chosen].Options)
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{0.1, 0.4}
	if tuned.Report.N != set.N || tuned.Classifier.Decide(x) != want.Decide(x) {
		t.Error("the classifier is not that of the chosen setting on all samples")
	}
	bad := []modelselect.Setting{{Name: "bad", Options: sparsekm.Options{Trainer: svc.Trainer{C: -3}}}}
	if table, err = modelselect.Evaluate(t.Context(), set, bad, folds(t, set, 2, 1), modelselect.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := table.Train(t.Context(), set, modelselect.Best, modelselect.Options{}); !errors.Is(err, modelselect.ErrNoSetting) {
		t.Errorf("error %v", err)
	}
}

// TestNested: a search sees the training part of a split alone, and its run is that of what it chose there.
func TestNested(t *testing.T) {
	set := ripley(t)
	outer := folds(t, set, 4, 1)
	search := &modelselect.Search{Settings: grid(t), Folds: 3, Seed: 5, Rule: modelselect.OneSE}
	table, err := modelselect.Evaluate(t.Context(), set, []modelselect.Setting{{Name: "search", Search: search}}, outer,
		modelselect.Options{Name: "ripley"})
	if err != nil {
		t.Fatal(err)
	}
	for f, sp := range outer {
		tuned, err := search.Run(t.Context(), set.Subset(sp.Train), modelselect.Options{})
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for _, row := range sp.Test {
			if tuned.Classifier.Label(tuned.Classifier.Predict(set.Row(row))) != set.Labels[set.Y[row]] {
				wrong++
			}
		}
		r := table.Runs[0][f]
		if d := cmp.Diff(tuned.Table.Settings[tuned.Chosen].Varied, r.Varied); d != "" || r.Errors != wrong ||
			r.Set != "ripley" {
			t.Errorf("split %d: %d errors, want %d; %s", f, r.Errors, wrong, d)
		}
	}
}

// TestSharedRuns: a second search among the same settings makes no training of its own but the last, which is changed.
func TestSharedRuns(t *testing.T) {
	set, runs := ripley(t), new(modelselect.Ledger)
	plain := &modelselect.Search{Settings: grid(t), Folds: 3, Seed: 5, Runs: runs}
	other := *plain
	other.Last = func(o sparsekm.Options) sparsekm.Options {
		o.Scale = dataset.ScaleNone
		return o
	}
	settings := []modelselect.Setting{{Name: "plain", Search: plain}, {Name: "unscaled", Search: &other}}
	table, err := modelselect.Evaluate(t.Context(), set, settings, folds(t, set, 2, 1), modelselect.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 * 3 * len(plain.Settings); runs.Len() != want {
		t.Errorf("%d trainings in folds, want %d", runs.Len(), want)
	}
	for f := range 2 {
		a, b := table.Runs[0][f], table.Runs[1][f]
		if d := cmp.Diff(a.Varied, b.Varied); d != "" || a.Search.Limited != 0 ||
			a.Search.Trainings != 3*len(plain.Settings) {
			t.Errorf("split %d: %+v; %s", f, a.Search, d)
		}
	}
	x := []float64{0.1, 0.4}
	tuned, err := plain.Run(t.Context(), set, modelselect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	changed, err := other.Run(t.Context(), set, modelselect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := tuned.Table.Settings[tuned.Chosen].Options
	want.Scale = dataset.ScaleNone
	clf, _, err := sparsekm.Train(t.Context(), set, want)
	if err != nil {
		t.Fatal(err)
	}
	if changed.Classifier.Decide(x) != clf.Decide(x) || clf.Decide(x) == tuned.Classifier.Decide(x) {
		t.Error("the last training is not the changed one")
	}
}

func TestSample(t *testing.T) {
	all := grid(t)
	a, b := modelselect.Sample(all, 5, 3), modelselect.Sample(all, 5, 3)
	if len(a) != 5 || a[0].Name != b[0].Name || a[4].Name != b[4].Name || len(modelselect.Sample(all, 100,
		1)) != len(all) {
		t.Error("a sample is of its size and the same for a seed")
	}
}
