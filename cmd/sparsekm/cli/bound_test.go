package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestTrainBound: the report has the bound of the model that is written, whose coefficients are rounded.
func TestTrainBound(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.json")
	test := testutil.Testdata(t, "ripley.test.libsvm")
	args := []string{"train", "-m", "ssvc-b", "--sigma", "0.5", "--bound", "95%", "--test", test, "-o", model, ripley(t)}
	o := object(t, args...)
	b := o["error_bound"].(map[string]any)
	if b["kind"] != "compression" || b["confidence"] != 0.95 || b["settings"] != 1.0 {
		t.Errorf("%v", b)
	}
	if b["vectors"].(float64)+b["others"].(float64) != 250 || b["vectors"] != o["sv"] {
		t.Errorf("%v of %v vectors", b, o["sv"])
	}
	if v := b["value"].(float64); !(v > o["test_error"].(float64)) || !(v < 0.5) {
		t.Errorf("bound %v, test error %v", v, o["test_error"])
	}
	most := o["coef"].([]any)[0].(float64)
	for _, c := range o["coef"].([]any) {
		most = max(most, c.(float64), -c.(float64))
	}
	if b["bits"].(float64) == 0 {
		for _, c := range o["coef"].([]any) {
			if v := c.(float64); v != most && v != -most {
				t.Errorf("coefficients %v of 0 bits", o["coef"])
			}
		}
	}
	p := object(t, "predict", model, test)
	if rate := p["metrics"].(map[string]any)["error_rate"]; rate != o["test_error"] {
		t.Errorf("the written model has the error %v, want %v", rate, o["test_error"])
	}
	more := object(t, append([]string{"train", "--bound-settings", "30"}, append(args[1:len(args)-3:len(args)-3], ripley(t))...)...)
	if v := more["error_bound"].(map[string]any)["value"].(float64); !(v > b["value"].(float64)) {
		t.Errorf("30 settings: %v, one: %v", v, b["value"])
	}
	if r := must(t, "train", "--force", "--sigma", "0.5", "--bound", "0.95", ripley(t)); !strings.Contains(r.stdout,
		"bound    error at most") {
		t.Errorf("printed %q", r.stdout)
	}
	if r := must(t, "train", "-m", "svc", "--gamma", "1000", "--bound", "95%", ripley(t)); !strings.Contains(r.stderr,
		"the bound says nothing") {
		t.Errorf("notes %q", r.stderr)
	}
}

// TestBoundFlags: what has no bound says so.
func TestBoundFlags(t *testing.T) {
	for want, args := range map[string][]string{
		"want no --calibrate":          {"--bound", "95%", "--calibrate"},
		"a path has no bounds":         {"--bound", "95%", "-m", "l1svm", "--path"},
		"want --bound too":             {"--bound-settings", "3"},
		"found 0, want at least 1":     {"--bound", "95%", "--bound-settings", "0"},
		"is no share":                  {"--bound", "120%"},
		"the confidence, such as 95%?": {"--bound", "5%"},
	} {
		r := command(t, "", append([]string{"train", ripley(t)}, args...)...)
		if r.code != session.Usage || !strings.Contains(r.stderr, want) {
			t.Errorf("%v: status %d, %q", args, r.code, r.stderr)
		}
	}
	for want, args := range map[string][]string{
		"those of direct are not": {"-m", "direct", "--no-tune", ripley(t)},
		"for two classes":         {testutil.Testdata(t, "iris.libsvm")},
		"want none or z-scores":   {"--scale", "minmax", ripley(t)},
		"want no weights":         {"--class-weight", "balanced", ripley(t)},
	} {
		r := command(t, "", append([]string{"train", "--bound", "95%"}, args...)...)
		if r.code == 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("%v: status %d, %q", args, r.code, r.stderr)
		}
	}
}
