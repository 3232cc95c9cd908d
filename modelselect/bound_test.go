package modelselect

import (
	"math"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/metrics"
)

func boundGrid(t *testing.T, o sparsekm.Options, axes ...Axis) []Setting {
	t.Helper()
	settings, err := Grid(o, axes...)
	if err != nil {
		t.Fatal(err)
	}
	return settings
}

// TestBoundMetric: settings are compared by the bounds of their models of all samples. Kernels and scalings share one
// less the confidence, and the bound of the choice is that of the model that is returned.
func TestBoundMetric(t *testing.T) {
	set := dataset.PelegMeir(200, 0.1, 3)
	base := sparsekm.Options{Trainer: ssvclp.B{C: 1}}
	z := base
	z.Scale = dataset.ScaleZ
	for _, c := range []struct {
		what     string
		settings []Setting
		compared int
	}{
		{"C", boundGrid(t, base, Param("c", 0.1, 1, 10)), 1},
		{"γ", boundGrid(t, base, Param("c", 0.1, 1), Gamma(0.1, 0.5, 2)), 3},
		{"γ by a rule", boundGrid(t, base, GammaTimes(0.1, 1, 10)), 1},
		{"scalings", append(boundGrid(t, base), Setting{Name: "z", Options: z}), 2},
	} {
		table, err := Evaluate(t.Context(), set, c.settings, Whole(set), Options{Metric: Bound})
		if err != nil {
			t.Fatal(err)
		}
		scores := table.Scores()
		for i, s := range scores {
			o := c.settings[i].Options
			o.Bound = sparsekm.Bound{Confidence: 0.95, Settings: c.compared}
			clf, r, failed := sparsekm.Train(t.Context(), set, o)
			if failed != nil {
				t.Fatal(failed)
			}
			run := table.Runs[i][0]
			if s.Mean != r.Bound.Value || *run.Bound != *r.Bound || run.Vectors != clf.NumVectors() || s.Interval != nil {
				t.Errorf("%s, %s: %+v, alone %+v", c.what, c.settings[i].Name, s, *r.Bound)
			}
			if run.Tested != r.Bound.Others || run.Errors != r.Bound.Errors || len(run.Losses) != 1 {
				t.Errorf("%s: %d errors of %d, losses %v", c.what, run.Errors, run.Tested, run.Losses)
			}
		}
		best, err := table.Train(t.Context(), set, OneSE, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range scores {
			testutil.AtMost(t, c.what+", the choice", best.Report.Bound.Value, s.Mean)
		}
		by := &Search{Settings: c.settings, Metric: Bound}
		again, err := by.Run(t.Context(), set, Options{})
		if err != nil || *again.Report.Bound != *best.Report.Bound {
			t.Errorf("%s: a search finds %+v (%v), want %+v", c.what, again, err, *best.Report.Bound)
		}
	}
}

// TestBoundMetricRefused: whatever has no such bound is an error that says why.
func TestBoundMetricRefused(t *testing.T) {
	set := dataset.PelegMeir(60, 0.1, 3)
	folds, err := Folds(set, 3, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	one := Setting{Name: "a", Options: sparsekm.Options{Trainer: svc.Trainer{C: 1}}}
	searching, changed := Setting{Name: "a", Search: &Search{Settings: []Setting{one}, Folds: 3}}, one
	changed.Finish = func(c *sparsekm.Classifier) (*sparsekm.Classifier, error) { return c, nil }
	three := dataset.Waveform(60, 1)
	for want, run := range map[string]func() error{
		"want the split of Whole": func() error {
			_, err := Evaluate(t.Context(), set, []Setting{one}, folds, Options{Metric: Bound})
			return err
		},
		"want no search": func() error {
			_, err := Evaluate(t.Context(), set, []Setting{searching}, Whole(set), Options{Metric: Bound})
			return err
		},
		"no change": func() error {
			_, err := Evaluate(t.Context(), set, []Setting{changed}, Whole(set), Options{Metric: Bound})
			return err
		},
		"two classes": func() error {
			_, err := Evaluate(t.Context(), three, []Setting{one}, Whole(three), Options{Metric: Bound})
			return err
		},
		"a bound has none": func() error { _, err := Fit(t.Context(), set, FitOptions{Options: Options{Metric: Bound}}); return err },
	} {
		if err := run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

// TestBoundOfManyKernels: of 40 classifiers that know nothing of coin tosses, each of a kernel of its own, one always
// has a small bound by a share of δ that ignores the others; by the shares of the settings that is rare.
func TestBoundOfManyKernels(t *testing.T) {
	const kernels, n, draws = 40, 100, 2000
	var gammas []float64
	for k := range kernels {
		gammas = append(gammas, float64(k+1))
	}
	base := sparsekm.Options{Trainer: ssvclp.B{C: 1}, Bound: sparsekm.Bound{Confidence: 0.9}}
	settings := Bound.prepared(boundGrid(t, base, Gamma(gammas...)))
	b := settings[0].Options.Bound
	rnd := dataset.NewRand(5)
	wrong, alone := 0, 0
	for range draws {
		fewest := n
		for range kernels {
			errors := 0
			for range n {
				errors += rnd.IntN(2)
			}
			fewest = min(fewest, errors)
		}
		c := metrics.Compression{Samples: n, Errors: fewest}
		if c.Bound(math.Log1p(-b.Confidence)-math.Log(float64(b.Settings))) < 0.5 {
			wrong++
		}
		if c.Bound(math.Log1p(-b.Confidence)) < 0.5 {
			alone++
		}
	}
	if share := float64(wrong) / draws; !(share <= 0.1) || !(float64(alone)/draws > 0.5) {
		t.Errorf("%d bounds of %d are below the error, %d where the others are ignored", wrong, draws, alone)
	}
}

// TestBoundOfNoise: labels that no feature says anything of are guessed with an error of one half, whatever the kernel;
// the least bound of a search is seldom below that.
func TestBoundOfNoise(t *testing.T) {
	draws := 60
	if testing.Short() {
		draws = 12
	}
	settings := boundGrid(t, sparsekm.Options{Trainer: ssvclp.B{C: 1}, Kernel: gram.RBF(1)}, Param("c", 0.1, 10),
		Gamma(Powers(2, -6, 8, 2)...))
	wrong := 0
	for seed := range uint64(draws) {
		set := dataset.PelegMeir(60, 0.1, seed)
		rnd := dataset.NewRand(seed)
		for i := range set.Y {
			set.Y[i] = rnd.IntN(2)
		}
		table, err := Evaluate(t.Context(), set, settings, Whole(set), Options{Metric: Bound})
		if err != nil {
			t.Fatal(err)
		}
		scores := table.Scores()
		if scores[Choose(scores, Best)].Mean < 0.5 {
			wrong++
		}
	}
	if float64(wrong) > 0.05*float64(draws) {
		t.Errorf("%d of %d bounds of noise are below one half", wrong, draws)
	}
}
