package sparsekm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/ssvclp"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
)

// TestReportJSON marshals what every method reports of two classes and of three, and wants the models
// back bit for bit.
func TestReportJSON(t *testing.T) {
	for _, file := range []string{"testdata/ripley.train.libsvm", "testdata/iris.libsvm"} {
		classes, err := dataset.ReadFile(file, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range sparsekm.Methods() {
			set := targetsFor(m, classes)
			trainer, err := m.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			_, r, err := sparsekm.Train(context.Background(), set, sparsekm.Options{Trainer: trainer, Kernel: gram.RBF(1)})
			if err != nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
			b, err := json.Marshal(r)
			if err != nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
			var back struct {
				Method, Scheme string
				N, D, SV       int
				Classes        []string
				Kernel         struct{ Gamma float64 }
				Status         string
				Support        []int
				Vectors        [][]float64
				Machines       []struct {
					Positive, Negative string
					Coef               []float64
					Bias               float64
					Report             map[string]any
				}
			}
			if err = json.Unmarshal(b, &back); err != nil {
				t.Fatalf("%s: %v in %s", m.Name, err, b)
			}
			if back.Method != m.Name || back.N != set.N || back.D != set.D || back.SV != r.NumVectors ||
				!slices.Equal(back.Classes, r.Labels) || back.Kernel.Gamma != r.Kernel.Gamma || back.Status != r.Status.String() ||
				!slices.Equal(back.Support, r.Support) || len(back.Vectors)*r.D != len(r.Vectors) || back.Scheme == "" {
				t.Errorf("%s: %s", m.Name, b)
			}
			for i, machine := range r.Submodels {
				got := back.Machines[i]
				positive := ""
				if !r.Task.Real() {
					positive = r.Labels[machine.Pos]
				}
				if !slices.Equal(got.Coef, machine.Coef) || got.Bias != machine.Bias || got.Positive != positive ||
					got.Report["status"] != machine.Report.Status.String() || got.Report["seconds"] == nil {
					t.Errorf("%s: model %d: %v", m.Name, i, got)
				}
			}
		}
	}
}

// TestConstant: a classifier without a vector is said to have one answer.
func TestConstant(t *testing.T) {
	set := &dataset.Set{N: 5, D: 1, X: []float64{1, 1, 1, 1, 1}, Y: []int{0, 1, 1, 0, 1}, Labels: []string{"a", "b"}}
	for _, o := range []sparsekm.Options{{Trainer: svc.Trainer{C: 1}, Kernel: gram.RBF(1)},
		{Trainer: ssvclp.B{C: 1e-3}, Kernel: gram.RBF(1)}} {
		clf, report, err := sparsekm.Train(t.Context(), set, o)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(report)
		if err != nil || !report.Constant || clf.NumVectors() != 0 || !strings.Contains(string(text), `"constant":true`) {
			t.Errorf("%s: %d vectors, constant %v: %s, %v", report.Method, clf.NumVectors(), report.Constant, text, err)
		}
	}
	set.X = []float64{1, 2, 2, 1, 2}
	if _, report, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.Trainer{C: 10},
		Kernel: gram.RBF(1)}); err != nil || report.Constant {
		t.Errorf("two samples apart are constant, %v", err)
	}
}

// TestLogTo wants a record for every round, with the round's numbers.
func TestLogTo(t *testing.T) {
	set, err := dataset.ReadFile("testdata/ripley.train.libsvm", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	_, report, err := sparsekm.Train(context.Background(), set, sparsekm.Options{
		Trainer: ssvc.A{C: 1}, Kernel: gram.RBFSigma(0.5),
		Progress: sparsekm.LogTo(slog.New(slog.NewJSONHandler(&log, nil))),
	})
	if err != nil {
		t.Fatal(err)
	}
	rounds := 0
	for d := json.NewDecoder(&log); d.More(); {
		var r struct {
			Msg, Level, Phase string
			Step, Vectors     int
			Objective, Gap    float64
		}
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		if r.Phase != "round" {
			continue
		}
		want := report.Submodels[0].Report.Rounds[rounds]
		rounds++
		if r.Msg != "training" || r.Level != "INFO" || r.Step != rounds || r.Vectors != want.Nonzeros ||
			r.Objective != want.Objective || r.Gap != want.Gap {
			t.Errorf("round %d: %+v, want %+v", rounds, r, want)
		}
	}
	if rounds != len(report.Submodels[0].Report.Rounds) {
		t.Errorf("%d rounds in the log, %d in the report", rounds, len(report.Submodels[0].Report.Rounds))
	}
}

// TestLogToUnknown wants no attribute for what an event does not know, and no number that JSON has not.
func TestLogToUnknown(t *testing.T) {
	var log bytes.Buffer
	to := sparsekm.LogTo(slog.New(slog.NewJSONHandler(&log, nil)))
	to(learn.Event{Phase: "gram", Done: -1})
	to(learn.Event{Phase: "smo", Done: math.NaN(), Violation: math.Inf(1), Round: &learn.Round{Objective: math.NaN()}})
	want := []map[string]any{
		{"level": "INFO", "msg": "training", "phase": "gram"},
		{"level": "INFO", "msg": "training", "phase": "smo", "vectors": 0.0, "hinge": 0.0, "gap": 0.0, "inner_iterations": 0.0},
	}
	d := json.NewDecoder(&log)
	for i := range want {
		var got map[string]any
		if err := d.Decode(&got); err != nil {
			t.Fatal(err)
		}
		delete(got, "time")
		if diff := cmp.Diff(want[i], got); diff != "" {
			t.Error(diff)
		}
	}
}

// area is the share of the pairs of a sample of the class and another one whose scores are in order, pair by pair.
func area(set *dataset.Set, class int, score func(i int) float64) float64 {
	sum, pairs := 0.0, 0.0
	for i, a := range set.Y {
		for k, b := range set.Y {
			if a != class || b == class {
				continue
			}
			pairs++
			switch f, g := score(i), score(k); {
			case f > g:
				sum++
			case f == g:
				sum += 0.5
			}
		}
	}
	return sum / pairs
}

// TestEvaluate holds every figure against loops over the samples: of two classes either of which may be the
// positive one, and of three in both schemes, with probabilities and without.
func TestEvaluate(t *testing.T) {
	iris, err := dataset.ReadFile(testutil.Testdata(t, "iris.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	libsvm := func(name string) *sparsekm.Classifier {
		c, failed := sparsekm.Load(filepath.Join("model", "testdata", name+".model"))
		if failed != nil {
			t.Fatal(failed)
		}
		return c
	}
	trained := func(set *dataset.Set, scheme model.Scheme, folds int) *sparsekm.Classifier {
		c, _, failed := sparsekm.Train(t.Context(), set,
			sparsekm.Options{Trainer: svc.Trainer{C: 0.1}, Kernel: gram.RBF(1), Scheme: scheme, Calibrate: folds})
		if failed != nil {
			t.Fatal(failed)
		}
		return c
	}
	oneEach := func(c *sparsekm.Classifier) *sparsekm.Classifier {
		p := c.Parts()
		first := p.Submodels[0]
		first.Pos, first.Neg, first.Bias = 0, learn.Rest, 0.1
		first.Coef = make([]float64, len(first.Coef))
		p.Submodels[0].Neg = learn.Rest
		p.Submodels, p.Scheme = append(p.Submodels, first), model.OneVsRest
		c, failed := model.New(p)
		if failed != nil {
			t.Fatal(failed)
		}
		return c
	}
	for _, tt := range []struct {
		name string
		set  *dataset.Set
		clf  *sparsekm.Classifier
	}{
		{"two", ripley(t), trained(ripley(t), model.Binary, 5)},
		{"two, one model each", ripley(t), oneEach(trained(ripley(t), model.Binary, 0))},
		{"LIBSVM's two", ripley(t), libsvm("ripley.train")},
		{"rest", iris, trained(iris, model.OneVsRest, 0)},
		{"pairs", iris, trained(iris, model.OneVsOne, 0)},
		{"LIBSVM's pairs", iris, libsvm("iris")},
	} {
		r, err := sparsekm.Evaluate(t.Context(), tt.clf, tt.set, 2)
		if err != nil {
			t.Fatal(err)
		}
		clf, k, m := tt.clf, len(tt.set.Labels), tt.clf.NumSubmodels()
		want := tt.set.ClassOf(clf.Labels())
		set := *tt.set // with the classifier's indices of classes
		set.Y = want
		f, p := make([]float64, set.N*m), make([]float64, set.N*k)
		clf.DecideBatch(f, set.X, set.N, 1)
		wrong, loss := 0, 0.0
		if clf.Calibrated() == nil {
			clf.ProbabilitiesOf(p, f, set.N, 1)
		}
		for i, c := range want {
			if clf.Predict(set.Row(i)) != c {
				wrong++
			}
			loss -= math.Log(p[i*k+c]) / float64(set.N)
		}
		if r.Points != set.N || r.Errors != wrong || wrong == 0 {
			t.Errorf("%s: %d errors of %d samples, want %d", tt.name, r.Errors, r.Points, wrong)
		}
		if (r.LogLoss != nil) != (clf.Calibrated() == nil) {
			t.Errorf("%s: log loss %v", tt.name, r.LogLoss)
		} else if r.LogLoss != nil {
			testutil.Near(t, tt.name+": log loss", *r.LogLoss, loss, 1e-13)
		}
		if clf.Scheme() == model.OneVsOne && k > 2 && clf.Calibrated() != nil {
			if r.AUC != nil {
				t.Errorf("%s: area under the curve of votes", tt.name)
			}
			continue
		}
		areas := 0.0
		for c := range k {
			score := func(i int) float64 { return p[i*k+c] }
			if clf.Scheme() == model.OneVsRest && k > 2 {
				j := 0
				for clf.PositiveLabel(j) != clf.Label(c) {
					j++
				}
				score = func(i int) float64 { return f[i*m+j] }
			} else if k == 2 && m == 2 {
				score = func(i int) float64 { return f[2*i+1-c] - f[2*i+c] }
			}
			areas += area(&set, c, score) / float64(k)
		}
		testutil.Near(t, tt.name+": area", *r.AUC, areas, 1e-12)
	}
}

func TestEvaluateRefuses(t *testing.T) {
	clf, _, err := sparsekm.Train(t.Context(), ripley(t), sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.Poly(3, 1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	far := ripley(t).Subset([]int{0, 1, 2})
	far.X[3] = 1e200
	bare := ripley(t)
	bare.Y, bare.Labels = nil, nil
	for want, set := range map[string]*dataset.Set{
		"decision for sample 1": far, "no labels": bare, "samples of 3 features, want 2": ripley(t).Widen(3),
	} {
		if _, err := sparsekm.Evaluate(t.Context(), clf, set, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
