package modelselect

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn/svc"
)

// judged is a run whose test part has these samples and losses.
func judged(units []int, losses ...float64) *Run {
	var mean float64
	for _, l := range losses {
		mean += l / float64(len(losses))
	}
	return &Run{Tested: len(losses), Losses: map[string]float64{"error": mean},
		Samples: &sampleLosses{losses, units}}
}

// TestPaired: losses are compared sample by sample. A sample that is held out twice counts once, samples of a group
// count as one, and runs that know no samples are compared fold by fold.
func TestPaired(t *testing.T) {
	first, second := []int{0, 1, 2, 3}, []int{3, 2, 1, 0}
	a := []*Run{judged(first, 1, 1, 0, 1), judged(second, 1, 0, 1, 0)}
	b := []*Run{judged(first, 0, 1, 0, 0), judged(second, 0, 0, 1, 0)}
	table := &Table{Splits: 2, Settings: make([]Setting, 2), Runs: [][]*Run{a, b}, Repeats: 2}
	d := table.paired(0, 1, 2) // by sample: ½, 0, 0, 1
	testutil.Near(t, "mean", d.mean, 0.375, 1e-15)
	testutil.Near(t, "standard error", d.se, math.Sqrt((0.015625+2*0.140625+0.390625)/3/4), 1e-12)
	if d.n != 4 {
		t.Errorf("%d samples, want 4", d.n)
	}
	if d = table.paired(0, 1, 1); d.n != 4 || d.mean != 0.5 {
		t.Errorf("first fold: %+v", d)
	}
	testutil.Near(t, "level", table.less(1, 0), studentTails(0.375/table.paired(0, 1, 2).se, 3)/2, 1e-15)
	groups := unitsOf(&dataset.Set{N: 4, Groups: []string{"x", "x", "y", "y"}}, []int{3, 0, 1})
	if !slices.Equal(groups, []int{1, 0, 0}) {
		t.Errorf("groups %v", groups)
	}
	table.Metric, a[0].Losses["auc"], b[0].Losses["auc"], a[1].Losses["auc"], b[1].Losses["auc"] = AUC, 0.3, 0.1, 0.4, 0.3
	if d = table.paired(0, 1, 2); d.n != 2 {
		t.Errorf("%d folds, want 2", d.n)
	}
	testutil.Near(t, "mean of folds", d.mean, 0.15, 1e-15)
}

// TestDrop: a baseline falls out whose loss is not smaller than that of the better of trained centres and a linear
// model, and the table counts the splits of the others.
func TestDrop(t *testing.T) {
	units := make([]int, 100)
	losses := func(wrong int) []float64 {
		l := make([]float64, 100)
		for i := range units {
			units[i] = i
			if i < wrong {
				l[i] = 1
			}
		}
		return l
	}
	f := &fitting{splits: make([]dataset.Split, 5), result: &Fitted{Planned: 25}}
	table := &Table{Splits: 5, Repeats: 1, dropped: make([]string, 5)}
	for _, wrong := range []int{20, 15, 16, 10, 15} {
		table.Settings = append(table.Settings, Setting{Name: "s"})
		runs := make([]*Run, 5)
		runs[0] = judged(units, losses(wrong)...)
		table.Runs = append(table.Runs, runs)
	}
	f.result.Table = table
	if left := f.drop([]int{2, 3, 4}, 1, 0); !slices.Equal(left, []int{3}) || f.result.Planned != 17 {
		t.Errorf("%v are left, %d planned", left, f.result.Planned)
	}
	if s := table.Scores(); !strings.Contains(s[2].Failed, "first 1 of 5 folds") || s[3].Failed != "" || s[0].Splits != 1 {
		t.Errorf("%+v", s)
	}
	table.Runs[2][0] = nil
	if counted := table.counted(); len(counted) != 1 {
		t.Errorf("splits %v count", counted)
	}
}

// TestStages: baselines are compared as soon as enough samples were held out, and again.
func TestStages(t *testing.T) {
	for _, c := range []struct {
		each, folds int
		want        []int
	}{{200, 5, []int{1, 3, 5}}, {800, 5, []int{1, 2, 5}}, {30, 5, []int{5}}, {80, 10, []int{3, 7, 10}}} {
		f := &fitting{splits: make([]dataset.Split, c.folds)}
		for i := range f.splits {
			f.splits[i].Test = make([]int, c.each)
		}
		if got := f.stages(); !slices.Equal(got, c.want) {
			t.Errorf("%d folds of %d samples: %v, want %v", c.folds, c.each, got, c.want)
		}
	}
}

// TestFitRace: an SVM that errs more falls out, and what follows is not tried.
func TestFitRace(t *testing.T) {
	bad := Setting{Name: "bad", Options: sparsekm.Options{Kernel: gram.RBF(1e4), Trainer: svc.Trainer{C: 1}}}
	never := bad
	never.Name = "never"
	f := &fitting{FitOptions: FitOptions{Time: time.Hour, Baselines: []Setting{quickBaselines(t)[0], bad, never}},
		all: rings(250), result: new(Fitted)}
	r, err := f.run(t.Context(), maxFoldSamples)
	if err != nil {
		t.Fatal(err)
	}
	if r.Chosen != 0 || r.Done != r.Planned || r.HeldOut != 250 || len(r.Front) == 0 || r.Interval == nil {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(r.Scores[2].Failed, "errs no less") || !strings.HasPrefix(r.Scores[3].Failed, "not tried") {
		t.Errorf("%q, %q", r.Scores[2].Failed, r.Scores[3].Failed)
	}
	for _, run := range r.Table.Runs[3] {
		if run != nil {
			t.Fatal("what should not be tried has a run")
		}
	}
}

// letters is samples of a column of words and a number. The class is the sign of their product, where each word has a
// value.
func letters(t *testing.T, n, words int) *dataset.Set {
	t.Helper()
	rng := dataset.NewRand(4)
	var b strings.Builder
	b.WriteString("word,size,class\n")
	for range n {
		word, size := rng.IntN(words), rng.NormFloat64()
		class := "no"
		if (float64(word*7%words)/float64(words)-0.4)*size > 0 {
			class = "yes"
		}
		fmt.Fprintf(&b, "w%d,%v,%s\n", word, size, class)
	}
	set, err := dataset.ReadCSV(strings.NewReader(b.String()), "letters.csv",
		dataset.Options{Header: dataset.HeaderYes, Categorical: []string{"word"}})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestFitLearnedValues: where a column has three categories or more, learned values are compared first, and chosen
// unless they err more; with two there is nothing to learn.
func TestFitLearnedValues(t *testing.T) {
	if _, ok := valuesSetting(Setting{}, letters(t, 60, 2)); ok {
		t.Error("values of two categories are to be learned")
	}
	if testing.Short() {
		t.Skip("seconds of trainings")
	}
	const values = 2
	r, err := Fit(t.Context(), letters(t, 160, 12), FitOptions{Time: time.Hour, Baselines: quickBaselines(t)})
	if err != nil {
		t.Fatal(err)
	}
	if at := r.values(); at != values || r.Done != r.Planned {
		t.Fatalf("learned values are setting %d, want %d; %d of %d done", at, values, r.Done, r.Planned)
	}
	if r.Chosen != values || r.Scores[values].Mean > r.Scores[0].Mean || !strings.Contains(r.Why, "learned values") {
		t.Errorf("chosen %d, %q; %.3f of errors with values, %.3f without", r.Chosen, r.Why, r.Scores[values].Mean,
			r.Scores[0].Mean)
	}
	if !r.Classifier.Columns().Valued() || r.Classifier.NumFeatures() != 2 {
		t.Errorf("%d features, want those of two columns", r.Classifier.NumFeatures())
	}
}

// TestDropLenient: learned values fall out only if they err more by a standard error.
func TestDropLenient(t *testing.T) {
	units := []int{0, 1, 2, 3}
	f := &fitting{splits: make([]dataset.Split, 2), result: &Fitted{Planned: 8}}
	table := &Table{Splits: 2, Repeats: 1, dropped: make([]string, 4)}
	for _, losses := range [][]float64{{1, 0, 0, 0}, {1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}} {
		table.Settings = append(table.Settings, Setting{Name: "s"})
		table.Runs = append(table.Runs, []*Run{judged(units, losses...), nil})
	}
	f.result.Table = table // one loss more is exactly one standard error: it is not beyond it
	if left := f.drop([]int{2, 3}, 1, -1.01); !slices.Equal(left, []int{2}) {
		t.Errorf("%v are left", left)
	}
	if !strings.Contains(table.dropped[3], "more than s by a standard error") {
		t.Errorf("%q", table.dropped[3])
	}
}
