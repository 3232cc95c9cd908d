package sparsekm_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/lssvm"
	"github.com/sparsekm/sparsekm/learn/skm"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/status"
)

func ripley(t *testing.T) *dataset.Set {
	t.Helper()
	set, err := dataset.ReadFile(testutil.Testdata(t, "ripley.train.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestMethods holds every registered method to the promises that they share.
func TestMethods(t *testing.T) {
	set := ripley(t)
	for _, m := range sparsekm.Methods() {
		t.Run(m.Name, func(t *testing.T) {
			if m.About == "" || m.Paper == "" || len(m.Uses) == 0 {
				t.Error("not documented")
			}
			for name := range m.Defaults.Map() {
				if !slices.Contains(m.Uses, name) {
					t.Errorf("a default for %s, which it does not use", name)
				}
			}
			trainer := m.New(sparsekm.Params{})
			if trainer.Name() != m.Name {
				t.Errorf("its trainer calls itself %q", trainer.Name())
			}
			o := sparsekm.Options{Trainer: trainer, Kernel: gram.RBFSigma(0.5)}
			o.Memory = 1 << 10
			if _, _, err := sparsekm.Train(t.Context(), set, o); err == nil {
				t.Error("trained 250 points within 1 KiB")
			} else if text := err.Error(); !strings.Contains(text, "memory") && !strings.Contains(text, "budget") {
				t.Errorf("1 KiB of memory: %v", err)
			}
			o.Memory = 0
			var first *sparsekm.Classifier
			for _, threads := range []int{1, 2, 5} {
				o.Threads = threads
				clf, report, err := sparsekm.Train(t.Context(), set, o)
				if err != nil {
					t.Fatal(err)
				}
				if report.Status != status.Optimal || clf.NumVectors() == 0 || clf.NumVectors() != len(report.Support) {
					t.Errorf("status %v, %d vectors, %d of them in the report", report.Status, clf.NumVectors(), len(report.Support))
				}
				if first == nil {
					first = clf
				} else if !same(t, first, clf) {
					t.Errorf("%d threads give another classifier than one", threads)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, report, err := sparsekm.Train(ctx, set, o); err == nil && report.Status != status.Cancelled {
				t.Errorf("status %v with a cancelled context", report.Status)
			} else if err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled context: %v", err)
			}
		})
	}
}

func same(t *testing.T, a, b *sparsekm.Classifier) bool {
	t.Helper()
	ab, err := a.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	bb, err := b.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Equal(ab, bb)
}

// recorder is a trainer that keeps the problem that it is given.
type recorder struct{ problem *learn.Problem }

func (recorder) Name() string                  { return "recorder" }
func (recorder) EstimateMemory(n, d int) int64 { return 0 }
func (r recorder) Train(_ context.Context, p *learn.Problem) (*learn.Result, error) {
	*r.problem = *p
	return &learn.Result{}, p.Validate()
}

func record(t *testing.T, set *dataset.Set, o sparsekm.Options) (learn.Problem, error) {
	t.Helper()
	var p learn.Problem
	o.Trainer = recorder{&p}
	_, _, err := sparsekm.Train(t.Context(), set, o)
	return p, err
}

func TestWeights(t *testing.T) {
	set := &dataset.Set{X: []float64{1, 2, 3, 4}, N: 4, D: 1, Y: []int{0, 1, 1, 0}, Labels: []string{"-1", "1"}}
	p, err := record(t, set, sparsekm.Options{})
	if err != nil || p.Weight != nil {
		t.Errorf("weights %v (%v) where none are given", p.Weight, err)
	}
	p, err = record(t, set, sparsekm.Options{ClassWeight: map[string]float64{"1": 3}, SampleWeight: []float64{1, 2, 1, 5}})
	if want := []float64{1, 6, 3, 5}; err != nil || !slices.Equal(p.Weight, want) {
		t.Errorf("weights %v (%v), want %v", p.Weight, err, want)
	}
	for _, o := range []sparsekm.Options{
		{ClassWeight: map[string]float64{"2": 1}},
		{ClassWeight: map[string]float64{"1": -1}},
		{ClassWeight: map[string]float64{"1": math.NaN()}},
		{ClassWeight: map[string]float64{"1": 0}}, // leaves one class
		{SampleWeight: []float64{1}},
		{SampleWeight: []float64{1, 1, 1, math.Inf(1)}},
	} {
		if _, err := record(t, set, o); err == nil {
			t.Errorf("accepted %+v", o)
		}
	}
}

func TestScalingIsPartOfTheClassifier(t *testing.T) {
	set := ripley(t)
	o := sparsekm.Options{Trainer: svc.Trainer{}, Scale: dataset.ScaleZ, Kernel: gram.RBF(1)}
	clf, _, err := sparsekm.Train(t.Context(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	scaling, err := dataset.FitZ(set)
	if err != nil {
		t.Fatal(err)
	}
	o.Scale = dataset.ScaleNone
	plain, _, err := sparsekm.Train(t.Context(), scaling.Apply(set), o)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, set.D)
	for i := range set.N {
		scaling.ApplyTo(x, set.Row(i))
		if got, want := clf.Decide(set.Row(i)), plain.Decide(x); got != want {
			t.Fatalf("row %d: decision %v of raw features, %v of scaled ones", i, got, want)
		}
	}
}

func TestTrainRefuses(t *testing.T) {
	for name, set := range map[string]*dataset.Set{
		"one class":  {X: []float64{1, 2}, N: 2, D: 1, Y: []int{0, 0}, Labels: []string{"1"}},
		"no labels":  {X: []float64{1, 2}, N: 2, D: 1},
		"not finite": {X: []float64{1, math.NaN()}, N: 2, D: 1, Y: []int{0, 1}, Labels: []string{"0", "1"}},
	} {
		if _, _, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.Trainer{}}); err == nil {
			t.Errorf("%s: trained", name)
		}
	}
	_, _, err := sparsekm.Train(t.Context(), ripley(t), sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.RBF(-1)})
	if err == nil {
		t.Error("trained with gamma -1")
	}
}

func TestGammaRules(t *testing.T) {
	x := []float64{0, 0, 3, 4, 0, 0, 6, 8} // four points; distances 5, 0, 10, 5, 5, 10
	var mean, square float64
	for _, v := range x {
		mean += v / 8
		square += v * v / 8
	}
	for _, row := range []struct {
		name string
		rule sparsekm.GammaRule
		want float64
	}{
		{"scale", sparsekm.GammaScale, 1 / (2 * (square - mean*mean))},
		{"auto", sparsekm.GammaAuto, 0.5},
		{"median", sparsekm.GammaMedian, 1 / (2 * 25.0)},
		{"per feature", sparsekm.GammaPerFeature(10), 5},
	} {
		testutil.Near(t, row.name, row.rule(x, 4, 2), row.want, 1e-15)
		for _, empty := range []struct{ n, d int }{{0, 2}, {4, 0}, {1, 1}, {0, 0}} {
			if got := row.rule(make([]float64, 4), empty.n, empty.d); !(got > 0) || math.IsInf(got, 0) {
				t.Errorf("%s: %v for %d zeros of %d features", row.name, got, empty.n, empty.d)
			}
		}
	}
}

// TestValidation prunes with held-out data and wants the machine that the trainer finds with the same data, scaled by hand.
func TestValidation(t *testing.T) {
	all := ripley(t)
	split, err := all.Split(0.6, 1)
	if err != nil {
		t.Fatal(err)
	}
	set, held := all.Subset(split.Train), all.Subset(split.Test)
	o := sparsekm.Options{Trainer: lssvm.Prune{Gamma: 1}, Kernel: gram.RBF(1), Scale: dataset.ScaleZ, Validation: held}
	_, report, err := sparsekm.Train(t.Context(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	scaling, err := dataset.FitZ(set)
	if err != nil {
		t.Fatal(err)
	}
	y, err := held.Signs()
	if err != nil {
		t.Fatal(err)
	}
	o.Scale, o.Validation = dataset.ScaleNone, nil
	o.Trainer = lssvm.Prune{Gamma: 1, Validation: &lssvm.Validation{X: scaling.Apply(held).X, Y: y, N: held.N}}
	_, want, err := sparsekm.Train(t.Context(), scaling.Apply(set), o)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(report.Support, want.Support) {
		t.Errorf("%d support vectors, want %d", len(report.Support), len(want.Support))
	}
	o.Trainer, o.Validation = lssvm.Prune{Gamma: 1}, &dataset.Set{X: []float64{1, 2}, N: 1, D: 2, Y: []int{0}, Labels: []string{"7"}}
	if _, _, err := sparsekm.Train(t.Context(), set, o); err == nil {
		t.Error("accepted validation data of another class")
	}
}

// TestPath wants every classifier of a path to be that of a training at its C.
func TestPath(t *testing.T) {
	set := ripley(t)
	o := sparsekm.Options{Trainer: skm.LPSVC{}, Kernel: gram.RBFSigma(0.5), Params: map[string]float64{}}
	points, err := sparsekm.Path(t.Context(), set, o, learn.GeometricPath(0.1, 10, 4))
	if err != nil || len(points) < 2 {
		t.Fatalf("%d classifiers (%v)", len(points), err)
	}
	for _, p := range points {
		o.Trainer = skm.LPSVC{C: p.C}
		_, want, err := sparsekm.Train(t.Context(), set, o)
		if err != nil {
			t.Fatal(err)
		}
		got, exact := p.Report.Machines[0].Report.Objective, want.Machines[0].Report.Objective
		if !testutil.Within(got, exact, 1e-8*math.Abs(exact)) || p.Classifier.Parts().Params["c"] != p.C {
			t.Errorf("C = %v: objective %v, of a training alone %v", p.C, got, exact)
		}
	}
	if _, err := sparsekm.Path(t.Context(), set, sparsekm.Options{Trainer: svc.Trainer{}}, []float64{1}); err == nil {
		t.Error("a path of svc")
	}
}
