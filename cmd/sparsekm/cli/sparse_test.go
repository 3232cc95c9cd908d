package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
)

// manyFeatures writes n points of up to 3 million features, ten a point: by their first few the class is told.
func manyFeatures(t *testing.T, n int, seed uint64) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 9))
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d %d:%.3f", i%2, 1+3*(i%2)+rng.IntN(3), 1+rng.Float64())
		at := 6
		for range 8 {
			at += 1 + rng.IntN(300_000)
			fmt.Fprintf(&b, " %d:%.3f", at, rng.Float64())
		}
		fmt.Fprintf(&b, " 3000000:0.1\n")
	}
	name := filepath.Join(t.TempDir(), "many.libsvm")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestTrainManyFeatures: what would be gigabytes with every zero stored is trained on, judged, predicted and reduced
// within some megabytes.
func TestTrainManyFeatures(t *testing.T) {
	data, later := manyFeatures(t, 120, 1), manyFeatures(t, 60, 2)
	dir := t.TempDir()
	skm, small, foreign := filepath.Join(dir, "m.skm"), filepath.Join(dir, "s.skm"), filepath.Join(dir, "m.model")
	mem := "--mem=64MiB"
	o := object(t, "train", mem, "--method", "svc", "--gamma", "0.5", "--c", "10", "--test", later, "--holdout", "25%",
		"--out", skm, data)
	if o["d"] != 3e6 || o["n"] != 90.0 || !(o["test_error"].(float64) <= 0.05) || o["status"] != "optimal" {
		t.Errorf("trained: %v points of %v features, %v, error %v", o["n"], o["d"], o["status"], o["test_error"])
	}
	clf, err := sparsekm.Load(skm)
	if err != nil || !clf.Sparse() || clf.NumFeatures() != 3e6 {
		t.Fatal(clf, err)
	}
	p := object(t, "predict", skm, later)
	if p["n"] != 60.0 || !(p["error"].(float64) <= 0.05) {
		t.Errorf("predicted: %v points, error %v", p["n"], p["error"])
	}
	r := object(t, "reduce", mem, "--max-sv", "30", "--train", data, "--out", small, skm)
	if r["method"] != "kobayashi" || !(r["sv_after"].(float64) <= 30) {
		t.Errorf("reduced: %v, %v vectors", r["method"], r["sv_after"])
	}
	must(t, "info", small)
	must(t, "convert", "--to", "libsvm", "--out", foreign, skm)
	if again := object(t, "predict", foreign, later); again["error"] != p["error"] {
		t.Errorf("error %v by LIBSVM's file, %v by ours", again["error"], p["error"])
	}
	cv := object(t, "cv", mem, "--method", "svc", "--gamma", "0.5", "--c", "10", "--folds", "3", data)
	if !(cv["error"].(float64) <= 0.1) {
		t.Errorf("folds: error %v", cv["error"])
	}
	for want, args := range map[string][]string{
		"scaling zscore moves features away from 0": {"--scale", "zscore"},
		"direct reads features":                     {"--method", "direct"},
		"laplacian kernel reads features":           {"--kernel", "laplacian"},
	} {
		bad := command(t, "", append([]string{"train", mem, data}, args...)...)
		if bad.code != exitFailed || !strings.Contains(bad.stderr, want) ||
			!strings.Contains(bad.stderr, "when every zero is stored") {
			t.Errorf("%v: %d, %s", args, bad.code, bad.stderr)
		}
	}
	if bad := command(t, "", "convert", "--to", "c", "--out", filepath.Join(dir, "m.h"), skm); bad.code != exitFailed ||
		!strings.Contains(bad.stderr, "sparse vectors of 3000000 features") {
		t.Errorf("%d, %s", bad.code, bad.stderr)
	}
}
