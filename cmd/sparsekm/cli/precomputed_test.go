package cli

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// sixPoints is a kernel matrix in the form of LIBSVM's -t 4.
const sixPoints = `+1 0:1 1:2 2:0.5 3:-1 4:0.25 5:0 6:-0.5
-1 0:2 1:0.5 2:1.5 3:0.25 4:0.5 5:-0.75 6:0
+1 0:3 1:-1 2:0.25 3:3 4:1 5:0.5 6:0.125
-1 0:4 1:0.25 2:0.5 3:1 4:2 5:0.25 6:1
+1 0:5 1:0 2:-0.75 3:0.5 4:0.25 5:1.75 6:-0.25
-1 0:6 1:-0.5 2:0 3:0.125 4:1 5:-0.25 6:2.5
`

// Recorded from LIBSVM 3.24: svm-train -t 4 -c 0.8 -e 1e-12.
const (
	sixObjective = 2.081053
	sixBias      = 0.15789473684210523 // −rho
)

var sixCoef = []float64{0.8, -0.8, 0.8, -0.8, 0.021052625618482878, -0.021052625618482878}

func TestPrecomputed(t *testing.T) {
	data, skm := write(t, "six", sixPoints), filepath.Join(t.TempDir(), "six.skm")
	o := object(t, "train", "--method", "svc", "--kernel", "precomputed", "--c", "0.8", "--tolerance", "1e-9",
		"--out", skm, data)
	testutil.Near(t, "objective", o["objective"].(float64), sixObjective, 5e-7)
	testutil.Near(t, "bias", o["bias"].(float64), sixBias, 1e-7)
	for i, v := range o["coef"].([]any) {
		testutil.Near(t, "coefficient", v.(float64), sixCoef[i], 1e-6)
	}
	model := filepath.Join(t.TempDir(), "six.model")
	must(t, "convert", skm, "--to", "libsvm", "--out", model)
	text, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"kernel_type precomputed\nnr_class 2\n", "0.8 0:3 \n"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("LIBSVM's file has no %q:\n%s", part, text)
		}
	}
	predictions := filepath.Join(t.TempDir(), "predictions")
	must(t, "predict", "--decisions", "--out", predictions, skm, data)
	must(t, "verify", model, "--against", predictions, "--tolerance", "1e-12", data)
	o = object(t, "reduce", skm, "--max-sv", "3", "--out", filepath.Join(t.TempDir(), "small"))
	if o["sv_after"] != 3.0 {
		t.Errorf("reduced to %v vectors", o["sv_after"])
	}
	r := command(t, "", "reduce", model, "--max-sv", "3", "--out", filepath.Join(t.TempDir(), "small"))
	if r.code != session.Failed || !strings.Contains(r.stderr, "has no kernel values") {
		t.Errorf("reducing a model without values: status %d, %q", r.code, r.stderr)
	}
}

func TestPrecomputedRefusesFiles(t *testing.T) {
	good := filepath.Join(t.TempDir(), "good.skm")
	must(t, "train", "--method", "svc", "--kernel", "precomputed", "--out", good, write(t, "six", sixPoints))
	narrow := regexp.MustCompile(` [56]:\S+`).ReplaceAllString(sixPoints, "") // four columns for six samples
	for _, tt := range []struct{ old, new, want string }{
		{"0:3 ", "0:7 ", "serial number of sample 2 is 7, want an integer from 1 to the 6 values"},
		{"0:3 ", "", "serial number of sample 2 is 0"},
		{"2:0.25", "2:0.5", "not symmetric"},
		{sixPoints, narrow, "serial number of sample 4 is 5, want an integer from 1 to the 4 values"},
	} {
		bad := write(t, "bad", strings.Replace(sixPoints, tt.old, tt.new, 1))
		r := command(t, "", "train", "--method", "svc", "--kernel", "precomputed", "--out", good+".not", bad)
		if r.code != session.Failed || !strings.Contains(r.stderr, tt.want) {
			t.Errorf("%q for %q: status %d, %q, want %q", tt.new, tt.old, r.code, r.stderr, tt.want)
		}
	}
	r := command(t, "", "train", "--method", "svc", "--kernel", "precomputed", "--scale", "zscore",
		write(t, "six", sixPoints))
	if r.code != session.Failed || !strings.Contains(r.stderr, "the features of a precomputed kernel are its values") {
		t.Errorf("scaling: status %d, %q", r.code, r.stderr)
	}
	r = command(t, "", "predict", good, write(t, "narrow", narrow))
	if r.code != session.Failed || !strings.Contains(r.stderr, "found 5 features, want 7") {
		t.Errorf("rows of another matrix: status %d, %q", r.code, r.stderr)
	}
}

// kernelFile writes the matrix of a set as LIBSVM's -t 4 wants it.
func kernelFile(t *testing.T, s *dataset.Set, k gram.Kernel) string {
	t.Helper()
	matrix := make([]float64, s.N*s.N)
	gram.Pack[float64](k, s.X, s.N, s.D).Full(matrix, s.N)
	var b strings.Builder
	for i := range s.N {
		fmt.Fprintf(&b, "%s 0:%d", s.Labels[s.Y[i]], i+1)
		for j, v := range matrix[i*s.N : (i+1)*s.N] {
			fmt.Fprintf(&b, " %d:%v", j+1, v)
		}
		b.WriteByte('\n')
	}
	return write(t, "kernel", b.String())
}

// A kernel's matrix trains to what the kernel itself does, here and in LIBSVM, and models
// of either decide alike in both.
func TestPrecomputedAgrees(t *testing.T) {
	for _, name := range []string{"ripley.train.libsvm", "iris.libsvm"} {
		t.Run(name, func(t *testing.T) {
			path := testutil.Testdata(t, name)
			set, err := dataset.ReadFile(path, dataset.Options{})
			if err != nil {
				t.Fatal(err)
			}
			data, dir := kernelFile(t, set, gram.RBF(2)), t.TempDir()
			ours, direct := filepath.Join(dir, "ours"), filepath.Join(dir, "direct")
			common := []string{"train", "--method", "svc", "--multiclass", "ovo", "--c", "3", "--tolerance", "1e-8"}
			a := object(t, append(slices.Clone(common), "--kernel", "precomputed", "--out", ours, data)...)
			b := object(t, append(slices.Clone(common), "--kernel", "rbf", "--gamma", "2", "--scale", "none", "--out", direct,
				path)...)
			testutil.NearRel(t, "objective", a["objective"].(float64), b["objective"].(float64), 1e-6)
			comparePrecomputed(t, data, ours, a["objective"].(float64))
		})
	}
}

func comparePrecomputed(t *testing.T, data, ours string, objective float64) {
	t.Helper()
	for _, program := range []string{"svm-train", "svm-predict"} {
		testutil.Program(t, program)
	}
	theirs, converted, labels := ours+".theirs", ours+".model", ours+".labels"
	log, err := exec.Command("svm-train", "-t", "4", "-c", "3", "-e", "1e-8", data, theirs).CombinedOutput()
	if err != nil {
		t.Fatalf("svm-train: %v\n%s", err, log)
	}
	sum := 0.0
	for _, line := range strings.Split(string(log), "\n") {
		var obj float64
		if n, _ := fmt.Sscanf(line, "obj = %g", &obj); n == 1 {
			sum -= obj
		}
	}
	testutil.NearRel(t, "objective of svm-train", objective, sum, 1e-5)
	must(t, "convert", ours, "--to", "libsvm", "--out", converted)
	for _, model := range []string{theirs, converted} {
		if out, err := exec.Command("svm-predict", data, model, labels).CombinedOutput(); err != nil {
			t.Fatalf("svm-predict: %v\n%s", err, out)
		}
		for _, m := range []string{theirs, converted, ours} {
			must(t, "verify", m, "--against", labels, data)
		}
	}
	decisions := func(path string) []float64 {
		clf, err := sparsekm.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		set, err := dataset.ReadFile(data, dataset.Options{ZeroBased: true})
		if err != nil {
			t.Fatal(err)
		}
		if clf, err = clf.WithFeatures(set.D); err != nil {
			t.Fatal(err)
		}
		f := make([]float64, set.N*clf.NumSubmodels())
		clf.DecideBatch(f, set.X, set.N, 1)
		for i := range f {
			f[i] = math.Abs(f[i]) // the order of the classes may differ
		}
		return f
	}
	if strings.Count(string(log), "obj = ") == 1 {
		testutil.NearAll(t, "decisions", decisions(ours), decisions(theirs), 1e-4)
	}
}
