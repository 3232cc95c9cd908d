package sparsekm_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
)

// shops is samples of a number and two columns of words, one of which matters; labels are of so many classes, 0 for
// values.
func shops(t *testing.T, n, classes int) *dataset.Set {
	t.Helper()
	rng := dataset.NewRand(6)
	var b strings.Builder
	b.WriteString("size,city,noise,target\n")
	for range n {
		size, city, noise := rng.NormFloat64(), rng.IntN(6), rng.IntN(4)
		effect := size/2 + []float64{2, -2, 0, 1, -1, 3}[city]
		target := fmt.Sprint(effect)
		if classes > 0 {
			target = fmt.Sprint("c", min(classes-1, max(0, int(math.Floor(effect+float64(classes)/2)))))
		}
		fmt.Fprintf(&b, "%v,%c,%c,%s\n", size, 'A'+city, 'a'+noise, target)
	}
	o := dataset.Options{Header: dataset.HeaderYes, Categorical: []string{"city", "noise"}}
	if classes == 0 {
		o.Targets = dataset.TargetValues
	}
	set, err := dataset.ReadCSV(strings.NewReader(b.String()), "shops.csv", o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestCategoryValues trains with values of categories: by the method itself, and beforehand for other methods, kernels
// and schemes. Models have one feature a column, or two, and take samples with features of 0 and 1.
func TestCategoryValues(t *testing.T) {
	few := direct.Trainer{MaxSV: 6, MaxIter: 60}
	for name, c := range map[string]struct {
		classes, features int
		o                 sparsekm.Options
	}{
		"classes":     {2, 3, sparsekm.Options{Trainer: few, CategoryValues: 1}},
		"two a word":  {2, 5, sparsekm.Options{Trainer: few, CategoryValues: 2}},
		"minmax":      {2, 3, sparsekm.Options{Trainer: few, CategoryValues: 1, Scale: dataset.ScaleMinMax}},
		"values":      {0, 3, sparsekm.Options{Trainer: few, CategoryValues: 1, ScaleTarget: true}},
		"three":       {3, 3, sparsekm.Options{Trainer: few, CategoryValues: 1}},
		"pairs":       {3, 3, sparsekm.Options{Trainer: few, CategoryValues: 1, Scheme: model.OneVsOne}},
		"svc":         {2, 3, sparsekm.Options{Trainer: svc.Trainer{C: 1}, CategoryValues: 1}},
		"linear":      {2, 3, sparsekm.Options{Trainer: svc.Trainer{C: 1}, CategoryValues: 1, Kernel: gram.Linear()}},
		"widths":      {2, 3, sparsekm.Options{Trainer: svc.Trainer{C: 1}, CategoryValues: 1, LearnWidths: true}},
		"calibration": {2, 3, sparsekm.Options{Trainer: few, CategoryValues: 1, Calibrate: 3}},
		"sets": {2, 3, sparsekm.Options{Trainer: few, CategoryValues: 1,
			Conformal: sparsekm.Conformal{Coverage: 0.9, Folds: 3}}},
		"validation": {2, 3, sparsekm.Options{Trainer: direct.Trainer{MaxIter: 30}, CategoryValues: 1,
			Validation: shops(t, 90, 2)}},
	} {
		set := shops(t, 240, c.classes)
		if c.o.Scale == dataset.ScaleNone {
			c.o.Scale = dataset.ScaleAuto
		}
		clf, report, err := sparsekm.Train(t.Context(), set, c.o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if clf.NumFeatures() != c.features || report.D != c.features || !clf.Columns().Valued() || set.D != 11 {
			t.Errorf("%s: %d features", name, clf.NumFeatures())
		}
		s, err := sparsekm.Evaluate(t.Context(), clf, set, 1)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.classes == 0 && !(*s.RMSE < 0.5) || c.classes > 0 && !(*s.ErrorRate < 0.12) {
			t.Errorf("%s: %+v", name, s)
		}
		coded := &dataset.Set{N: set.N, D: c.features, X: clf.Columns().Coded(set, 0, set.N)}
		f, g := make([]float64, set.N*clf.NumSubmodels()), make([]float64, set.N*clf.NumSubmodels())
		clf.DecideSet(f, set, 0, set.N, 1)
		clf.DecideSet(g, coded, 0, set.N, 1)
		for i := range f {
			if f[i] != g[i] {
				t.Fatalf("%s: decision %d is %v of words, %v of their values", name, i, f[i], g[i])
			}
		}
	}
}

func TestCategoryValuesRefused(t *testing.T) {
	for want, c := range map[string]struct {
		set *dataset.Set
		o   sparsekm.Options
	}{
		"no column of two categories": {ripley(t), sparsekm.Options{Trainer: direct.Trainer{}, CategoryValues: 1}},
		"learns from samples alone":   {shops(t, 60, 2), sparsekm.Options{Trainer: svc.OneClass{}, CategoryValues: 1}},
		"are its values": {shops(t, 60, 2), sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.Precomputed(),
			CategoryValues: 1}},
	} {
		if _, _, err := sparsekm.Train(t.Context(), c.set, c.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
