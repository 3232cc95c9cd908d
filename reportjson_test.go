package sparsekm_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/svc"
)

// TestReportJSON marshals what every method reports of two classes and of three, and wants the machines
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
					t.Errorf("%s: machine %d: %v", m.Name, i, got)
				}
			}
		}
	}
}

// TestConstant: a classifier without a vector is said to have one answer.
func TestConstant(t *testing.T) {
	set := &dataset.Set{N: 5, D: 1, X: []float64{1, 1, 1, 1, 1}, Y: []int{0, 1, 1, 0, 1}, Labels: []string{"a", "b"}}
	for _, o := range []sparsekm.Options{{Trainer: svc.Trainer{C: 1}, Kernel: gram.RBF(1)},
		{Trainer: ssvc.B{C: 1e-3}, Kernel: gram.RBF(1)}} {
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
		t.Errorf("two points apart are constant, %v", err)
	}
}
