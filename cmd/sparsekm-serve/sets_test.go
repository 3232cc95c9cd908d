package main

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/bayes"
	"github.com/sparsekm/sparsekm/learn/svc"
)

// TestSets: answers have the prediction sets of a model that has them, in every form.
func TestSets(t *testing.T) {
	clf := trained(t, "iris.libsvm", sparsekm.Options{Trainer: svc.Trainer{C: 1},
		Conformal: sparsekm.Conformal{Coverage: 0.95, ByClass: true}})
	_, url := start(t, Config{}, saved(t, clf, "iris.skm"))
	x := []float64{5.1, 3.5, 1.4, 0.2, 6.3, 2.8, 5.1, 1.5}
	f, sets := make([]float64, 6), make([]bool, 6)
	clf.DecideBatch(f, x, 2, 1)
	clf.Sets(sets, f, 2)
	const rows = `{"rows": [[5.1,3.5,1.4,0.2], [6.3,2.8,5.1,1.5]]}`
	var got predictAnswer
	object(t, &got, "POST", url+"/predict", rows)
	for i, set := range got.Sets {
		for c, label := range clf.Labels() {
			if slices.Contains(set, label) != sets[3*i+c] {
				t.Errorf("row %d: set %q, want %v", i, set, sets[3*i:3*i+3])
			}
		}
	}
	if len(got.Sets) != 2 || len(got.Sets[0]) == 0 {
		t.Errorf("sets %q", got.Sets)
	}
	status, text := ask(t, "POST", url+"/predict", rows, "Accept: text/csv")
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if status != 200 || err != nil || lines[0][4] != "set has 1" || lines[1][4] != "1" {
		t.Errorf("status %d, %v, %q", status, err, text)
	}
	var answer struct{ Outputs []output }
	object(t, &answer, "POST", url+"/v2/models/iris/infer", `{"outputs": [{"name": "sets"}], "inputs": [{"name": "rows",`+
		`"shape": [2, 4], "datatype": "FP64", "data": [5.1, 3.5, 1.4, 0.2, 6.3, 2.8, 5.1, 1.5]}]}`)
	o := answer.Outputs[0]
	if o.Datatype != "BOOL" || !slices.Equal(o.Shape, []int{2, 3}) || len(o.Data) != 6 {
		t.Fatalf("output %+v", o)
	}
	for i, in := range o.Data {
		if in != sets[i] {
			t.Errorf("output %v, want %v", o.Data, sets)
		}
	}
	_, text = ask(t, "GET", url+"/v2/models/iris", "")
	if !strings.Contains(text, `{"name":"sets","datatype":"BOOL","shape":[-1,3]}`) {
		t.Errorf("metadata %s", text)
	}
}

// TestIntervals: values have their intervals, with variances and without.
func TestIntervals(t *testing.T) {
	for _, trainer := range []learn.Trainer{svc.SVR{C: 1}, bayes.RVM{}} {
		clf, _, err := sparsekm.Train(t.Context(), dataset.Friedman(1, 80, 1, 1), sparsekm.Options{Trainer: trainer,
			Conformal: sparsekm.Conformal{Coverage: 0.9}})
		if err != nil {
			t.Fatal(err)
		}
		_, url := start(t, Config{}, "m="+saved(t, clf, "m.skm"))
		var got predictAnswer
		object(t, &got, "POST", url+"/predict", `{"rows": [[0,0,0,0,0,0,0,0,0,0]]}`)
		if len(got.Intervals) != 1 || !(got.Intervals[0][0] < got.Values[0] && got.Values[0] < got.Intervals[0][1]) {
			t.Fatalf("answer %+v", got)
		}
		var answer struct{ Outputs []output }
		object(t, &answer, "POST", url+"/v2/models/m/infer", `{"inputs": [{"name": "rows", "shape": [1, 10], `+
			`"datatype": "FP64", "data": [0,0,0,0,0,0,0,0,0,0]}]}`)
		if len(answer.Outputs) != 2 || answer.Outputs[1].Name != "intervals" {
			t.Fatalf("outputs %+v", answer.Outputs)
		}
		for i, end := range answer.Outputs[1].Data {
			testutil.Near(t, "end", end.(float64), got.Intervals[0][i], 0)
		}
		_, text := ask(t, "GET", url+"/v2/models/m", "")
		if !strings.Contains(text, `{"name":"intervals","datatype":"FP64","shape":[-1,2]}`) {
			t.Errorf("metadata %s", text)
		}
	}
}
