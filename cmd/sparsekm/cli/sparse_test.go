package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/modelselect"
)

// manyFeatures writes n samples of up to 3 million features, ten a sample: by their first few the class is told.
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
		t.Errorf("trained: %v samples of %v features, %v, error %v", o["n"], o["d"], o["status"], o["test_error"])
	}
	clf, err := sparsekm.Load(skm)
	if err != nil || !clf.Sparse() || clf.NumFeatures() != 3e6 {
		t.Fatal(clf, err)
	}
	p := object(t, "predict", skm, later)
	if p["n"] != 60.0 || !(p["error"].(float64) <= 0.05) {
		t.Errorf("predicted: %v samples, error %v", p["n"], p["error"])
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
		if bad.code != session.Failed || !strings.Contains(bad.stderr, want) ||
			!strings.Contains(bad.stderr, "when every zero is stored") {
			t.Errorf("%v: %d, %s", args, bad.code, bad.stderr)
		}
	}
	bad := command(t, "", "convert", "--to", "c", "--out", filepath.Join(dir, "m.h"), skm)
	if bad.code != session.Failed ||
		!strings.Contains(bad.stderr, "sparse vectors of 3000000 features") {
		t.Errorf("%d, %s", bad.code, bad.stderr)
	}
}

// fewFeatures writes n samples of d features, five a sample, as LIBSVM text and with every zero as CSV.
func fewFeatures(t *testing.T, n, d int) (sparse, full string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 9))
	var a, b strings.Builder
	for range n {
		row, score := make([]string, d), rng.NormFloat64()
		for j := range row {
			row[j] = "0"
		}
		for k := range 5 {
			j := d/5*k + rng.IntN(d/5)
			row[j] = fmt.Sprintf("%.3f", 1+rng.Float64())
			score += float64(j%7 - 3)
		}
		label := "-1"
		if score > 0 {
			label = "1"
		}
		a.WriteString(label)
		for j, v := range row {
			if v != "0" {
				fmt.Fprintf(&a, " %d:%s", j+1, v)
			}
		}
		a.WriteByte('\n')
		fmt.Fprintf(&b, "%s,%s\n", strings.Join(row, ","), label)
	}
	return write(t, "few.libsvm", a.String()), write(t, "few.csv", b.String())
}

// TestFewFeaturesStaySparse: samples of few features of which most are 0 have the folds, the searches, the ledger's
// keys and the predictions that they have with every zero stored, in memory where these have no room.
func TestFewFeaturesStaySparse(t *testing.T) {
	thin, full := fewFeatures(t, 800, 300)
	linear := []string{"--method", "svc", "--kernel", "linear", "--scale", "none", "--folds", "2"}
	many, _ := fewFeatures(t, 4000, 4000) // 128 MB of zeros
	object(t, append([]string{"cv", "--threads=1", "--mem=110MiB", many}, linear...)...)
	object(t, "cv", "--threads=1", "--mem=110MiB", "--scale=none", "--gamma=1", "--method=svc", "--folds=2", many)
	bad := command(t, "", "cv", "--threads=1", "--mem=110MiB", "--scale=none", "--method=direct", many)
	if bad.code != session.Failed {
		t.Fatalf("every zero stored has room: %d", bad.code)
	}
	cv := object(t, append([]string{"cv", thin}, linear...)...)
	want := object(t, append([]string{"cv", full}, linear...)...)
	testutil.Near(t, "error of folds", cv["error"].(float64), want["error"].(float64), 1e-3) // two samples
	ledger := filepath.Join(t.TempDir(), "runs.jsonl")
	grid := append([]string{"--grid", "c=0.1,1", "--ledger", ledger}, linear...)
	object(t, append([]string{"tune", full}, grid...)...)
	before, err := os.ReadFile(ledger)
	if err != nil {
		t.Fatal(err)
	}
	object(t, append([]string{"tune", thin}, grid...)...)
	if after, err := os.ReadFile(ledger); err != nil || len(after) != len(before) {
		t.Errorf("runs of %d bytes that the ledger has are made again, %d more: %v", len(before), len(after)-len(before), err)
	}
	skm := filepath.Join(t.TempDir(), "m.skm")
	must(t, "train", "--method", "svc", "--kernel", "linear", "--scale", "none", "--out", skm, thin)
	if clf, err := sparsekm.Load(skm); err != nil || !clf.Sparse() {
		t.Fatal("the model's vectors are not sparse:", err)
	}
	got := strings.Fields(must(t, "predict", "--decisions", skm, thin).stdout)
	for i, text := range strings.Fields(must(t, "predict", "--decisions", skm, full).stdout) {
		v, err := strconv.ParseFloat(text, 64)
		f, wrong := strconv.ParseFloat(got[i], 64)
		if err != nil || wrong != nil {
			t.Fatal(err, wrong)
		}
		testutil.Near(t, fmt.Sprintf("number %d", i), f, v, 1e-12*(1+math.Abs(v))) // sums in another order
	}
}

// TestKernelsOnSparseRows: of every kernel and method that reads samples through it, samples of few features that stay
// sparse have the table that they have with every zero stored, and the folds of it.
func TestKernelsOnSparseRows(t *testing.T) {
	thin, full := fewFeatures(t, 120, 100)
	for _, args := range [][]string{
		{"--method=svc", "--gamma=0.1"},
		{"--method=svc", "--kernel=poly", "--gamma=0.1", "--param=coef0=1"},
		{"--method=nu-svc", "--kernel=sigmoid", "--gamma=0.01"},
		{"--method=ssvc-a", "--gamma=0.1"},
		{"--method=ssvc-b", "--gamma=0.1"},
		{"--method=lssvm", "--gamma=0.1"},
		{"--method=rvm-fast", "--gamma=0.1"},
		{"--method=svr", "--task=regress", "--gamma=0.1", "--tolerance=1e-6"}, // sums of another order end elsewhere
	} {
		args = append(args, "--scale=none", "--folds=3")
		got, want := object(t, append([]string{"cv", thin}, args...)...), object(t, append([]string{"cv", full, "--columns=strict"}, args...)...)
		if m := args[0]; len(got["folds"].([]any)) != 3 {
			t.Fatalf("%s: %d folds", m, len(got["folds"].([]any)))
		}
		for k, fold := range got["folds"].([]any) {
			of := want["folds"].([]any)[k].(map[string]any)
			for _, name := range []string{"errors", "key", "samples"} {
				if fold.(map[string]any)[name] != of[name] {
					t.Errorf("%v, fold %d: %s %v, with every zero stored %v", args, k, name, fold.(map[string]any)[name], of[name])
				}
			}
		}
		testutil.NearRel(t, args[0]+": error", got["error"].(float64), want["error"].(float64), 1e-6)
		testutil.NearRel(t, args[0]+": vectors", got["sv"].(float64), want["sv"].(float64), 0.02)
		skm := filepath.Join(t.TempDir(), "m.skm")
		must(t, append([]string{"train", "--out", skm, thin}, args[:len(args)-1]...)...)
		if clf, err := sparsekm.Load(skm); err != nil || !clf.Sparse() {
			t.Errorf("%v: the model's vectors are not sparse: %v", args, err)
		}
	}
}

// TestBytesStoreZeros: samples that are kept as bytes, zeros and ones for instance, have every zero stored where a
// kernel reads bytes, whose model is that of samples read so, to the last bit.
func TestBytesStoreZeros(t *testing.T) {
	thin, full := fewFeatures(t, 240, 100)
	dir := t.TempDir()
	var models [2][]byte
	for i, file := range []string{thin, full} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		ones := regexp.MustCompile(`[12]\.\d+`).ReplaceAll(text, []byte("1"))
		skm := filepath.Join(dir, "m.skm")
		must(t, "train", "--method=svc", "--gamma=0.1", "--scale=none", "--out", skm,
			write(t, "ones"+filepath.Ext(file), string(ones)))
		clf, err := sparsekm.Load(skm)
		if err != nil || clf.Sparse() {
			t.Fatal("the model's vectors are sparse:", err)
		}
		at := make([]float64, 2)
		clf.DecideBatch(at, slices.Repeat([]float64{0, 1}, 100), 2, 1)
		models[i] = fmt.Append(nil, at, clf.NumVectors())
	}
	if string(models[0]) != string(models[1]) {
		t.Errorf("%s, with every zero stored %s", models[0], models[1])
	}
}

// runsOf compares the methods over samples into a ledger of its own, and returns its runs.
func runsOf(t *testing.T, args ...string) []*modelselect.Run {
	t.Helper()
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	must(t, append([]string{"compare", "--folds=2", "--inner=2", "--grid=c=1,10", "--ledger", name}, args...)...)
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	runs, err := modelselect.ReadRuns(file, name)
	if err != nil {
		t.Fatal(err)
	}
	// They are in the order in which they ended.
	slices.SortFunc(runs, func(a, b *modelselect.Run) int { return strings.Compare(a.Key, b.Key) })
	return runs
}

// TestCompareStaysSparse: comparisons have the runs that they have with every zero stored, in memory where these have
// no room; a method that reads features has runs that say so, and samples of few features with every zero stored.
func TestCompareStaysSparse(t *testing.T) {
	thin, full := fewFeatures(t, 300, 300)
	few := []string{"--scale=none", "-msvc", "--grid=gamma=0.1"}
	want := runsOf(t, append(few, full, "--columns=strict")...)
	for i, r := range runsOf(t, append(few, thin)...) {
		if r.Key != want[i].Key || r.Varied["c"] != want[i].Varied["c"] {
			t.Errorf("run %d: %v, key %s, with every zero stored %v, key %s", i, r.Varied, r.Key, want[i].Varied, want[i].Key)
		}
		testutil.Near(t, "errors", float64(r.Errors), float64(want[i].Errors), 1)
	}
	many, _ := fewFeatures(t, 2000, 4000) // 64 MB of zeros
	tight := []string{"--threads=1", "--mem=60MiB"}
	runsOf(t, append(append(tight, few...), many)...)
	for _, args := range [][]string{{"--scale=none", "-msvc,direct"}, {"--scale=zscore", "-msvc"}} {
		args = append(append([]string{"compare", "--ledger", filepath.Join(t.TempDir(), "runs"), many}, tight...), args...)
		if bad := command(t, "", args...); bad.code != session.Failed || !strings.Contains(bad.stderr, "memory budget") {
			t.Errorf("%v: every zero stored has room: %d, %s", args, bad.code, bad.stderr)
		}
	}
	wide := append(tight, "--scale=none", "-msvc,direct", manyFeatures(t, 60, 1))
	for _, r := range runsOf(t, wide...) {
		if r.Failed == "" != (r.Setting == "svc") || r.Failed != "" && !strings.Contains(r.Failed, "direct reads features") {
			t.Errorf("%s: failed: %q", r.Setting, r.Failed)
		}
	}
}
