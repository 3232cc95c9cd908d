package sparsekm_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/density"
	"github.com/sparsekm/sparsekm/learn/svc"
)

// TestScaleTarget trains in units of the target's deviation s: that is C s and ε s without, and the same values.
func TestScaleTarget(t *testing.T) {
	set := dataset.Friedman(1, 80, 1, 4)
	scale, err := sparsekm.ScaleOf(set.Targets)
	if err != nil {
		t.Fatal(err)
	}
	values := func(o sparsekm.Options) []float64 {
		o.Kernel = gram.RBF(0.3)
		clf, r, failed := sparsekm.Train(t.Context(), set, o)
		if failed != nil {
			t.Fatal(failed)
		}
		if clf.Task() != learn.Regress || r.Task != learn.Regress || (r.Target != nil) != o.ScaleTarget {
			t.Errorf("task %v, target %v", clf.Task(), r.Target)
		}
		f := make([]float64, set.N)
		clf.DecideBatch(f, set.X, set.N, 1)
		m, failed := sparsekm.Evaluate(t.Context(), clf, set, 1)
		if failed != nil || m.Classification != nil || !(*m.R2 > 0.5 && *m.R2 < 1) || m.Points != set.N {
			t.Errorf("metrics %+v (%v)", m, failed)
		}
		return f
	}
	scaled := values(sparsekm.Options{Trainer: svc.SVR{C: 2, Epsilon: 0.05, Tolerance: 1e-8}, ScaleTarget: true})
	plain := values(sparsekm.Options{Trainer: svc.SVR{C: 2 * scale.Spread, Epsilon: 0.05 * scale.Spread, Tolerance: 1e-8}})
	testutil.NearAll(t, "values", scaled, plain, 1e-5)

	set.Targets = make([]float64, set.N) // and a constant is no trouble
	for i := range set.Targets {
		set.Targets[i] = 7
	}
	clf, r, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.SVR{}, Kernel: gram.RBF(1), ScaleTarget: true})
	if err != nil || clf.NumVectors() != 0 || r.Target.Spread != 1 {
		t.Fatalf("a constant target: %v", err)
	}
	testutil.Near(t, "constant", clf.Decide(set.Row(0)), 7, 0)
}

// TestTaskOf lists what methods and targets make.
func TestTaskOf(t *testing.T) {
	values, classes := dataset.Sinc(30, 0.1, 1), dataset.TwoGaussians(30, 1, 0.2, 0, 1)
	bare := &dataset.Set{X: values.X, N: values.N, D: 1}
	for _, tt := range []struct {
		method string
		set    *dataset.Set
		task   learn.Task
		want   string // of the error
	}{
		{"svc", classes, learn.Classify, ""}, {"svc", values, 0, "svc does not learn real values, only "},
		{"svr", values, learn.Regress, ""}, {"svr", classes, 0, "svr does not learn classes, only "},
		{"lssvm", classes, learn.Classify, ""}, {"lssvm", values, learn.Regress, ""}, {"lssvm", bare, 0, "no labels"},
		{"one-class", bare, learn.OneClass, ""}, {"one-class", classes, learn.OneClass, ""},
		{"one-class", values, learn.OneClass, ""},
		{"skde", bare, learn.Density, ""}, {"skde", classes, learn.Density, ""},
	} {
		m, err := sparsekm.Lookup(tt.method)
		if err != nil {
			t.Fatal(err)
		}
		task, err := sparsekm.TaskOf(m, tt.set)
		if tt.want == "" && (err != nil || task != tt.task) {
			t.Errorf("%s: %v (%v), want %v", tt.method, task, err, tt.task)
		}
		if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.method, err, tt.want)
		}
		if _, _, err := sparsekm.Train(t.Context(), tt.set, sparsekm.Options{Trainer: trainer(t, tt.method, nil)}); (err == nil) !=
			(tt.want == "") {
			t.Errorf("%s trains with %v", tt.method, err)
		}
	}
	if err := (&learn.Problem{X: []float64{0, 1}, N: 2, D: 1, Task: learn.Regress, Y: []float64{1, -1},
		Kernel: gram.RBF(1)}).Validate(); err == nil || !strings.Contains(err.Error(), "takes [classify]") {
		t.Errorf("a method of classes takes values: %v", err)
	}
}

// A density of scaled features has the unit of the raw ones: beside that of an unscaled training with the same
// kernel in raw units nothing changes, constant features aside.
func TestDensityUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	set := &dataset.Set{N: 60, D: 2}
	for range set.N {
		set.X = append(set.X, 300+100*rng.NormFloat64(), 100*rng.NormFloat64())
	}
	for _, scale := range []dataset.ScaleKind{dataset.ScaleZ, dataset.ScaleMinMax} {
		clf, _, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: density.SKDE{}, Kernel: gram.RBF(5),
			Scale: scale})
		if err != nil {
			t.Fatal(err)
		}
		const side = 200
		var integral float64
		x, f := make([]float64, 0, 2*side*side), make([]float64, side*side)
		for i := range side * side {
			x = append(x, -500+8*float64(i%side), -800+8*float64(i/side))
		}
		clf.DecideBatch(f, x, side*side, 1)
		for _, v := range f {
			integral += v * 8 * 8
		}
		testutil.Near(t, "integral", integral, 1, 1e-3)
		r, err := sparsekm.Evaluate(t.Context(), clf, set, 1)
		if err != nil {
			t.Fatal(err)
		}
		logs := make([]float64, set.N)
		clf.DecideBatch(logs, set.X, set.N, 1)
		clf.Predicted(logs)
		var mean float64
		for i, v := range logs {
			testutil.NearRel(t, "log density", v, math.Log(clf.Decide(set.Row(i))), 1e-12)
			mean += v / float64(set.N)
		}
		testutil.NearRel(t, "mean log density", *r.LogDensity, mean, 1e-12)
		far := []float64{0}
		if clf.Predicted(far); !(far[0] < -700 && far[0] > -800) {
			t.Errorf("the logarithm of nothing is %v", far[0])
		}
	}
}
