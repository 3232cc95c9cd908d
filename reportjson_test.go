package sparsekm_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
)

// TestReportJSON marshals what every method reports of two classes and of three, and wants the machines
// back bit for bit.
func TestReportJSON(t *testing.T) {
	for _, file := range []string{"testdata/ripley.train.libsvm", "testdata/iris.libsvm"} {
		set, err := dataset.ReadFile(file, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range sparsekm.Methods() {
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
			for i, machine := range r.Machines {
				got := back.Machines[i]
				if !slices.Equal(got.Coef, machine.Coef) || got.Bias != machine.Bias || got.Positive != r.Labels[machine.Pos] ||
					got.Report["status"] != machine.Report.Status.String() || got.Report["seconds"] == nil {
					t.Errorf("%s: machine %d: %v", m.Name, i, got)
				}
			}
		}
	}
}
