package modelselect_test

import (
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/modelselect"
)

// TestDecided: runs without a model are those with one, scaled or not, with a given γ or a rule, with weights, for
// samples with groups, for several repetitions, of two classes, of more by either scheme, and of regression.
func TestDecided(t *testing.T) {
	two := ripley(t)
	for i := range two.N {
		two.Groups = append(two.Groups, string(rune('a'+i%26)))
	}
	three, real := dataset.Waveform(150, 1), dataset.Friedman(1, 150, 1, 1)
	weight := make([]float64, 150)
	for i := range weight {
		weight[i] = 1 + float64(i%3)
	}
	gamma, c := modelselect.Gamma(0.3, 3), modelselect.Param("c", 0.1, 10)
	wide, rbf := modelselect.Gamma(0.01, 0.1), gram.RBF(0)
	for name, c := range map[string]struct {
		set  *dataset.Set
		base sparsekm.Options
		axes []modelselect.Axis
	}{
		"γ":         {two, sparsekm.Options{Trainer: svc.Trainer{}, Kernel: rbf}, []modelselect.Axis{c, gamma}},
		"Laplacian": {two, sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.Kernel{Kind: gram.KindLaplacian}, ClassWeight: map[string]float64{"1": 2}}, []modelselect.Axis{c, gamma}},
		"scaled":    {two, sparsekm.Options{Trainer: svc.Trainer{}, Kernel: rbf, Scale: dataset.ScaleZ, RoundScaled: true}, []modelselect.Axis{c, gamma}},
		"rule":      {two, sparsekm.Options{Trainer: svc.Trainer{}, Kernel: rbf, Scale: dataset.ScaleMinMax}, []modelselect.Axis{c, modelselect.GammaTimes(0.3, 3)}},
		"own rule":  {two, sparsekm.Options{Trainer: svc.Trainer{}, Kernel: rbf, Gamma: func(s *dataset.Set) float64 { return 1 / float64(s.N) }}, []modelselect.Axis{c, modelselect.GammaTimes(1)}},
		"ν":         {two, sparsekm.Options{Trainer: svc.NuSVC{}, Kernel: rbf}, []modelselect.Axis{modelselect.Param("nu", 0.4, 0.6), gamma}},
		"rest":      {three, sparsekm.Options{Trainer: svc.Trainer{}, Kernel: rbf, SampleWeight: weight}, []modelselect.Axis{c, wide}},
		"pairs":     {three, sparsekm.Options{Trainer: svc.Trainer{}, Kernel: rbf, Scheme: model.OneVsOne}, []modelselect.Axis{c, wide}},
		"fuzzy":     {three, sparsekm.Options{Trainer: svc.Trainer{}, Kernel: rbf, Scheme: model.PairwiseFuzzy, Scale: dataset.ScaleZ, SampleWeight: weight}, []modelselect.Axis{c, wide}},
		"values":    {real, sparsekm.Options{Trainer: svc.SVR{}, Kernel: rbf, SampleWeight: weight}, []modelselect.Axis{c, gamma}},
		"units":     {real, sparsekm.Options{Trainer: svc.SVR{}, Kernel: rbf, Scale: dataset.ScaleZ, ScaleTarget: true}, []modelselect.Axis{c, wide}},
		"ν values":  {real, sparsekm.Options{Trainer: svc.NuSVR{}, Kernel: rbf, ScaleTarget: true}, []modelselect.Axis{c, gamma}},
	} {
		settings, err := modelselect.Grid(c.base, c.axes...)
		if err != nil {
			t.Fatal(err)
		}
		o := modelselect.Options{Decisions: true}
		if len(c.set.Labels) == 2 {
			o.Metric = modelselect.AUC
		}
		splits := folds(t, c.set, 3, 2)
		evaluate := func() [][]*modelselect.Run {
			table, err := modelselect.Evaluate(t.Context(), c.set, settings, splits, o)
			if err != nil {
				t.Fatal(err)
			}
			return table.Runs
		}
		got := evaluate()
		for i := range settings {
			settings[i].Finish = func(c *sparsekm.Classifier) (*sparsekm.Classifier, error) { return c, nil } // needs a model
		}
		for i, runs := range evaluate() {
			for f, want := range runs {
				alike(t, name, got[i][f], want)
			}
		}
	}
}

// alike holds a run to one with a model, whose decision values differ within the tolerance.
func alike(t *testing.T, name string, r, want *modelselect.Run) {
	t.Helper()
	if r.Failed != "" || r.Tested != want.Tested || r.Trained != want.Trained || r.Key != want.Key {
		t.Fatalf("%s: %s %+v, want %+v", name, r.Failed, r, want)
	}
	if slices.Equal(r.Decisions, want.Decisions) && r.Decisions != nil {
		t.Errorf("%s: decision values of a model", name)
	}
	testutil.NearAll(t, name+": decisions", r.Decisions, want.Decisions, 0.01)
	testutil.Near(t, name+": errors", float64(r.Errors), float64(want.Errors), 1)
	testutil.Near(t, name+": vectors", float64(r.Vectors), float64(want.Vectors), 2)
	testutil.NearRel(t, name+": fitted", *r.Fitted, *want.Fitted, 0.03)
	for metric, loss := range want.Losses {
		testutil.Near(t, name+": "+metric, r.Losses[metric], loss, 0.03)
	}
	if len(r.Losses) != len(want.Losses) || len(r.SE) != len(want.SE) || (r.Groups == nil) != (want.Groups == nil) ||
		len(r.Classes) != len(want.Classes) || !(r.Seconds.Train > 0) || math.IsNaN(*r.Fitted) {
		t.Errorf("%s: %+v, want %+v", name, r, want)
	}
}

// TestDecidedFails: what is wrong with a run is said as by a training.
func TestDecidedFails(t *testing.T) {
	set := ripley(t)
	settings, err := modelselect.Grid(sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.RBF(0),
		ClassWeight: map[string]float64{"none": 2}}, modelselect.Gamma(1))
	if err != nil {
		t.Fatal(err)
	}
	table, err := modelselect.Evaluate(t.Context(), set, settings, folds(t, set, 3, 1), modelselect.Options{})
	if err != nil || table.Runs[0][0].Failed == "" {
		t.Errorf("a weight of no class: %+v, %v", table.Runs[0][0], err)
	}
}
