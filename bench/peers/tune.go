package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/modelselect"
)

func init() {
	compare("tune", "25 settings of SVC on 5 folds against scikit-learn's GridSearchCV, one core each; of SSVC-A on 10",
		runTune)
}

var (
	tuneCosts  = []float64{0.1, 1, 10, 100, 1000}
	tuneGammas = []float64{0.05, 0.2, 0.5, 2, 5}
)

// runTune times searches on the same folds, processor time of one thread.
func runTune(ctx context.Context, e *env) error {
	path := filepath.Join(e.Data, "open", "banana-1000.libsvm")
	set, err := dataset.ReadFile(path, dataset.Options{})
	if err != nil {
		return err
	}
	table, folds, ours, err := e.search(ctx, set, 5, sparsekm.Options{Trainer: svc.Trainer{}},
		modelselect.Param("c", tuneCosts...), modelselect.Gamma(tuneGammas...))
	if err != nil {
		return err
	}
	file, err := e.file("folds", func(w io.Writer) error {
		for _, f := range folds {
			fmt.Fprintln(w, strings.Trim(fmt.Sprint(f.Test), "[]"))
		}
		return nil
	})
	if err != nil {
		return err
	}
	var peer struct {
		Seconds float64
		Errors  map[string][]int // by fold, by "C γ"
	}
	list := func(v []float64) string { return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(v), "[]")), ",") }
	err = e.ask("tune", nil, &peer, path, file, strconv.Itoa(max(3, e.Reps)), list(tuneCosts), list(tuneGammas))
	if err != nil {
		absent(err)
	}
	same := 0
	for i, s := range table.Settings {
		theirs := peer.Errors[fmt.Sprintf("%g %g", s.Varied["c"], s.Varied["gamma"])]
		for f, r := range table.Runs[i] {
			if f < len(theirs) && theirs[f] == r.Errors {
				same++
			}
		}
	}
	harness.Header("search", "processor time", "GridSearchCV", "ratio", "folds of the same errors")
	harness.Row("SVC, banana-1000, 25 × 5", seconds(ours), seconds(peer.Seconds), times(peer.Seconds/ours),
		fmt.Sprintf("%d of %d", same, len(table.Settings)*len(folds)))
	thyroid, err := e.Set("thyroid.libsvm")
	if err != nil {
		return err
	}
	_, _, ours, err = e.search(ctx, thyroid, 10, sparsekm.Options{Trainer: ssvc.A{}, Scale: dataset.ScaleZ},
		modelselect.Param("c", tuneCosts...), modelselect.GammaTimes(0.1, 0.3, 1, 3, 10))
	harness.Row("SSVC-A, thyroid, 25 × 10", seconds(ours), "", "", "")
	return err
}

// search runs a grid and returns the best processor time.
func (e *env) search(ctx context.Context, set *dataset.Set, k int, base sparsekm.Options, axes ...modelselect.Axis) (
	t *modelselect.Table, folds []dataset.Split, best float64, err error) {
	if folds, err = modelselect.Folds(set, k, 1, 1); err != nil {
		return nil, nil, 0, err
	}
	settings, err := modelselect.Grid(base, axes...)
	if err != nil {
		return nil, nil, 0, err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command has it
	best, err = e.Processor(func() (failed error) {
		t, failed = modelselect.Evaluate(ctx, set, settings, folds, modelselect.Options{Threads: 1})
		return failed
	})
	return t, folds, best, err
}
