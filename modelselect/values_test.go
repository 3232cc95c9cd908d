package modelselect_test

import (
	"math"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/modelselect"
)

// friedman has targets of a deviation near 5.
func friedman(t *testing.T, n int) *dataset.Set {
	t.Helper()
	return dataset.Friedman(1, n, 1, 3)
}

// regressions are settings of svr.
func regressions(t *testing.T, scaled bool) []modelselect.Setting {
	t.Helper()
	s, err := modelselect.Grid(sparsekm.Options{Trainer: svc.SVR{}, ScaleTarget: scaled},
		modelselect.Param("c", 0.1, 10), modelselect.Param("epsilon", 0.1, 1))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestValueRuns holds every run on real targets against a training and sums by hand.
func TestValueRuns(t *testing.T) {
	set, settings := friedman(t, 80), regressions(t, true)
	for i := range settings {
		// a model, as by hand
		settings[i].Finish = func(c *sparsekm.Classifier) (*sparsekm.Classifier, error) { return c, nil }
	}
	splits := folds(t, set, 3, 1)
	table, err := modelselect.Evaluate(t.Context(), set, settings, splits, modelselect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range settings {
		for f, sp := range splits {
			clf, _, err := sparsekm.Train(t.Context(), set.Subset(sp.Train), s.Options)
			if err != nil {
				t.Fatal(err)
			}
			var squares, sizes, sum, spread float64
			for _, row := range sp.Test {
				e := set.Targets[row] - clf.Decide(set.Row(row))
				squares, sizes, sum = squares+e*e, sizes+math.Abs(e), sum+set.Targets[row]
			}
			n := float64(len(sp.Test))
			for _, row := range sp.Test {
				spread += math.Pow(set.Targets[row]-sum/n, 2)
			}
			r := table.Runs[i][f]
			if r.Failed != "" || r.Errors != 0 || r.Constant || len(r.Losses) != 3 {
				t.Errorf("%+v", r)
			}
			testutil.NearRel(t, "rmse", r.Losses["rmse"], math.Sqrt(squares/n), 1e-12)
			testutil.NearRel(t, "mae", r.Losses["mae"], sizes/n, 1e-12)
			testutil.NearRel(t, "r2", r.Losses["r2"], squares/spread, 1e-10)
		}
	}
	scores := table.Scores()
	best := modelselect.Choose(scores, modelselect.Best)
	sparse := modelselect.Choose(scores, modelselect.OneSE)
	if table.Metric != modelselect.RMSE || settings[best].Varied["c"] != 10 ||
		!(scores[sparse].Vectors <= scores[best].Vectors) {
		t.Errorf("metric %v, best %+v, sparse %+v", table.Metric, scores[best], scores[sparse])
	}
}

// TestValueFolds: folds of real targets are of one size, whatever the targets are.
func TestValueFolds(t *testing.T) {
	for _, sp := range folds(t, friedman(t, 50), 7, 2) {
		if n := len(sp.Test); n != 7 && n != 8 {
			t.Errorf("a fold of %d of 50 samples", n)
		}
	}
}

// TestValueLedger: a ledger knows targets and their scale, and a search on it makes what it has no more.
func TestValueLedger(t *testing.T) {
	set, ledger := friedman(t, 60), new(modelselect.Ledger)
	splits := folds(t, set, 2, 1)
	run := func(set *dataset.Set, scaled bool, want int) {
		t.Helper()
		if _, err := modelselect.Evaluate(t.Context(), set, regressions(t, scaled), splits,
			modelselect.Options{Ledger: ledger}); err != nil || ledger.Len() != want {
			t.Errorf("%d runs, want %d (%v)", ledger.Len(), want, err)
		}
	}
	run(set, false, 8)
	run(set, false, 8)
	run(set, true, 16)
	other := *set
	other.Targets = append([]float64{0}, set.Targets[1:]...)
	run(&other, false, 24)
	search := &modelselect.Search{Settings: regressions(t, false), Folds: 2, Metric: modelselect.MAE, Halving: true}
	tuned, err := search.Run(t.Context(), set, modelselect.Options{})
	if err != nil || tuned.Report.NumVectors == 0 || tuned.Table.Metric != modelselect.MAE {
		t.Errorf("%+v (%v)", tuned, err)
	}
}

// TestMetricsOfTasks: a metric of another task, and a task without one, are refused before anything is trained.
func TestMetricsOfTasks(t *testing.T) {
	values, classes := friedman(t, 20), ripley(t)
	oneClass := []modelselect.Setting{{Name: "one-class", Options: sparsekm.Options{Trainer: svc.OneClass{}}}}
	nested := []modelselect.Setting{{Name: "nested", Search: &modelselect.Search{Settings: oneClass, Folds: 2}}}
	for _, tt := range []struct {
		set      *dataset.Set
		settings []modelselect.Setting
		metric   modelselect.Metric
		want     string
	}{
		{values, regressions(t, false), modelselect.LogLoss, "want one of [rmse mae r2]"},
		{classes, grid(t), modelselect.R2, "want one of [error balanced auc logloss bound]"},
		{classes, oneClass, modelselect.Error, "no metric says how good a model of the task one-class is"},
		{values, nested, modelselect.Error, "no metric says how good a model of the task one-class is"},
	} {
		_, err := modelselect.Evaluate(t.Context(), tt.set, tt.settings, nil, modelselect.Options{Metric: tt.metric})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}
