package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/processor"
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
	folds, err := modelselect.Folds(set, 5, 1, 1)
	if err != nil {
		return err
	}
	table, ours, err := e.search(ctx, set, folds, sparsekm.Options{Trainer: svc.Trainer{}},
		modelselect.Param("c", tuneCosts...), modelselect.Gamma(tuneGammas...))
	if err != nil {
		return err
	}
	row := []string{"SVC, banana-1000, 25 × 5", seconds(ours), "-", "-", "-"}
	if t, failed := e.gridSearch(path, folds); failed != nil {
		fmt.Println("scikit-learn left out:", failed)
	} else {
		row[2], row[3] = seconds(t.Seconds), fmt.Sprintf("%.1f", t.Seconds/ours)
		row[4] = fmt.Sprintf("%d of %d", t.sameErrors(table), len(table.Settings)*len(folds))
	}
	harness.Header("search", "processor time", "GridSearchCV", "ratio", "folds of the same errors")
	harness.Row(row...)
	thyroid, err := dataset.ReadFile(filepath.Join(e.Data, "open", "thyroid.libsvm"), dataset.Options{})
	if err != nil {
		return err
	}
	if folds, err = modelselect.Folds(thyroid, 10, 1, 1); err != nil {
		return err
	}
	_, ours, err = e.search(ctx, thyroid, folds, sparsekm.Options{Trainer: ssvc.A{}, Scale: dataset.ScaleZ},
		modelselect.Param("c", tuneCosts...), modelselect.GammaTimes(0.1, 0.3, 1, 3, 10))
	harness.Row("SSVC-A, thyroid, 25 × 10", seconds(ours), "", "", "")
	return err
}

// search runs a grid and returns the best processor time.
func (e *env) search(ctx context.Context, set *dataset.Set, folds []dataset.Split, base sparsekm.Options,
	axes ...modelselect.Axis) (t *modelselect.Table, best float64, err error) {
	settings, err := modelselect.Grid(base, axes...)
	if err != nil {
		return nil, 0, err
	}
	best = math.Inf(1)
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command has it
	for range max(3, e.Reps) {
		start := processor.Seconds()
		if t, err = modelselect.Evaluate(ctx, set, settings, folds, modelselect.Options{Threads: 1}); err != nil {
			return nil, 0, err
		}
		best = min(best, processor.Seconds()-start)
	}
	return t, best, nil
}

// gridSearched is what the peer says: errors by fold, by "C γ".
type gridSearched struct {
	Seconds float64
	Errors  map[string][]int
}

func (e *env) gridSearch(path string, folds []dataset.Split) (t gridSearched, err error) {
	var lines strings.Builder
	for _, f := range folds {
		lines.WriteString(strings.Trim(fmt.Sprint(f.Test), "[]") + "\n")
	}
	name := filepath.Join(e.Tmp, "folds")
	if err = os.WriteFile(name, []byte(lines.String()), 0o644); err != nil {
		return t, err
	}
	list := func(v []float64) string {
		var s []string
		for _, x := range v {
			s = append(s, strconv.FormatFloat(x, 'g', -1, 64))
		}
		return strings.Join(s, ",")
	}
	err = errors.New("no Python")
	for _, py := range pythons() {
		var out string
		out, err = e.python(py, "tune.py", nil, path, name, strconv.Itoa(max(3, e.Reps)), list(tuneCosts), list(tuneGammas))
		if err == nil {
			return t, json.Unmarshal([]byte(out), &t)
		}
	}
	return t, err
}

// sameErrors counts runs with as many errors as the peer's.
func (t gridSearched) sameErrors(table *modelselect.Table) int {
	same := 0
	for i, s := range table.Settings {
		theirs := t.Errors[fmt.Sprintf("%g %g", s.Varied["c"], s.Varied["gamma"])]
		for f, r := range table.Runs[i] {
			if f < len(theirs) && theirs[f] == r.Errors {
				same++
			}
		}
	}
	return same
}
