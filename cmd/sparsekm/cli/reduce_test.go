package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestReduce shrinks an SVM in every way and wants the report to say what happened.
func TestReduce(t *testing.T) {
	dir, data, test := t.TempDir(), ripley(t), testutil.Testdata(t, "ripley.test.libsvm")
	big := filepath.Join(dir, "big.skm")
	must(t, "train", "--method", "svc", "--sigma", "0.5", "--out", big, data)
	for _, row := range []struct {
		name     string
		args     []string
		min, max float64 // vectors left of 102
	}{
		{"default", []string{"--train", data}, 2, 8},
		{"the paper's", []string{"--train", data, "--tau", "0.025"}, 2, 60},
		{"tau 0.001", []string{"--train", data, "--tau", "0.001"}, 2, 90},
		{"tau 0", []string{"--train", data, "--tau", "0"}, 2, 102},
		{"refit", []string{"--train", data, "--refit"}, 2, 60},
		{"loss on held-out samples", []string{"--train", data, "--val", test, "--max-loss", "0.5%"}, 2, 60},
		{"loss, removal", []string{"--train", data, "--val", test, "--max-loss", "0.5%", "--no-move"}, 2, 60},
		{"budget", []string{"--max-sv", "7"}, 7, 7},
		{"budget with samples", []string{"--max-sv", "3", "--train", data, "--move"}, 3, 3},
		{"budget, removal", []string{"--max-sv", "7", "--no-move"}, 7, 7},
		{"budget that is met already", []string{"--max-sv", "1000"}, 102, 102},
		{"quality before budget", []string{"--train", data, "--tau", "0.001", "--max-sv", "1"}, 2, 90},
		{"latency", []string{"--target-latency", "1h"}, 102, 102},
		{"Algorithm 1", []string{"--method", "kobayashi-1", "--max-sv", "7"}, 7, 7},
		{"Downs", []string{"--method", "downs", "--train", data, "--tolerance", "1e-6"}, 2, 101},
	} {
		t.Run(row.name, func(t *testing.T) {
			small := filepath.Join(dir, "small.skm")
			o := object(t, append([]string{"reduce", big, "--out", small}, row.args...)...)
			left := o["sv_after"].(float64)
			if o["sv_before"] != 102.0 || !(left >= row.min && left <= row.max) {
				t.Errorf("%v vectors of %v left, want %v to %v", left, o["sv_before"], row.min, row.max)
			}
			removed := 102 - int(left)
			if o["method"] == "move" {
				removed = 0
			}
			if order := o["order"].([]any); len(order) != removed {
				t.Errorf("%d in the order of removal, %v left", len(order), left)
			}
			clf, err := sparsekm.Load(small)
			if err != nil {
				t.Fatal(err)
			}
			if clf.NumVectors() != int(left) {
				t.Errorf("the model has %d vectors, the report says %v", clf.NumVectors(), left)
			}
		})
	}
	text := must(t, "reduce", big, "--train", data).stdout
	for _, want := range []string{"102 vectors before", "95 % interval", "keep their class", "µs"} {
		if !strings.Contains(text, want) {
			t.Errorf("reduce does not print %q:\n%s", want, text)
		}
	}
}

func TestReduceFiles(t *testing.T) {
	dir, data := t.TempDir(), ripley(t)
	big, file := filepath.Join(dir, "big.skm"), func(name string) string { return filepath.Join(dir, name) }
	must(t, "train", "--method", "svc", "--sigma", "0.5", "--out", big, data)
	must(t, "convert", big, "--to", "libsvm", "--out", file("big.model"))
	must(t, "reduce", file("big.model"), "--tau", "0.025", "--train", data, "--out", file("small.model"),
		"--curve", file("c.csv"), "--plot", file("c.svg"))
	for name, start := range map[string]string{"small.model": "svm_type c_svc\n",
		"c.csv": "sv,hinge_increase,error,agreement,us\n102,0,", "c.svg": "<svg "} {
		if text, err := os.ReadFile(file(name)); err != nil || !strings.HasPrefix(string(text), start) {
			t.Errorf("%s starts with %.40q (%v), want %q", name, text, err, start)
		}
	}
	must(t, "reduce", file("big.model"), "--tau", "0.025", "--train", data, "--out", file("small.json"))
	must(t, "reduce", file("big.model"), "--max-sv", "4", "--train", data, "--out", file("moved.model")) // of one width
	if o := object(t, "info", file("moved.model")); o["sv"] != 4.0 {
		t.Errorf("%v vectors in LIBSVM's format, want 4", o["sv"])
	}
	must(t, "predict", file("small.model"), "--out", file("labels"), data)
	must(t, "verify", file("small.json"), "--against", file("labels"), data)
}

func TestReduceRefuses(t *testing.T) {
	dir, data := t.TempDir(), ripley(t)
	big := filepath.Join(dir, "big.skm")
	must(t, "train", "--method", "svc", "--out", big, data)
	for _, row := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{big}, session.Usage, "--train"},
		{[]string{big, "--train", data, "--plot", "a.png"}, session.Usage, "rsvg-convert"},
		{[]string{big, "--train", data, "--tau", "-1"}, session.Usage, "--tau: found -1"},
		{[]string{big, "--train", data, "--tau", "nan"}, session.Usage, "--tau: found NaN"},
		{[]string{big, "--train", data, "--max-sv", "0"}, session.Usage, "--max-sv: found 0"},
		{[]string{big, "--train", data, "--max-loss", "-1%"}, session.Usage, "--max-loss: found -1"},
		{[]string{big, "--train", data, "--max-loss", "200%"}, session.Usage, "--max-loss: found 200"},
		{[]string{big, "--target-latency", "1ns"}, session.Failed, "one vector alone takes"},
		{[]string{big, "--train", data, "--lambda", "-1"}, session.Usage, "--lambda: found -1"},
		{[]string{big, "--train", data, "--target-latency", "-1s"}, session.Usage, "--target-latency"},
		{[]string{big, "--train", data, "--tolerance", "1"}, session.Usage, "--tolerance"},
		{[]string{big, "--train", data, "--method", "downs", "--tau", "1"}, session.Usage, "--method downs"},
		{[]string{big, "--train", data, "--plot", filepath.Join(dir, "x.txt")}, session.Usage, "--plot"},
		{[]string{big, "--max-sv", "3", "--move", "--tau", "0.1", "--train", data}, session.Usage, "--move"},
		{[]string{big, "--train", data, "--move", "--lambda", "1"}, session.Usage, "--move"},
		{[]string{big, "--max-sv", "3", "--curve", filepath.Join(dir, "x.csv")}, session.Usage, "--curve"},
		{[]string{big, "--train", testutil.Testdata(t, "iris.libsvm")}, session.Failed, "found 4 features, want 2"},
		{[]string{big, "--train", "nowhere"}, session.Failed, "nowhere"},
		{[]string{"nowhere", "--train", data}, session.Failed, "nowhere"},
		{[]string{write(t, "p.model", "svm_type c_svc\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 -1\nnr_sv 1 1\nSV\n1 0:1\n-1 0:2\n"), "--train", data}, session.Failed, "has no kernel values"},
		{[]string{big, "--train", data, "--mem", "1KiB"}, session.Failed, "memory"},
	} {
		r := command(t, "", append([]string{"reduce"}, row.args...)...)
		if r.code != row.status || !strings.Contains(r.stderr, row.want) || r.stdout != "" {
			t.Errorf("reduce %v: status %d, %q", row.args[1:], r.code, r.stderr)
		}
	}
}

// TestReduceCalibrates checks that the parameters are those of the smaller model, in
// LIBSVM's file too, and that samples are asked for.
func TestReduceCalibrates(t *testing.T) {
	dir, data, test := t.TempDir(), ripley(t), testutil.Testdata(t, "ripley.test.libsvm")
	big, small := filepath.Join(dir, "big.skm"), filepath.Join(dir, "small.model")
	must(t, "train", "--method", "svc", "--sigma", "0.5", "--out", big, data)
	must(t, "convert", big, "--to", "libsvm", "--out", filepath.Join(dir, "big.model"))
	o := object(t, "reduce", filepath.Join(dir, "big.model"), "--train", data, "--val", test, "--calibrate", "--out",
		small)
	if o["calibrated"] != true || o["platt_stale"] != nil {
		t.Errorf("calibrated %v, stale %v", o["calibrated"], o["platt_stale"])
	}
	text, err := os.ReadFile(small)
	if err != nil || !strings.Contains(string(text), "probA ") || !strings.Contains(string(text), "probB ") {
		t.Errorf("no probabilities in the file (%v):\n%.200s", err, text)
	}
	if got := object(t, "info", small)["probabilities"]; got != "fitted" {
		t.Errorf("info says that probabilities are %v", got)
	}
	if r := command(t, "", "reduce", big, "--max-sv", "5", "--calibrate"); r.code != 2 ||
		!strings.Contains(r.stderr, "--calibrate: name labelled samples") {
		t.Errorf("exit status %d, %q", r.code, r.stderr)
	}
}
