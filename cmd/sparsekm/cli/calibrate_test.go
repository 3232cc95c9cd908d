package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// The model keeps the probabilities of train --calibrate, and they are better than the share of the classes.
func TestTrainCalibrate(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.skm")
	for flag, folds := range map[string]float64{"--calibrate": 5, "--calibrate=3": 3} {
		o := object(t, "train", "-m", "svc", flag, "-o", model, ripley(t))
		if o["calibration_folds"] != folds {
			t.Errorf("%s: %v folds", flag, o["calibration_folds"])
		}
		p := object(t, "predict", "--probability", model, ripley(t))
		wrong := 0.0
		for i, row := range p["probabilities"].([]any) {
			of := row.([]any)
			testutil.Near(t, "sum", of[0].(float64)+of[1].(float64), 1, 1e-15)
			if i < 125 != (of[0].(float64) > 0.5) { // Ripley's first 125 samples are of the first class
				wrong++
			}
		}
		testutil.AtMost(t, "samples whose class is the less probable one", wrong, 35)
	}
	fewer := filepath.Join(t.TempDir(), "fewer.skm")
	must(t, "reduce", "--max-sv", "20", "--train", ripley(t), "-o", fewer, model)
	r := command(t, "", "predict", "--probability", fewer, ripley(t))
	if r.code != session.Failed || !strings.Contains(r.stderr, "before the model was reduced") || r.stdout != "" {
		t.Errorf("old probabilities: status %d, %q", r.code, r.stderr)
	}
	must(t, "predict", fewer, ripley(t))
	if r := must(t, "train", "-m", "svc", "--calibrate", ripley(t)); !strings.Contains(r.stdout, "decisions of 5 folds") {
		t.Errorf("report %q", r.stdout)
	}
	for _, args := range [][]string{
		{"--calibrate=1"}, {"--calibrate=many"}, {"--calibrate="}, {"--calibrate", "-m", "ssvc-b", "--path"},
	} {
		r := command(t, "", append([]string{"train", ripley(t)}, args...)...)
		if r.code != session.Usage || !strings.Contains(r.stderr, "--calibrate") {
			t.Errorf("%v: status %d, %q", args, r.code, r.stderr)
		}
	}
}
