package modelselect

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/status"
)

// run is one with a loss and a number of vectors.
func run(loss float64, vectors int) *Run {
	return &Run{Losses: map[string]float64{"error": loss}, Vectors: vectors, Status: "optimal"}
}

// TestScores by hand: losses 0.1, 0.2, 0.3 have the mean 0.2, the deviation 0.1 and the error 0.1/√3.
func TestScores(t *testing.T) {
	table := &Table{Settings: make([]Setting, 3), Splits: 4, Runs: [][]*Run{
		{run(0.1, 10), run(0.2, 20), run(0.3, 30), run(0.9, 99)},
		{run(0.25, 5), run(0.2, 5), run(0.3, 5), run(0, 0)},
		{run(0.4, 1), run(0.4, 1), run(0.4, 1), nil}, // so that the last split is not complete
	}}
	table.Runs[1][1].Status = "iteration limit"
	s := table.Scores()
	testutil.NearAll(t, "first", []float64{s[0].Mean, s[0].SD, s[0].SE, s[0].Vectors}, []float64{0.2, 0.1, 0.1 / math.Sqrt(3), 20}, 1e-15)
	testutil.NearAll(t, "second", []float64{s[1].Mean, s[1].Vectors}, []float64{0.25, 5}, 1e-15)
	table.Repeats = 3
	testutil.Near(t, "error of three repeats", table.Scores()[0].SE, 0.1, 1e-15)
	if s[0].Splits != 3 || s[1].Limited != 1 || s[0].Limited != 0 {
		t.Errorf("%+v", s)
	}
	if best, sparse := Choose(s, Best), Choose(s, OneSE); best != 0 || sparse != 1 { // 0.2 + 0.0577 ≥ 0.25
		t.Errorf("best %d, within one standard error %d, want 0 and 1", best, sparse)
	}
	var front []int
	for _, f := range frontOf(s) {
		front = append(front, f.Setting)
	}
	if d := cmp.Diff([]int{2, 1, 0}, front); d != "" {
		t.Error(d)
	}
}

// TestFirstSplit: an end in the middle of the first split leaves a choice among the settings that have run.
func TestFirstSplit(t *testing.T) {
	table := &Table{Settings: make([]Setting, 3), Splits: 2, Runs: [][]*Run{
		{run(0.3, 10), nil}, {run(0.2, 20), run(0.1, 20)}, {nil, nil},
	}}
	s := table.Scores()
	if got := Choose(s, Best); got != 1 || s[1].Splits != 1 || s[2].Failed == "" || s[0].Failed != "" {
		t.Errorf("chose %d of %+v", got, s)
	}
	table.Runs = [][]*Run{{nil, nil}, {nil, nil}, {nil, nil}}
	if got := Choose(table.Scores(), Best); got != -1 {
		t.Errorf("chose %d of nothing", got)
	}
}

// TestTies: of equal metrics the one with fewer vectors, of equal vectors the first.
func TestTies(t *testing.T) {
	s := []Score{{Mean: 0.2, Vectors: 9}, {Mean: 0.2, Vectors: 5}, {Mean: 0.2, Vectors: 5}, {Mean: math.Inf(1), Failed: "so"}}
	if got := Choose(s, Best); got != 1 {
		t.Errorf("chose %d, want 1", got)
	}
	if got := Choose(s[3:], OneSE); got != -1 {
		t.Errorf("chose %d of a failed one", got)
	}
}

func TestGrid(t *testing.T) {
	settings, err := Grid(sparsekm.Options{Trainer: svc.Trainer{}}, Param("c", 1, 10), Gamma(0.5, 2))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range settings {
		names = append(names, s.Name)
	}
	want := []string{"svc c=1 gamma=0.5", "svc c=1 gamma=2", "svc c=10 gamma=0.5", "svc c=10 gamma=2"}
	if d := cmp.Diff(want, names); d != "" {
		t.Error(d)
	}
	if o := settings[2].Options; o.Trainer.(svc.Trainer).C != 10 || o.Kernel.Gamma != 0.5 {
		t.Errorf("%+v", o)
	}
	for name, axis := range map[string]Axis{"c": Param("c", -1), "kappa": Param("kappa", 1)} {
		if _, err = Grid(sparsekm.Options{Trainer: svc.Trainer{}}, axis); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err = Grid(sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.Linear()}, Gamma(1)); err == nil {
		t.Error("γ of a linear kernel")
	}
	testutil.NearAll(t, "powers", Powers(2, -1, 3, 2), []float64{0.5, 2, 8}, 0)
	times, err := Grid(sparsekm.Options{Trainer: svc.Trainer{}}, GammaTimes(3))
	if err != nil {
		t.Fatal(err)
	}
	testutil.NearRel(t, "γ", times[0].Options.Gamma(&dataset.Set{X: []float64{0, 2}, N: 2, D: 1}), 3, 1e-15) // variance 1
}

// TestFoldsRepeats wants one repeat at least.
func TestFoldsRepeats(t *testing.T) {
	if _, err := Folds(&dataset.Set{N: 4, Y: []int{0, 1, 0, 1}, Labels: []string{"a", "b"}}, 2, 0, 1); err == nil {
		t.Error("no repeats")
	}
}

// TestLogLoss: its settings are trained with probabilities, which others are not, and it is what they cost.
func TestLogLoss(t *testing.T) {
	set := &dataset.Set{N: 60, D: 1, Labels: []string{"a", "b"}}
	rng := dataset.NewRand(3)
	for i := range set.N {
		set.X = append(set.X, float64(i%2)+0.6*rng.NormFloat64())
		set.Y = append(set.Y, i%2)
	}
	settings := []Setting{{Name: "svc", Options: sparsekm.Options{Trainer: svc.Trainer{}}}}
	splits, err := Folds(set, 3, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []Metric{Error, LogLoss} {
		table, err := Evaluate(t.Context(), set, settings, splits, Options{Metric: m})
		if err != nil {
			t.Fatal(err)
		}
		loss, ok := table.Runs[0][0].Losses["logloss"]
		if ok != (m == LogLoss) || ok && !(loss > 0.05 && loss < 0.69) {
			t.Errorf("%v: log loss %v, there: %v", m, loss, ok)
		}
		tuned, err := table.Train(t.Context(), set, Best, Options{})
		if err != nil || (tuned.Classifier.Calibrated() == nil) != ok {
			t.Errorf("%v: error %v, the model's probabilities: %v", m, err, tuned.Classifier.Calibrated())
		}
	}
	if settings[0].Options.Calibrate != 0 {
		t.Error("the caller's settings are changed")
	}
}

// A limit or numerical trouble counts; what a solver was asked to do, or LIBSVM's rule, does not.
func TestLimited(t *testing.T) {
	for s := status.Unknown; s <= status.FixedPoint; s++ {
		r := Run{Status: s.String()}
		if r.limited() == s.Done() {
			t.Errorf("%v: limited %v", s, r.limited())
		}
	}
	if r := new(Run); r.limited() {
		t.Error("a run without a status is limited")
	}
}
