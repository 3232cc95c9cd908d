package cli

import (
	"fmt"
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
	largest := o["coef"].([]any)[0].(float64)
	for _, c := range o["coef"].([]any) {
		largest = max(largest, c.(float64), -c.(float64))
	}
	if b["bits"].(float64) == 0 {
		for _, c := range o["coef"].([]any) {
			if v := c.(float64); v != largest && v != -largest {
				t.Errorf("coefficients %v of 0 bits", o["coef"])
			}
		}
	}
	p := object(t, "predict", model, test)
	if rate := p["metrics"].(map[string]any)["error_rate"]; rate != o["test_error"] {
		t.Errorf("the written model has the error %v, want %v", rate, o["test_error"])
	}
	more := object(t, append(args[:len(args)-3:len(args)-3], "--bound", "95%/30", ripley(t))...)
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
		"found \"0\" settings":         {"--bound", "95%/0"},
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

// TestTuneBound: the settings are compared by bounds that all hold at once; the model written has that of the choice.
func TestTuneBound(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.skm")
	o := object(t, "tune", "-m", "ssvc-b", "--metric", "bound", "--grid", "c=0.1,1", "--grid", "gamma=0.5,2,8", "-o",
		model, ripley(t))
	best := o["best"].(map[string]any)
	b := best["error_bound"].(map[string]any)
	if b["settings"] != 3.0 || b["confidence"] != 0.95 || b["value"] != best["cv_error"] ||
		b["value"] != best["choice_error"] {
		t.Errorf("%v of %v", b, best)
	}
	params := best["params"].(map[string]any)
	alone := object(t, "train", "-m", "ssvc-b", "--c", fmt.Sprint(params["c"]), "--gamma", fmt.Sprint(params["gamma"]),
		"--bound", "95%/3", ripley(t))
	if got := alone["error_bound"].(map[string]any)["value"]; got != b["value"] {
		t.Errorf("bound %v, of a training alone %v", b["value"], got)
	}
	for _, g := range o["grid"].([]any) {
		if v := g.(map[string]any)["cv_error"].(float64); v < b["value"].(float64) {
			t.Errorf("a setting has %v, the choice %v", v, b["value"])
		}
	}
	p := object(t, "predict", model, testutil.Testdata(t, "ripley.test.libsvm"))
	if rate := p["metrics"].(map[string]any)["error_rate"].(float64); !(rate < b["value"].(float64)) {
		t.Errorf("error %v on other samples, bound %v", rate, b["value"])
	}
	more := object(t, "tune", "--metric", "bound", "--bound", "99%/9", "--grid", "gamma=2",
		"--outer", "3", ripley(t))
	b = more["best"].(map[string]any)["error_bound"].(map[string]any)
	if b["settings"] != 9.0 || b["confidence"] != 0.99 || more["outer"].(map[string]any)["error"].(float64) > 0.3 {
		t.Errorf("%v", more)
	}
	if r := must(t, "tune", "--metric", "bound", "--grid", "gamma=2,4", ripley(t)); !strings.Contains(r.stdout,
		"of settings that count as 2: error at most") {
		t.Errorf("printed %q", r.stdout)
	}
	for want, args := range map[string][]string{
		"has no splits":       {"--metric", "bound", "--folds", "3"},
		"no splits to halve":  {"--metric", "bound", "--search", "halving"},
		"want --metric bound": {"--bound", "95%"},
		"such as 95%":         {"--metric", "bound", "--bound", "5%"},
		"found \"-1\"":        {"--metric", "bound", "--bound", "95%/-1"},
		"f0 (compression is":  {"-m", "skm", "--param", "margin-by=compression", "--grid", "c=1"},
		"the task is regress": {"--metric", "bound", "-m", "svr", "--task", "regress"},
		"it has no splits":    {"--metric", "bound", "--splits", "x"},
		"that is chosen already": {"--metric", "bound", "-m", "skm", "--param", "margin-by=compression", "--param", "margin=0.1",
			"--grid", "c=1"},
	} {
		if r := command(t, "", append([]string{"tune", ripley(t)}, args...)...); r.code == 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("%v: status %d, %q", args, r.code, r.stderr)
		}
	}
	r := command(t, "", "compare", "-m", "svc", "--metric", "bound", "--ledger",
		filepath.Join(t.TempDir(), "runs"), ripley(t))
	if r.code != session.Usage || !strings.Contains(r.stderr, "want tune") {
		t.Errorf("compare: status %d, %q", r.code, r.stderr)
	}
}

// TestTrainBoundMargin: the bound that chooses the margin of skm is no larger than that of the margin of the least f0.
func TestTrainBoundMargin(t *testing.T) {
	var bound []float64
	for _, by := range []string{"f0", "compression"} {
		o := object(t, "train", "-m", "skm", "--param", "margin-by="+by, "--bound", "95%",
			testutil.Testdata(t, "diabetis.libsvm"))
		bound = append(bound, o["error_bound"].(map[string]any)["value"].(float64))
	}
	if !(bound[1] < bound[0]) {
		t.Errorf("bounds %v", bound)
	}
	r := command(t, "", "train", "-m", "skm", "--param", "margin-by=compression", ripley(t))
	if r.code != session.Usage || !strings.Contains(r.stderr, "--param margin-by: found compression, want f0 (") {
		t.Errorf("status %d, %q", r.code, r.stderr)
	}
}
