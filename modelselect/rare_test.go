package modelselect

import (
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn/svc"
)

// rareSet has classes of so many samples, each about its own number.
func rareSet(sizes ...int) *dataset.Set {
	set, rng := &dataset.Set{D: 1}, dataset.NewRand(5)
	for c, n := range sizes {
		set.Labels = append(set.Labels, string(rune('a'+c)))
		for range n {
			set.X = append(set.X, float64(c)+0.2*rng.NormFloat64())
			set.Y = append(set.Y, c)
			set.N++
		}
	}
	return set
}

func rareSettings() []Setting {
	one := Setting{Name: "svc", Options: sparsekm.Options{Trainer: svc.Trainer{}}}
	one.Options.ClassWeight = map[string]float64{"a": 2, "c": 3}
	return []Setting{one, {Name: "search", Search: &Search{Settings: []Setting{one}, Folds: 3, Seed: 1}}}
}

// TestRareClasses: the only sample of a class always trains and is never tested, so that folds, and folds within them,
// have a model each; leaving one out has one test part less.
func TestRareClasses(t *testing.T) {
	set := rareSet(20, 15, 1, 2)
	for k, want := range map[int]int{4: 4, set.N: set.N - 1} {
		splits, err := Folds(set, k, 2, 1)
		if err != nil || len(splits) != 2*want {
			t.Fatalf("%d folds: %d splits, %v", k, len(splits), err)
		}
		tested := make([]int, set.N)
		for _, sp := range splits {
			n := set.Subset(sp.Train).Counts()
			if len(sp.Test) == 0 || n[2] != 1 || n[3] == 0 || len(sp.Train)+len(sp.Test) != set.N {
				t.Errorf("%d folds: training samples %v, %d to be tested", k, n, len(sp.Test))
			}
			for _, i := range sp.Test {
				tested[i]++
			}
		}
		for i, n := range tested {
			if want := 2; set.Y[i] == 2 && n != 0 || set.Y[i] != 2 && n != want {
				t.Errorf("%d folds: sample %d is tested %d times", k, i, n)
			}
		}
	}
	splits, err := Folds(set, 4, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	table, err := Evaluate(t.Context(), set, rareSettings(), splits, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range table.Scores() {
		if s.Failed != "" || !(s.Mean < 0.2) || s.Interval == nil {
			t.Errorf("%s: %+v", table.Settings[s.Setting].Name, s)
		}
	}
	if _, err = Folds(rareSet(1, 1, 1), 2, 1, 1); err == nil {
		t.Error("classes of one sample: no error")
	}
}

// TestUntrainedClass: where a split leaves a class out of the training, its samples are errors, and its recall is 0.
func TestUntrainedClass(t *testing.T) {
	set := rareSet(10, 10, 4)
	var sp dataset.Split
	for i := range set.N {
		if i%2 == 0 && set.Y[i] != 2 {
			sp.Train = append(sp.Train, i)
		} else {
			sp.Test = append(sp.Test, i)
		}
	}
	table, err := Evaluate(t.Context(), set, rareSettings(), []dataset.Split{sp}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, runs := range table.Runs {
		r := runs[0]
		if r.Failed != "" || r.Errors != 4 || r.Losses["error"] != 4.0/14 || !(r.Losses["balanced"] < 0.334) ||
			!(r.Losses["balanced"] > 0.333) {
			t.Errorf("%s: %d errors of %d, %v, %s", r.Setting, r.Errors, r.Tested, r.Losses, r.Failed)
		}
	}
}

// TestUndefinedMetric: a test part of one class has no area under the curve; the others do.
func TestUndefinedMetric(t *testing.T) {
	set := rareSet(20, 2)
	splits, err := Folds(set, 5, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	settings := []Setting{{Name: "svc", Options: sparsekm.Options{Trainer: svc.Trainer{}}}}
	table, err := Evaluate(t.Context(), set, settings, splits, Options{Metric: AUC})
	if err != nil {
		t.Fatal(err)
	}
	if s := table.Scores()[0]; s.Failed != "" || s.Splits != 2 || s.Mean != 0 {
		t.Errorf("%+v", s)
	}
}
