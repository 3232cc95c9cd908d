package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// predict --variance writes in every form what the model's Variances are, in the units of a target that was scaled.
func TestPredictVariance(t *testing.T) {
	set := dataset.Sinc(100, 0.1, 1)
	var b strings.Builder
	for i, y := range set.Targets {
		fmt.Fprintf(&b, "%v 1:%v\n", 7000*y, set.X[i])
	}
	data, model := write(t, "sinc.libsvm", b.String()), filepath.Join(t.TempDir(), "m.json")
	report := object(t, "train", "-m", "rvm", "--gamma", "0.1", "--out", model, data)
	if report["target_scale"] == nil {
		t.Fatal("the target was not scaled")
	}
	clf, err := sparsekm.Load(model)
	if err != nil {
		t.Fatal(err)
	}
	want, value := make([]float64, set.N), make([]float64, set.N)
	clf.Variances(want, set.X, set.N, 1)
	clf.DecideBatch(value, set.X, set.N, 1)
	if !(want[0] > 500*500 && want[0] < 1000*1000) { // the noise has a deviation of 700
		t.Errorf("variance %v", want[0])
	}
	text := strings.Split(must(t, "predict", "--variance", model, data).stdout, "\n")
	table := strings.Split(must(t, "predict", "--variance", "--to", "csv", model, data).stdout, "\n")
	lines := strings.Split(must(t, "predict", "--variance", "--to", "jsonl", model, data).stdout, "\n")
	variances := object(t, "predict", "--variance", model, data)["variances"].([]any)
	if table[0] != "value,variance" {
		t.Errorf("header %q", table[0])
	}
	for i := range want {
		var o struct{ Value, Variance float64 }
		if err := json.Unmarshal([]byte(lines[i]), &o); err != nil || o.Value != value[i] || o.Variance != want[i] {
			t.Errorf("row %d: %s (%v), want %v", i, lines[i], err, want[i])
		}
		if text[i] != fmt.Sprint(value[i], " ", want[i]) || table[i+1] != fmt.Sprint(value[i], ",", want[i]) ||
			variances[i] != want[i] {
			t.Errorf("row %d: %q, %q, %v, want %v", i, text[i], table[i+1], variances[i], want[i])
		}
	}
	other := filepath.Join(t.TempDir(), "svr.skm")
	must(t, "train", "-m", "svr", "--out", other, data)
	r := command(t, "", "predict", "--variance", other, data)
	if r.code != session.Failed || !strings.Contains(r.stderr, "no variances") {
		t.Errorf("svr: %d, %s", r.code, r.stderr)
	}
}

// A Gaussian process of another package is converted, and predict has its means and variances.
func TestConvertProcess(t *testing.T) {
	file := filepath.Join(testutil.Root(t), "model", "testdata", "gp", "gpflow-svgp.npz")
	clf, err := sparsekm.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	rows := []float64{0, 0, 0, 0, 0, 0, 0, 0, 1, -1, 0.5, 0, 0, 0.25, -0.5, 1}
	data := write(t, "rows.csv", "0,0,0,0,0,0,0,0\n1,-1,0.5,0,0,0.25,-0.5,1\n")
	for _, to := range []string{"skm", "json"} {
		out := filepath.Join(t.TempDir(), "gp."+to)
		must(t, "convert", "--to", to, "--out", out, file)
		for name, model := range map[string]string{"the file": file, to: out} {
			lines := strings.Split(must(t, "predict", "--variance", "--unlabelled", model, data).stdout, "\n")
			for i := range 2 {
				mean, variance := clf.MeanVariance(rows[8*i : 8*i+8])
				if want := fmt.Sprint(mean, " ", variance); lines[i] != want {
					t.Errorf("%s, row %d: %q, want %q", name, i, lines[i], want)
				}
			}
		}
	}
	for _, flags := range [][]string{{"c"}, {"c-float"}, {"go"}, {"onnx"}} {
		r := must(t, append([]string{"convert", "--out", filepath.Join(t.TempDir(), "gp"), "--name", "gp", "--to"},
			append(flags, file)...)...)
		told := strings.Contains(r.stderr, "has no variances: --to "+flags[0])
		if drops := len(flags) > 1 || flags[0] != "c"; told != drops {
			t.Errorf("%v: %s", flags, r.stderr)
		}
	}
	damaged := write(t, "gp.npz", "PK\x03\x04")
	out := filepath.Join(t.TempDir(), "gp.skm")
	if r := command(t, "", "convert", "--to", "skm", "--out", out, damaged); r.code != session.Failed {
		t.Errorf("a damaged file: %d, %s", r.code, r.stderr)
	}
}

// A classifier of Gaussian processes predicts, explains its means, is compared and followed; what has no place for its
// probabilities refuses it.
func TestProcessClassifier(t *testing.T) {
	file := filepath.Join(testutil.Root(t), "model", "testdata", "gp", "classes-rbf.npz")
	data := filepath.Join(testutil.Root(t), "testdata", "diabetis.libsvm")
	dir := t.TempDir()
	to := func(name string) string { return filepath.Join(dir, name) }
	must(t, "convert", "--to", "skm", "--out", to("gp.skm"), file)
	told := must(t, "predict", "--decisions", "--probability", file, data).stdout
	again := must(t, "predict", "--decisions", "--probability", to("gp.skm"), data).stdout
	if again != told {
		t.Error("the converted file has other predictions")
	}
	verified := must(t, "verify", "--against", write(t, "known.txt", told), to("gp.skm"), data).stdout
	if !strings.Contains(verified, "768 of 768 labels agree") {
		t.Error(verified)
	}
	clf, err := sparsekm.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	row := []float64{6, 148, 72, 35, 0, 33.6, 0.627, 50}
	text := "1"
	for i, v := range row {
		text += fmt.Sprintf(" %d:%v", i+1, v)
	}
	mean := fmt.Sprintf("mean %.6g: above 0 for 1, else for -1", clf.Explain(row)[0].Decision)
	shown := must(t, "predict", "--explain", "0", file, write(t, "row.libsvm", text+"\n")).stdout
	if !strings.Contains(shown, mean) {
		t.Errorf("%s, want %s", shown, mean)
	}
	r := must(t, "distill", "--max-sv", "4", "--rounds", "0", "--out", to("student.skm"), file, data)
	if !strings.Contains(r.stdout+r.stderr, "teacher") {
		t.Error(r.stdout, r.stderr)
	}
	for _, c := range [][]string{
		{"double precision", "convert", "--to", "onnx", "--out", to("gp.onnx"), file},
		{"single precision", "convert", "--to", "c-float", "--out", to("gp.h"), file},
		{"variances of Gaussian processes", "convert", "--to", "libsvm", "--split-scaling", to("range"), "--out",
			to("gp.model"), file},
		{"sparsekm distill", "reduce", "--max-sv", "4", "--out", to("small.skm"), file},
		{"no variances", "predict", "--variance", file, data},
	} {
		if r := command(t, "", c[1:]...); r.code != session.Failed || !strings.Contains(r.stderr, c[0]) {
			t.Errorf("%v: %d, %s", c, r.code, r.stderr)
		}
	}
}
