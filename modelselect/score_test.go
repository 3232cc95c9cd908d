package modelselect

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testutil"
	"github.com/sparsekm/sparsekm/learn/svc"
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
	for _, f := range Front(s) {
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
	testutil.NearRel(t, "γ", times[0].Options.Gamma([]float64{0, 2}, 2, 1), 3, 1e-15) // variance 1
}

// TestGroupFolds: no group is divided, every row is tested once, sizes differ by a group at most.
func TestGroupFolds(t *testing.T) {
	var group []string
	for i := range 60 {
		group = append(group, string(rune('a'+i%13)))
	}
	splits, err := GroupFolds(group, 4, 7)
	if err != nil {
		t.Fatal(err)
	}
	tested := make([]int, len(group))
	for _, sp := range splits {
		if len(sp.Test) < 11 || len(sp.Test) > 19 || len(sp.Test)+len(sp.Train) != 60 {
			t.Errorf("%d rows to test on, %d to train on", len(sp.Test), len(sp.Train))
		}
		for _, i := range sp.Test {
			tested[i]++
			if slices.ContainsFunc(sp.Train, func(j int) bool { return group[j] == group[i] }) {
				t.Fatalf("group %s is divided", group[i])
			}
		}
	}
	if slices.Min(tested) != 1 || slices.Max(tested) != 1 {
		t.Error(tested)
	}
	if _, err := GroupFolds(group, 14, 7); err == nil {
		t.Error("14 folds of 13 groups")
	}
	if _, err := Folds(&dataset.Set{N: 4, Y: []int{0, 1, 0, 1}, Labels: []string{"a", "b"}}, 2, 0, 1); err == nil {
		t.Error("no repeats")
	}
}
