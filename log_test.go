package sparsekm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc"
)

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
