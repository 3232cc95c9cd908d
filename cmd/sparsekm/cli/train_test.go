package cli

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// done reports whether a status is one with which the method's training claims an optimum.
func done(t *testing.T, method string, st any) bool {
	m, err := learn.Lookup(method)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := m.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(check.Ends(tr), func(end status.Status) bool { return end.String() == st })
}

// The fields that every `train --json` has.
var trainFields = []string{
	"method", "n", "d", "kernel", "params", "status", "sv", "coef", "bias", "objective",
	"iterations", "inner_iterations", "kernel_evals", "seconds", "implementation", "train_error", "test_error",
}

func TestTrainJSON(t *testing.T) {
	for _, m := range sparsekm.Methods() {
		if m.Name == guestName {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			width, kernel := []string{"--sigma", "0.5"}, "rbf"
			if m.OwnKernel {
				width, kernel = nil, "linear"
			}
			o := object(t, append([]string{"train", "--method", m.Name, "--test", testutil.Testdata(t, "ripley.test.libsvm"),
				ripley(t)}, width...)...)
			for _, name := range trainFields {
				if _, ok := o[name]; !ok {
					t.Errorf("no %q", name)
				}
			}
			if o["method"] != m.Name || o["n"] != 250.0 || o["d"] != 2.0 || !done(t, m.Name, o["status"]) {
				t.Errorf("method %v, n %v, d %v, status %v", o["method"], o["n"], o["d"], o["status"])
			}
			if k := o["kernel"].(map[string]any); k["type"] != kernel || !m.OwnKernel && k["gamma"] != 2.0 {
				t.Errorf("kernel %v, want %s, and rbf with gamma 2", k, kernel)
			}
			rows, isRows := o["support"].([]any)
			vectors, isVectors := o["vectors"].([]any)
			if coef := o["coef"].([]any); len(rows)+len(vectors) != int(o["sv"].(float64)) || isRows == isVectors ||
				len(coef) != len(rows)+len(vectors) {
				t.Errorf("%v support vectors, %d rows, %d vectors, %d coefficients", o["sv"], len(rows), len(vectors), len(coef))
			}
			largest := 0.2
			if !m.Takes(learn.Classify) { // the RMSE of values ±1; half of the samples are outside by default
				largest = 0.65
			}
			if m.Takes(learn.Density) { // minus the mean logarithm
				largest = 1.5
			}
			if e := o["test_error"].(float64); !(e > 0 && e < largest) {
				t.Errorf("test error %v", e)
			}
			// Every method shows by a figure that its model is optimal or a stationary point, and no text or JSON has a
			// figure that nobody computed.
			_, certified := o["gap"]
			_, residual := o["residual"]
			_, gradient := o["gradient"]
			_, fixed := o["fixed_point"]
			if stationary := gradient || fixed; stationary == (certified || residual) {
				t.Errorf("gap: %v, residual: %v, gradient: %v, fixed point: %v", o["gap"], o["residual"], gradient, fixed)
			}
			for _, name := range []string{"dual_objective", "kkt"} {
				if _, ok := o[name]; ok != certified {
					t.Errorf("%s: %v, gap: %v", name, o[name], o["gap"])
				}
			}
			for name, bound := range map[string]float64{"gap": 2e-3, "kkt": 2e-3, "residual": 1e-6} {
				if v, ok := o[name].(float64); ok && !(math.Abs(v) <= bound) {
					t.Errorf("%s %v, want at most %v", name, v, bound)
				}
			}
			if certified {
				primal, dual := o["objective"].(float64), o["dual_objective"].(float64)
				testutil.Near(t, "gap of the objectives", (primal-dual)/max(1, math.Abs(primal)), o["gap"].(float64), 1e-9)
			}
			text := must(t, append([]string{"train", "--method", m.Name, ripley(t)}, width...)...).stdout
			if strings.Contains(text, ", gap ") != certified || strings.Contains(text, ", violation ") != certified ||
				strings.Contains(text, ", residual ") != residual {
				t.Errorf("gap known: %v, residual known: %v, and the text says\n%s", certified, residual, text)
			}
			seconds := o["seconds"].(map[string]any)
			for _, name := range []string{"load", "train", "predict"} {
				if v := seconds[name].(float64); !(v > 0) {
					t.Errorf("%v seconds to %s", v, name)
				}
			}
		})
	}
}

// TestTrainMatchesReport decides with nothing but what the JSON says, and wants
// the bits that predict gives: numbers read back to the same float64.
func TestTrainMatchesReport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.skm")
	r := must(t, "train", "--json", "--method", "svc", "--out", path, ripley(t))
	var report struct {
		Kernel  struct{ Gamma float64 }
		Support []int
		Coef    []float64
		Bias    float64
	}
	if err := json.Unmarshal([]byte(r.stdout), &report); err != nil {
		t.Fatal(err)
	}
	clf, err := sparsekm.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	p := clf.Parts()
	if p.Kernel.Gamma != report.Kernel.Gamma || p.Submodels[0].Bias != report.Bias {
		t.Errorf("gamma %v and bias %v in the model, %v and %v in the report", p.Kernel.Gamma, p.Submodels[0].Bias,
			report.Kernel.Gamma, report.Bias)
	}
	if !slices.Equal(p.Rows, report.Support) || !slices.Equal(p.Submodels[0].Coef, report.Coef) {
		t.Error("support vectors or coefficients of the model are not those of the report")
	}
	set, err := dataset.ReadFile(ripley(t), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for s, row := range report.Support {
		if !slices.Equal(p.Vectors[s*2:s*2+2], set.Row(row)) {
			t.Fatalf("vector %d is not row %d of the file", s, row)
		}
	}
}

func TestTrainSameForAnyThreads(t *testing.T) {
	var first []byte
	for _, threads := range []string{"1", "2", "3"} {
		path := filepath.Join(t.TempDir(), "m.skm")
		must(t, "train", "--method", "svc", "--threads", threads, "--out", path, testutil.Testdata(t, "diabetis.libsvm"))
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		} else if !slices.Equal(got, first) {
			t.Errorf("the model of %s threads differs from that of one", threads)
		}
	}
}

func TestTrainFromStandardInputAndScaled(t *testing.T) {
	data, err := os.ReadFile(testutil.Testdata(t, "diabetis.libsvm"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.skm")
	r := command(t, string(data), "train", "--method", "svc", "--scale", "zscore", "--out", path, "-")
	if r.code != session.Done || !strings.Contains(r.stdout, "768 of 8 features") {
		t.Fatalf("status %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	o := object(t, "predict", path, testutil.Testdata(t, "diabetis.libsvm"))
	if e := o["error"].(float64); !(e < 0.25) { // unscaled it is 0.34
		t.Errorf("error %v with raw features: the model does not scale them", e)
	}
}

func TestClassWeights(t *testing.T) {
	fn := func(args ...string) int {
		path := filepath.Join(t.TempDir(), "m.skm")
		must(t, append([]string{"train", "--method", "svc", "--scale", "zscore", "--out", path,
			testutil.Testdata(t, "diabetis.libsvm")}, args...)...)
		positive := 0
		for _, label := range strings.Fields(must(t, "predict", path, testutil.Testdata(t, "diabetis.libsvm")).stdout) {
			if label == "1" {
				positive++
			}
		}
		return positive
	}
	few, some, many := fn("--class-weight", "-1=9"), fn(), fn("--class-weight", "+1=9")
	if !(few < some && some < many) {
		t.Errorf("%d, %d, %d positive predictions with weights 1/9, 1, 9", few, some, many)
	}
}

func TestLimits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.skm")
	r := command(t, "", "train", "--method", "svc", "--max-iter", "20", "--out", path, ripley(t))
	if r.code != session.Limit || !strings.Contains(r.stderr, "iteration limit") {
		t.Errorf("iteration limit: status %d, %q", r.code, r.stderr)
	}
	if r := must(t, "predict", path, ripley(t)); strings.Count(r.stdout, "\n") != 250 {
		t.Errorf("the best model so far does not predict: %q", r.stdout)
	}
	path = filepath.Join(t.TempDir(), "m.skm")
	refused(t, session.Failed, "time limit before there was a result", path, "train", "--method", "svc", "--time-limit",
		"1ns", "--out", path, ripley(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := runIn(ctx, "", "train", "--method", "svc", ripley(t)); r.code != session.Failed ||
		!strings.Contains(r.stderr, "interrupted") {
		t.Errorf("interrupted before the data were read: status %d, %q", r.code, r.stderr)
	}
}

// TestInterrupt stops a training of about half a second at several moments. Whatever
// it was doing, there is a model exactly when the exit status says so.
func TestInterrupt(t *testing.T) {
	for _, after := range []time.Duration{0, 5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond} {
		path := filepath.Join(t.TempDir(), "m.skm")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(after, cancel)
		r := runIn(ctx, "", "train", "--method", "skm", "--sigma", "0.5", "--out", path, ripley(t))
		cancel()
		_, err := sparsekm.Load(path)
		usable := r.code == session.Done || r.code == session.Limit
		if usable != (err == nil) || !usable && r.code != session.Failed {
			t.Errorf("after %v: status %d, %q, and the model: %v", after, r.code, r.stderr, err)
		}
	}
}

func TestNumbersReadBack(t *testing.T) {
	o := object(t, "train", "--method", "svc", "--gamma", "0.1", "--c", "0.30000000000000004", ripley(t))
	if g := o["kernel"].(map[string]any)["gamma"]; g != 0.1 {
		t.Errorf("gamma 0.1 came back as %v", g)
	}
	if c := o["params"].(map[string]any)["c"]; c != math.Nextafter(0.3, 1) {
		t.Errorf("C came back as %v", c)
	}
}
