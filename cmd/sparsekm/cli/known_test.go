package cli

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/svc"
)

// The training error is that of the model's own predictions, whether or not the training knows decisions.
func TestTrainErrorIsTheModels(t *testing.T) {
	iris, ripley := testutil.Testdata(t, "iris.libsvm"), ripley(t)
	for _, args := range [][]string{
		{"-m", "svc", ripley}, {"-m", "svc", "--c", "1000", "--scale", "zscore", ripley}, {"-m", "svc", "--kernel", "linear", ripley},
		{"-m", "svc", "--gamma", "0.001", "--c", "0.01", ripley}, {"-m", "svc", iris},
		{"-m", "nu-svc", ripley}, {"-m", "svc", "--calibrate", ripley}, {"-m", "svc", "--widths", "learned", ripley},
	} {
		model := filepath.Join(t.TempDir(), "model.skm")
		trained := object(t, append([]string{"train", "-o", model}, args...)...)
		evaluated := object(t, "predict", model, args[len(args)-1])
		if got, want := trained["train_error"], evaluated["error"]; got == nil || got != want {
			t.Errorf("%v: training error %v, the model's %v", args, got, want)
		}
	}
}

// A score takes the decisions that a training knows, and asks the model where they are within their error of 0. That is
// what counts: the decisions here are wrong.
func TestTrainingScore(t *testing.T) {
	set := dataset.Ringnorm(300, 1)
	ctx := learn.WithDecisions(t.Context())
	clf, report, err := sparsekm.Train(ctx, set, sparsekm.Options{Trainer: svc.Trainer{}})
	if err != nil {
		t.Fatal(err)
	}
	if report.Decisions == nil || len(report.Decisions.Values) != set.N {
		t.Fatalf("decisions %v", report.Decisions)
	}
	s := &session.Session{Context: t.Context()}
	model := newScore(s, 1, clf, set, 1)
	for i, c := range newTrainingScore(s, clf, set, report.Decisions, 1).class {
		if c != model.class[i] {
			t.Errorf("sample %d: class %d by the training's decisions, the model says %d", i, c, model.class[i])
		}
	}
	known := &learn.Decisions{Values: make([]float64, set.N), Error: 0.5}
	for i, f := range report.Decisions.Values {
		known.Values[i] = math.Copysign([]float64{1, 0.4, math.NaN()}[max(0, i%5-2)], -f)
	}
	for i, c := range newTrainingScore(s, clf, set, known, 1).class {
		if wrong := c != model.class[i]; wrong != (i%5 <= 2) {
			t.Errorf("sample %d, whose decision is %v: class %d, the model says %d", i, known.Values[i], c, model.class[i])
		}
	}
}

// Decisions go with the rows of the set, or not at all.
func TestReportDecisions(t *testing.T) {
	set := dataset.Ringnorm(300, 1)
	for name, o := range map[string]sparsekm.Options{
		"a sample left out": {Trainer: svc.Trainer{}, SampleWeight: append([]float64{0}, slices.Repeat([]float64{1}, 299)...)},
		"learnt widths":     {Trainer: svc.Trainer{}, LearnWidths: true},
	} {
		_, report, err := sparsekm.Train(learn.WithDecisions(t.Context()), set, o)
		if err != nil {
			t.Fatal(name, err)
		}
		if report.Decisions != nil {
			t.Errorf("%s: decisions of %d samples", name, len(report.Decisions.Values))
		}
	}
}
