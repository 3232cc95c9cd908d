package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

// TestPath wants a model for every size met, in ascending order, each written with its C.
func TestPath(t *testing.T) {
	for _, method := range []string{"ssvc-b", "l1svm", "lpsvc"} {
		dir := t.TempDir()
		o := object(t, "train", "--method", method, "--sigma", "0.5", "--path=0.01..1000:8", "--out",
			filepath.Join(dir, "m.skm"), ripley(t))
		points, last := o["path"].([]any), -1.0
		if len(points) < 3 {
			t.Fatalf("%s: only %d models", method, len(points))
		}
		for _, p := range points {
			p := p.(map[string]any)
			sv, c := p["sv"].(float64), p["c"].(float64)
			if !(sv > last) {
				t.Errorf("%s: %v vectors after %v", method, sv, last)
			}
			last = sv
			clf, err := sparsekm.Load(p["model"].(string))
			if err != nil {
				t.Fatal(err)
			}
			if float64(clf.NumVectors()) != sv || clf.Parts().Params["c"] != c {
				t.Errorf("%s: the model of C = %v and %v vectors has %d and says C = %v", method, c, sv, clf.NumVectors(),
					clf.Parts().Params["c"])
			}
		}
	}
	for _, args := range []string{"0..1", "1..1e-9", "1..2:0", "1", "1..2:x"} {
		if r := command(t, "", "train", "--path="+args, ripley(t)); r.code != session.Usage {
			t.Errorf("--path=%s: status %d", args, r.code)
		}
	}
	if r := command(t, "", "train", "--path", "--method", "svc", ripley(t)); r.code != session.Usage {
		t.Errorf("a path of svc: status %d, %q", r.code, r.stderr)
	}
}

// TestPathValues walks along C for real numbers: errors are root mean squares.
func TestPathValues(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "friedman.libsvm")
	must(t, "gen", "friedman1", "-n", "60", "-o", data)
	o := object(t, "train", "-m", "ssvr-b", "--gamma", "0.1", "--path", "0.1..100:4",
		"--test", data, "-o", filepath.Join(dir, "m.skm"), data)
	points := o["path"].([]any)
	last := points[len(points)-1].(map[string]any)
	e := last["train_error"].(float64)
	if len(points) < 3 || !(e > 0.01 && e < 4) || last["test_error"] != last["train_error"] {
		t.Errorf("%d models, the last %v", len(points), last)
	}
	p := object(t, "predict", last["model"].(string), data)["metrics"].(map[string]any)
	if p["rmse"] != last["train_error"] {
		t.Errorf("the model errs by %v, the path says %v", p["rmse"], e)
	}
}

// TestPathExact wants every size that single values of C meet, at a C that is no smaller, and at the same cost.
func TestPathExact(t *testing.T) {
	data := filepath.Join(t.TempDir(), "ringnorm.libsvm")
	must(t, "gen", "ringnorm", "-n", "120", "-o", data)
	path := func(flags ...string) map[float64]map[string]any {
		all := make(map[float64]map[string]any)
		args := append([]string{"train", "-m", "lpsvc", "--gamma", "0.05"}, flags...)
		for _, p := range object(t, append(args, data)...)["path"].([]any) {
			p := p.(map[string]any)
			all[p["sv"].(float64)] = p
		}
		return all
	}
	some, all := path("--path=0.05..20:12"), path("--path", "0.05..20:exact")
	if len(some) < 4 || len(all) < len(some) {
		t.Fatalf("%d sizes of all C, %d of twelve", len(all), len(some))
	}
	for sv, p := range some {
		q, met := all[sv]
		c, exact := p["c"].(float64), 0.0
		if met {
			exact = q["c"].(float64)
		}
		if !met || !(exact >= c*(1-1e-9)) || !(q["c_from"].(float64) <= exact) || p["c_from"] != nil ||
			q["status"] != "optimal" {
			t.Errorf("%v vectors: %v of all C, %v of twelve", sv, q, p)
		}
	}
	for flags, want := range map[string]string{
		"-m ssvc-b --path exact": "ssvc-b has no exact path, only l1svm, lpsvc",
	} {
		if r := command(t, "", append(append([]string{"train"}, strings.Fields(flags)...), data)...); r.code == session.Done ||
			!strings.Contains(r.stderr, want) {
			t.Errorf("%s: status %d, %q", flags, r.code, r.stderr)
		}
	}
}
