package modelselect

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestFitLogLoss: a run's log loss is that of probabilities by sigmoids that its samples had no part in.
func TestFitLogLoss(t *testing.T) {
	set := rings(60)
	f := &fitting{FitOptions: FitOptions{Time: time.Hour, Baselines: quickBaselines(t)[:1]}, all: set, result: new(Fitted)}
	f.Metric = LogLoss
	r, err := f.run(t.Context(), maxFoldSamples)
	if err != nil {
		t.Fatal(err)
	}
	if r.Chosen != 0 {
		t.Errorf("setting %d is chosen, %+v", r.Chosen, r.Scores)
	}
	for k, run := range r.Table.Runs[0] {
		var class []int
		var decisions []float64
		for other, run := range r.Table.Runs[0] {
			for i, row := range f.splits[other].Test {
				if other != k {
					class = append(class, set.Y[row])
					decisions = append(decisions, run.Decisions[i])
				}
			}
		}
		clf, err := r.Classifier.CalibrateOn(t.Context(), class, decisions)
		if err != nil {
			t.Fatal(err)
		}
		var loss float64
		sigmoid := clf.Parts().Platt[0]
		for i, row := range f.splits[k].Test {
			p := 1 / (1 + math.Exp(sigmoid.A*run.Decisions[i]+sigmoid.B))
			if set.Y[row] == 0 {
				p = 1 - p
			}
			loss -= math.Log(p) / float64(run.Tested)
		}
		testutil.NearRel(t, "log loss", run.Losses["logloss"], loss, 1e-9)
	}
	for i := range f.result.Table.Runs[0][0].Decisions {
		f.result.Table.Runs[0][0].Decisions[i] *= -1
	}
	before, after := r.Table.Runs[0][0].Losses["logloss"], 0.0
	f.logLosses()
	if after = r.Table.Runs[0][0].Losses["logloss"]; !(after > before) {
		t.Errorf("log loss %v of wrong decisions, %v of right ones", after, before)
	}
}

// TestChoice: a plane is taken where it errs no more, others only where every split agrees, and of those the one of
// fewest vectors.
func TestChoice(t *testing.T) {
	table := &Table{Splits: 5}
	row := func(vectors float64, losses ...float64) {
		var runs []*Run
		for _, l := range losses {
			runs = append(runs, &Run{Vectors: int(vectors), Losses: map[string]float64{"error": l}})
		}
		table.Runs = append(table.Runs, runs)
		table.Settings = append(table.Settings, Setting{})
	}
	choice := func() (int, string) {
		r := &Fitted{Table: table, Scores: table.Scores(), Folds: 5}
		return r.choice()
	}
	row(4, 0.2, 0.25, 0.2, 0.22, 0.21)
	row(1, 0.2, 0.25, 0.2, 0.22, 0.22)
	row(90, 0.1, 0.26, 0.1, 0.2, 0.2)
	if at, why := choice(); at != 0 || !strings.Contains(why, "no other") {
		t.Errorf("%d, %s", at, why)
	}
	r := &Fitted{Table: table, Scores: table.Scores(), Folds: 5}
	if r.choice(); r.Plane != (table.less(0, 1) >= tieLevel) || table.less(0, 1) > 0.2 || table.less(1, 0) != 1 {
		t.Errorf("a plane as good: %v, chance %v, %v", r.Plane, table.less(0, 1), table.less(1, 0))
	}
	testutil.Near(t, "t test", table.less(2, 0), 0.0664, 1e-4) // mean 0.044, deviation 0.05225
	one := &Fitted{Table: &Table{Splits: 1, Settings: table.Settings}, Folds: 1}
	for _, runs := range table.Runs {
		one.Table.Runs = append(one.Table.Runs, []*Run{runs[4]})
	}
	one.Scores = one.Table.Scores()
	if at, _ := one.choice(); at != 0 || one.Plane {
		t.Errorf("one fold: %d, a plane %v", at, one.Plane)
	}
	row(80, 0.1, 0.15, 0.1, 0.13, 0.11)
	row(70, 0.1, 0.15, 0.1, 0.13, 0.12)
	if at, why := choice(); at != 4 || !strings.Contains(why, "clearly less") {
		t.Errorf("%d, %s", at, why)
	}
	table.Runs, table.Settings = table.Runs[:3], table.Settings[:3]
	table.Runs[1][4].Losses["error"] = 0.21
	if at, why := choice(); at != 1 || !strings.Contains(why, "linear") {
		t.Errorf("%d, %s", at, why)
	}
	table.Runs[0][2].Failed = "no model"
	if at, why := choice(); at != 0 || !strings.Contains(why, "no model") {
		t.Errorf("%d, %s", at, why)
	}
}

// TestChoiceByOneSample: a plane whose error is smaller because of one sample alone is not taken.
func TestChoiceByOneSample(t *testing.T) {
	table := &Table{Splits: 1, Metric: RMSE, Settings: make([]Setting, 2)}
	for _, far := range []float64{90, 1} { // the same sample, by direct and by the plane
		losses := []float64{0.1, 0.1, 0.1, far}
		if far == 1 {
			losses = []float64{3, 2, 3, far}
		}
		table.Runs = append(table.Runs, []*Run{{Losses: map[string]float64{"rmse": far},
			Samples: &sampleLosses{losses, []int{0, 1, 2, 3}}}})
	}
	choose := func() int {
		at, _ := (&Fitted{Table: table, Scores: table.Scores(), Folds: 1}).choice()
		return at
	}
	if choose() != 0 {
		t.Error("one sample of four chooses the plane")
	}
	if copy(table.Runs[1][0].Samples.losses, []float64{0.1, 0, 0.1}); choose() != 1 {
		t.Error("a plane with smaller errors is not chosen")
	}
}
