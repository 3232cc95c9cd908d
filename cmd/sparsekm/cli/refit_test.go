package cli

import (
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/internal/testutil"
)

// Every method with a refit says what held-out points make of it, and never keeps one that loses.
func TestTrainRefit(t *testing.T) {
	for _, m := range sparsekm.Methods() {
		if !m.Refit {
			continue
		}
		o := object(t, "train", "--method", m.Name, "--sigma", "0.5", "--refit", ripley(t))
		refit, ok := o["refit"].(map[string]any)
		if !ok || refit["points"] != 250.0 || o["status"] != "optimal" {
			t.Errorf("%s: %v, refit %v", m.Name, o["status"], o["refit"])
			continue
		}
		loss := func(when string) float64 { return refit[when].(map[string]any)["loss"].(float64) }
		if refit["kept"] != (loss("after") <= loss("before")) {
			t.Errorf("%s: refit %v", m.Name, refit)
		}
		if gap, ok := o["gap"].(float64); refit["kept"] == true && !(ok && gap <= 1e-8) {
			t.Errorf("%s: gap %v", m.Name, o["gap"])
		}
	}
	o := object(t, "train", "-m", "ssvc-b", "--refit", testutil.Testdata(t, "iris.libsvm"))
	for i, m := range o["machines"].([]any) {
		if _, ok := m.(map[string]any)["refit"]; !ok {
			t.Errorf("machine %d of three has no refit", i)
		}
	}
}

func TestTrainRefitRefused(t *testing.T) {
	for want, args := range map[string][]string{
		"--refit: svc does not shrink":           {"-m", "svc"},
		"--refit: found the kernel linear, want": {"-m", "ssvc-a", "--kernel", "linear"},
		"--refit: a path along C has none":       {"-m", "ssvc-b", "--path"},
	} {
		r := command(t, "", append([]string{"train", "--refit", ripley(t)}, args...)...)
		if r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("%v ends with %d: %s", args, r.code, r.stderr)
		}
	}
}
