package modelselect_test

import (
	"math"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/modelselect"
)

// TestDecided: runs without a model are those with one, scaled or not, with a given γ or a rule, with weights, for
// samples with groups, and for several repetitions.
func TestDecided(t *testing.T) {
	set := ripley(t)
	for i := range set.N {
		set.Groups = append(set.Groups, string(rune('a'+i%26)))
	}
	splits := folds(t, set, 3, 2)
	for name, c := range map[string]struct {
		base sparsekm.Options
		axis modelselect.Axis
	}{
		"γ":         {sparsekm.Options{Kernel: gram.RBF(0)}, modelselect.Gamma(0.3, 3)},
		"Laplacian": {sparsekm.Options{Kernel: gram.Kernel{Kind: gram.KindLaplacian}, ClassWeight: map[string]float64{"1": 2}}, modelselect.Gamma(0.3, 3)},
		"scaled":    {sparsekm.Options{Kernel: gram.RBF(0), Scale: dataset.ScaleZ}, modelselect.Gamma(0.3, 3)},
		"rule":      {sparsekm.Options{Kernel: gram.RBF(0), Scale: dataset.ScaleMinMax}, modelselect.GammaTimes(0.3, 3)},
		"own rule":  {sparsekm.Options{Kernel: gram.RBF(0), Gamma: func(s *dataset.Set) float64 { return 1 / float64(s.N) }}, modelselect.GammaTimes(1)},
	} {
		c.base.Trainer = svc.Trainer{}
		settings, err := modelselect.Grid(c.base, modelselect.Param("c", 0.1, 10), c.axis)
		if err != nil {
			t.Fatal(err)
		}
		evaluate := func() [][]*modelselect.Run {
			table, err := modelselect.Evaluate(t.Context(), set, settings, splits, modelselect.Options{Decisions: true, Metric: modelselect.AUC})
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
				r := got[i][f]
				if r.Failed != "" || r.Tested != want.Tested || r.Trained != want.Trained || r.Key != want.Key {
					t.Fatalf("%s: %+v, want %+v", name, r, want)
				}
				testutil.NearAll(t, name+": decisions", r.Decisions, want.Decisions, 0.01)
				testutil.Near(t, name+": errors", float64(r.Errors), float64(want.Errors), 1)
				testutil.Near(t, name+": vectors", float64(r.Vectors), float64(want.Vectors), 2)
				testutil.Near(t, name+": fitted", *r.Fitted, *want.Fitted, 0.03)
				for metric, loss := range want.Losses {
					testutil.Near(t, name+": "+metric, r.Losses[metric], loss, 0.03)
				}
				if len(r.Losses) != len(want.Losses) || len(r.SE) != len(want.SE) || (r.Groups == nil) != (want.Groups == nil) ||
					len(r.Classes) != len(want.Classes) || !(r.Seconds.Train > 0) || math.IsNaN(*r.Fitted) {
					t.Errorf("%s: %+v, want %+v", name, r, want)
				}
			}
		}
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
