package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestTrainConformal: the model keeps its prediction sets, of all samples or by class, and predict writes them in every
// form and says how many contain the sample's own class.
func TestTrainConformal(t *testing.T) {
	dir := t.TempDir()
	model, test := filepath.Join(dir, "m.skm"), testutil.Testdata(t, "ripley.test.libsvm")
	for _, args := range [][]string{{"--calibrate", "conformal"}, {"--calibrate=conformal", "--by-class"},
		{"--calibrate", "cross-conformal", "--coverage", "80%"}} {
		o := object(t, append(append([]string{"train", "-m", "svc"}, args...), "-o", model, ripley(t))...)
		sets := o["conformal"].(map[string]any)
		cross := strings.Contains(args[len(args)-1], "%")
		if len(sets["thresholds"].([]any)) > 1 != (args[len(args)-1] == "--by-class") || (sets["folds"] == 5.0) != cross {
			t.Errorf("%v: %v", args, sets)
		}
		if held, _ := sets["held_out"].(float64); held+o["n"].(float64) != 250 {
			t.Errorf("%v: %v samples of 250, and %v held out", args, o["n"], held)
		}
		p := object(t, "predict", "--sets", model, test)
		coverage := p["coverage"].(map[string]any)
		asked := sets["coverage"].(float64)
		testutil.Near(t, "coverage", coverage["found"].(float64), asked, 0.08) // of one split
		size := 0
		for _, set := range p["sets"].([]any) {
			size += len(set.([]any))
		}
		testutil.Near(t, "mean size", coverage["mean_size"].(float64), float64(size)/1000, 1e-12)
		text := must(t, "predict", "--sets", "--to", "csv", model, test)
		if !strings.HasPrefix(text.stdout, "label,set has ") {
			t.Errorf("header %.60q", text.stdout)
		}
		if !strings.Contains(text.stderr, "contain the sample's own (asked for: ") {
			t.Errorf("notes %q", text.stderr)
		}
		text = must(t, "predict", "--sets", "--to", "jsonl", model, test)
		if !strings.Contains(text.stdout, `,"set":["`) {
			t.Errorf("lines %.60q", text.stdout)
		}
	}
	about := must(t, "info", model)
	if !strings.Contains(about.stdout, "prediction sets of 80 % coverage, fitted to the decisions of 5 folds") {
		t.Errorf("info %q", about.stdout)
	}
	fewer := filepath.Join(dir, "fewer.skm")
	reduced := must(t, "reduce", "--max-sv", "20", "--train", ripley(t), "-o", fewer, model)
	if !strings.Contains(reduced.stderr, "the smaller model has none") {
		t.Errorf("notes %q", reduced.stderr)
	}
	r := command(t, "", "predict", "--sets", fewer, test)
	if r.code != session.Failed || !strings.Contains(r.stderr, "a reduction drops them") || r.stdout != "" {
		t.Errorf("old sets: status %d, %q", r.code, r.stderr)
	}
}

// TestTrainIntervals: values have intervals, and those of rvm go with the variances.
func TestTrainIntervals(t *testing.T) {
	dir := t.TempDir()
	train, test := filepath.Join(dir, "train.libsvm"), filepath.Join(dir, "test.libsvm")
	model := filepath.Join(dir, "m.json")
	must(t, "gen", "sinc", "--n", "200", "-o", train)
	must(t, "gen", "sinc", "--n", "500", "--seed", "2", "-o", test)
	for _, method := range []string{"svr", "rvm"} {
		o := object(t, "train", "-m", method, "--force", "--calibrate", "conformal", "-o", model, train)
		if o["conformal"].(map[string]any)["held_out"] != 59.0 {
			t.Errorf("%s: %v", method, o["conformal"])
		}
		p := object(t, "predict", "--sets", model, test)
		testutil.Near(t, "coverage", p["coverage"].(map[string]any)["found"].(float64), 0.9, 0.1)
		widths := make(map[float64]bool)
		for i, ends := range p["intervals"].([]any) {
			low, high := ends.([]any)[0].(float64), ends.([]any)[1].(float64)
			if v := p["values"].([]any)[i].(float64); !(low <= v && v <= high) {
				t.Fatalf("%s: value %v, interval from %v to %v", method, v, low, high)
			}
			widths[float64(float32(high-low))] = true
		}
		if several := len(widths) > 10; several != (method == "rvm") {
			t.Errorf("%s: %d widths of intervals", method, len(widths))
		}
		text := must(t, "predict", "--sets", "--to", "csv", model, test)
		if !strings.HasPrefix(text.stdout, "value,low,high\n") || !strings.Contains(text.stderr, "intervals: ") {
			t.Errorf("%s: %.60q, %q", method, text.stdout, text.stderr)
		}
	}
}

// TestFitCoverage: fit holds samples out before the search, and its model has prediction sets of them.
func TestFitCoverage(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.skm")
	o := object(t, "fit", "--coverage", "80%", "--by-class", "--max-sv", "4", "-o", model, ripley(t))
	sets := o["conformal"].(map[string]any)
	if o["n"].(float64)+sets["held_out"].(float64) != 250 || len(sets["thresholds"].([]any)) != 2 {
		t.Errorf("%v samples, %v", o["n"], sets)
	}
	p := object(t, "predict", "--sets", model, testutil.Testdata(t, "ripley.test.libsvm"))
	testutil.Near(t, "coverage", p["coverage"].(map[string]any)["found"].(float64), 0.8, 0.1)
	for args, want := range map[string]string{"--by-class": "want --coverage too", "--coverage 80": "is no share",
		"--coverage 99.9%": "needs at least 1998"} {
		r := command(t, "", append([]string{"fit", ripley(t)}, strings.Fields(args)...)...)
		if r.code == 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: status %d, %q", args, r.code, r.stderr)
		}
	}
}

// TestConformalFlags lists what goes with no prediction sets.
func TestConformalFlags(t *testing.T) {
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"--coverage 80%", session.Usage, "want --calibrate conformal"},
		{"--by-class --calibrate", session.Usage, "want --calibrate conformal"},
		{"--calibrate conformal --coverage 1.5", session.Usage, "is no share"},
		{"--calibrate conformal --coverage 100%", session.Usage, "is no share"},
		{"--calibrate conformal -m ssvc-b --path", session.Usage, "a path has no"},
		{"--calibrate conformal --coverage 99.9%", session.Failed, "a coverage of 0.999 needs at least 1998"},
		{"--calibrate conformal --by-class -m one-class", session.Usage, "--by-class: one-class learns no classes"},
		{"--calibrate conformal -m skde", session.Failed, "a density has no prediction sets"},
	} {
		r := command(t, "", append([]string{"train", ripley(t)}, strings.Fields(tt.args)...)...)
		if r.code != tt.code || !strings.Contains(r.stderr, tt.want) {
			t.Errorf("%s: status %d, %q", tt.args, r.code, r.stderr)
		}
	}
	model := filepath.Join(t.TempDir(), "m.skm")
	must(t, "train", "-m", "one-class", "--calibrate", "conformal", "-o", model, ripley(t))
	p := object(t, "predict", "--sets", model, ripley(t))
	coverage := p["coverage"].(map[string]any)
	if size := coverage["mean_size"].(float64); coverage["full"] != 0.0 || !(size > 0.8 && size < 1) {
		t.Errorf("one class: %v", coverage)
	}
	must(t, "train", "-m", "svc", "--force", "-o", model, ripley(t))
	if r := command(t, "", "predict", "--sets", model, ripley(t)); r.code != session.Failed ||
		!strings.Contains(r.stderr, "train with conformal calibration") {
		t.Errorf("status %d, %q", r.code, r.stderr)
	}
}
