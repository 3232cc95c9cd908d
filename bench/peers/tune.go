package main

import (
	"context"
	"fmt"
	"io"
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
	tuneCosts = []float64{0.1, 1, 10, 100, 1000}
	tuneTimes = []float64{0.1, 0.3, 1, 3, 10} // of γ over the number of features, or the rule of scale
)

// runTune times searches on the same folds, processor time of one thread.
func runTune(ctx context.Context, e *env) error {
	t := tally{bars: []float64{20, 15}}
	harness.Header("group", "search", "processor time", "GridSearchCV", "ratio", "folds of the same errors")
	err := e.eachSet(groups(judging(1000), "banana-1000", "german"), func(group, name string, set *dataset.Set) error {
		return e.tuneRow(ctx, group, name, set, &t)
	})
	if err != nil {
		return err
	}
	thyroid, err := e.Set("thyroid.libsvm")
	if err != nil {
		return err
	}
	_, _, ours, err := e.search(ctx, thyroid, 10, sparsekm.Options{Trainer: ssvc.A{}, Scale: dataset.ScaleZ},
		modelselect.Param("c", tuneCosts...), modelselect.GammaTimes(tuneTimes...))
	harness.Row("", "SSVC-A, thyroid, 25 × 10", seconds(ours), "", "", "")
	t.print()
	return err
}

// tuneRow compares a search of SVC.
func (e *env) tuneRow(ctx context.Context, group, name string, set *dataset.Set, t *tally) error {
	var gammas []float64
	for _, times := range tuneTimes {
		gammas = append(gammas, times/float64(set.D))
	}
	table, folds, ours, err := e.search(ctx, set, 5, sparsekm.Options{Trainer: svc.Trainer{}},
		modelselect.Param("c", tuneCosts...), modelselect.Gamma(gammas...))
	if err != nil {
		return err
	}
	samples, err := e.file("samples", set.WriteLIBSVM)
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
		Errors  [][]int // by setting and fold
	}
	list := func(v []float64) string { return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(v), "[]")), ",") }
	err = e.ask("tune", []string{"OPENBLAS_CORETYPE="}, &peer, samples, file, strconv.Itoa(e.Reps), list(tuneCosts), list(gammas))
	if err != nil {
		absent(err)
	} else {
		t.add(peer.Seconds/ours, group)
	}
	same := 0
	for i, errors := range peer.Errors {
		for f, r := range table.Runs[i] {
			if errors[f] == r.Errors {
				same++
			}
		}
	}
	harness.Row(group, name, seconds(ours), seconds(peer.Seconds), times(peer.Seconds/ours),
		fmt.Sprintf("%d of %d", same, len(table.Settings)*len(folds)))
	return nil
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
