package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// written is a file of some of the rows of a set.
func written(t *testing.T, set *dataset.Set, rows []int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.libsvm")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err = set.Subset(rows).WriteLIBSVM(f); err != nil {
		t.Fatal(err)
	}
	return path
}

// A training with --holdout is that of a file without the samples that are held out, its test that of a file of them,
// and the rows that report and model name are the whole file's: of two classes, of three, and along a path.
func TestHoldout(t *testing.T) {
	for _, tt := range []struct {
		data string
		args []string
	}{
		{ripley(t), []string{"-m", "svc"}},
		{testutil.Testdata(t, "iris.libsvm"), []string{"-m", "svc", "--scale", "zscore", "--calibrate"}},
		{ripley(t), []string{"-m", "ssvc-b", "--path=1..1000:3"}},
	} {
		set, err := dataset.ReadFile(tt.data, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		split, err := set.Split(0.75, 7)
		if err != nil {
			t.Fatal(err)
		}
		models := t.TempDir()
		train := func(model string, more ...string) map[string]any {
			args := slices.Concat([]string{"train", "-o", filepath.Join(models, model)}, tt.args, more)
			return object(t, args...)
		}
		got := train("held.skm", "--holdout", "25%", "--seed", "7", tt.data)
		want := train("want.skm", "--test", written(t, set, split.Test), written(t, set, split.Train))
		h := got["holdout"].(map[string]any)
		if h["samples"] != float64(len(split.Test)) || h["seed"] != 7.0 || h["share"] != 0.25 {
			t.Errorf("held out %v", h)
		}
		suffix := ".skm"
		if path := got["path"]; path != nil {
			last := path.([]any)[0].(map[string]any)
			suffix = fmt.Sprintf("-%v.skm", last["sv"])
			got, want = last, want["path"].([]any)[0].(map[string]any)
		} else if fmt.Sprint(got["tests"].([]any)[0].(map[string]any)["metrics"]) !=
			fmt.Sprint(want["tests"].([]any)[0].(map[string]any)["metrics"]) || got["n"] != float64(len(split.Train)) {
			t.Errorf("tests %v, want %v", got["tests"], want["tests"])
		}
		for _, name := range []string{"test_error", "train_error", "objective", "status", "bias"} {
			if got[name] != want[name] {
				t.Errorf("%v: %s %v, want %v", tt.args, name, got[name], want[name])
			}
		}
		var held, other struct {
			Support []int
			Vectors [][]float64 `json:"support_vectors"`
		}
		parse := func(name string, into any) {
			out := filepath.Join(models, "m.json")
			must(t, "convert", "--force", "--to", "json", "-o", out, filepath.Join(models, name+suffix))
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if err = json.Unmarshal(text, into); err != nil {
				t.Fatal(err)
			}
		}
		parse("held", &held)
		parse("want", &other)
		for i, row := range other.Support {
			other.Support[i] = split.Train[row]
		}
		if !slices.Equal(held.Support, other.Support) || len(held.Support) == 0 ||
			fmt.Sprint(held.Vectors) != fmt.Sprint(other.Vectors) {
			t.Errorf("%v: rows %v, want %v", tt.args, held.Support, other.Support)
		}
		if s := got["support"]; s != nil && fmt.Sprint(s) != fmt.Sprint(held.Support) {
			t.Errorf("%v: the report has the rows %v, want %v", tt.args, s, held.Support)
		}
	}
	text := must(t, "train", "-m", "svc", "--holdout", "0.2", ripley(t)).stdout
	if !strings.Contains(text, "on the 50 samples held out (20 %, stratified, seed 1)\n") {
		t.Error(text)
	}
	for want, args := range map[string]string{
		"is no share": "--holdout 100%", "both parts": "--holdout 0.1%",
		"one": "--path -m ssvc-b --holdout 0.2 --test " + ripley(t), "--test: found an empty text": "--test=",
	} {
		r := command(t, "", append([]string{"train", ripley(t)}, strings.Fields(args)...)...)
		if r.code == session.Done || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: status %d, %q", args, r.code, r.stderr)
		}
	}
	lone := write(t, "lone.libsvm", strings.Repeat("1 1:1\n", 9)+strings.Repeat("-1 1:2\n", 3))
	if r := command(t, "", "train", "--holdout", "0.9", lone); r.code != session.Failed ||
		!strings.Contains(r.stderr, "all samples of class") {
		t.Errorf("a class without a sample: status %d, %q", r.code, r.stderr)
	}
}

// Each --test has its line and its object, in order.
func TestSeveralTests(t *testing.T) {
	few := write(t, "few.libsvm", "1 1:0.1 2:0.9\n-1 1:0.2 2:0.1\n3 1:1\n")
	o := object(t, "train", "-m", "svc", "--test", testutil.Testdata(t, "ripley.test.libsvm"), "--test", few, ripley(t))
	tests := o["tests"].([]any)
	first, second := tests[0].(map[string]any), tests[1].(map[string]any)
	if len(tests) != 2 || second["file"] != few || o["test_error"] != first["error"] {
		t.Fatalf("tests %v", tests)
	}
	testutil.Near(t, "error", second["error"].(float64), 1./3, 1e-15)
	if n := first["metrics"].(map[string]any)["samples"]; n != 1000.0 {
		t.Errorf("%v samples", n)
	}
	r := must(t, "train", "-m", "svc", "--test", testutil.Testdata(t, "ripley.test.libsvm"), "--test", few, ripley(t))
	if strings.Count(r.stdout, "balanced accuracy") != 2 ||
		!strings.Contains(r.stdout, "33.33 % (95 %: 6.15 to 79.2 %) on "+few) {
		t.Error(r.stdout)
	}
	far := write(t, "far.libsvm", "1 1:1e300 2:1e300\n")
	r = command(t, "", "train", "-m", "svc", "--kernel", "poly", "--test", far, ripley(t))
	if r.code != session.Failed || !strings.Contains(r.stderr, "far.libsvm") || !strings.Contains(r.stderr, "sample 0") {
		t.Errorf("overflow: status %d, %q", r.code, r.stderr)
	}
	sparse := write(t, "sparse.libsvm", "1 1:1 3:1\n-1 2:1\n1 1:2\n-1 2:3 3:1\n")
	wide := write(t, "wide.libsvm", "1 1:1 5:1\n-1 2:1\n")
	narrow := write(t, "narrow.libsvm", "1 1:1\n-1 2:1\n")
	if o = object(t, "train", "-m", "svc", "--test", narrow, "--test", wide, "--test", sparse, sparse); o["d"] != 5.0 ||
		len(o["tests"].([]any)) != 3 {
		t.Errorf("%v features, tests %v", o["d"], o["tests"])
	}
}

// Balanced weights are those of the training samples, after some are held out.
func TestBalanced(t *testing.T) {
	data := testutil.Testdata(t, "diabetis.libsvm") // 500 of class -1, 268 of class 1
	figures := func(args ...string) string {
		o := object(t, append([]string{"train", "-m", "svc", "--scale", "zscore"}, args...)...)
		return fmt.Sprint(o["objective"], o["bias"], o["support"], o["coef"])
	}
	if figures("--class-weight", "balanced", data) != figures("--class-weight", "-1=0.768,1=1.4328358208955223", data) {
		t.Error("balanced weights are not N/(k·n)")
	}
	if figures("--class-weight", "balanced", "--holdout", "0.5", data) !=
		figures("--class-weight", "-1=0.768,1=1.4328358208955223", "--holdout", "0.5", data) {
		t.Error("balanced weights of a half are not N/(k·n)")
	}
	judged := func(args ...string) string {
		o := object(t, append(args, "-m", "svc", "--scale", "zscore", "--folds", "3", data)...)
		if best, ok := o["best"].(map[string]any); ok {
			return fmt.Sprint(best["params"], best["cv_error"], best["sv"])
		}
		return fmt.Sprint(o["losses"], o["sv"])
	}
	for _, command := range [][]string{{"cv"}, {"tune", "--grid", "c=1,10"}} {
		balanced := judged(append(command, "--class-weight", "balanced")...)
		if balanced != judged(append(command, "--class-weight", "-1=0.768,1=1.4328358208955223")...) ||
			balanced == judged(command...) {
			t.Errorf("%v: balanced weights are not those of the samples: %s", command, balanced)
		}
	}
}
