package svmtools_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/svmtools"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/status"
)

// tool runs a command and returns its exit status and what it prints.
func tool(t *testing.T, name string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = svmtools.Run(context.Background(), name, args, 1<<30, &out, &errs)
	return code, out.String(), errs.String()
}

// must is tool for what has to succeed.
func must(t *testing.T, name string, args ...string) string {
	t.Helper()
	code, out, errs := tool(t, name, args...)
	if code != 0 || errs != "" {
		t.Fatalf("%s %v: status %d, %s", name, args, code, errs)
	}
	return out
}

// Cross-validations deal the folds of LIBSVM 3.24, and so print its lines.
func TestTrainCrossValidates(t *testing.T) {
	for _, tt := range []struct{ data, flags, want string }{
		{"iris", "-v 5", "Cross Validation Accuracy = 98%\n"},
		{"iris", "-v 150", "Cross Validation Accuracy = 97.3333%\n"},
		{"ripley.train", "-v 7 -c 3 -q", "Cross Validation Accuracy = 83.6%\n"},
		{"ripley.train", "-v 5 -w1 3 -g 2", "Cross Validation Accuracy = 82.8%\n"},
		{"diabetis", "-v 5 -g 1e-3", "Cross Validation Accuracy = 72.6562%\n"},
		{"ionosphere", "-v 5 -s 1 -n 0.2", "Cross Validation Accuracy = 93.4473%\n"},
	} {
		args := append(strings.Fields(tt.flags), testutil.Testdata(t, tt.data+".libsvm"))
		if got := must(t, "svm-train", args...); got != tt.want {
			t.Errorf("%v: %q, want %q", args, got, tt.want)
		}
	}
	// LIBSVM's stopping rule leaves the fourth digit open.
	for flags, want := range map[string][2]float64{"-v 5 -s 3": {0.0329936, 0.951045}, "-v 3 -s 4": {0.0389731, 0.941603}} {
		out := must(t, "svm-train", append(strings.Fields(flags), testutil.Testdata(t, "iris.libsvm"))...)
		found := regexp.MustCompile(`^Cross Validation Mean squared error = (\S+)\n` +
			`Cross Validation Squared correlation coefficient = (\S+)\n$`).FindStringSubmatch(out)
		if found == nil {
			t.Fatalf("%s: %q", flags, out)
		}
		for i, text := range found[1:] {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			testutil.NearRel(t, flags, v, want[i], 2e-3)
		}
	}
}

// A training prints what LIBSVM's does, writes a model, and prediction reads it and one of LIBSVM's alike.
func TestTrainAndPredict(t *testing.T) {
	iris, dir := testutil.Testdata(t, "iris.libsvm"), t.TempDir()
	model, labels := filepath.Join(dir, "m"), filepath.Join(dir, "labels")
	for flags, want := range map[string]string{
		"":     "*\noptimization finished, #iter = N\nnu = 0.0N\nobj = -2.N, rho = 0.0N\nnSV = N, nBSV = N\n",
		"-s 1": "*\noptimization finished, #iter = N\nC = 0.05N\nobj = 1.29N, rho = 0.05N\nnSV = 53, nBSV = 47\n",
		"-s 2": "*\noptimization finished, #iter = 47\nobj = 913.426250, rho = 26.584621\nnSV = 78, nBSV = 73\n",
		"-s 3": "*\noptimization finished, #iter = N\nobj = -8.63N, rho = -2.03N\nnSV = 55, nBSV = 41\n", // two of LIBSVM's 56 are one sample
	} {
		out := must(t, "svm-train", append(strings.Fields(flags), iris, model)...)
		pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(want), "N", `\d+`)
		if !regexp.MustCompile(pattern).MatchString(out) {
			t.Errorf("%q: printed %q, want %q", flags, out, want)
		}
		if quiet := must(t, "svm-train", append(strings.Fields(flags+" -q"), iris, model)...); quiet != "" {
			t.Errorf("-q printed %q", quiet)
		}
		must(t, "svm-predict", iris, model, labels)
	}
	for _, tt := range []struct{ flags, predict, printed, first string }{
		{"-q", "", "Accuracy = 98.6667% (148/150) (classification)\n", "1"},
		{"-q -b 1", "", "Model supports probability estimates, but disabled in prediction.\n" +
			"Accuracy = 98.6667% (148/150) (classification)\n", "1"},
		{"-q -b 1", "-b 1", "Accuracy = 9", "labels 1 2 3"},
		{"-q -b 1", "-b 1 -q", "", "labels 1 2 3"},
		{"-q -s 3 -c 2", "", "Mean squared error = 0.0234", "0.94"},
		{"-q -s 2", "", "Accuracy = 14.6667% (22/150) (classification)\n", "1"},
	} {
		must(t, "svm-train", append(strings.Fields(tt.flags), iris, model)...)
		out := must(t, "svm-predict", append(strings.Fields(tt.predict), iris, model, labels)...)
		text, err := os.ReadFile(labels)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if !strings.HasPrefix(out, tt.printed) || (tt.printed == "") != (out == "") ||
			!strings.HasPrefix(lines[0], tt.first) {
			t.Errorf("%q then %q: printed %q, first line %q", tt.flags, tt.predict, out, lines[0])
		}
		if strings.HasPrefix(tt.first, "labels") && (len(lines) != 151 || len(strings.Fields(lines[1])) != 4) {
			t.Errorf("%d lines, the second %q", len(lines), lines[1])
		}
	}
}

// svm-train stops by LIBSVM's rule alone, also where C is so large that the duality gap is wide and train goes on.
func TestTrainKeepsLIBSVMsRule(t *testing.T) {
	set, err := dataset.ReadFile(testutil.Testdata(t, "ionosphere.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	steps := func(by learn.Trainer) (steps int, st status.Status) {
		_, r, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: by, Kernel: gram.RBF(0.3)})
		if err != nil {
			t.Fatal(err)
		}
		return r.Submodels[0].Report.InnerIterations, r.Status
	}
	rule, wide := steps(svc.ByLIBSVM(svc.Trainer{C: 1e4}))
	further, narrow := steps(svc.Trainer{C: 1e4})
	if wide != status.GapOpen || narrow != status.Optimal || further <= rule {
		t.Fatalf("%v after %d steps by the rule, %v after %d", wide, rule, narrow, further)
	}
	out := must(t, "svm-train", "-c", "1e4", "-g", "0.3", testutil.Testdata(t, "ionosphere.libsvm"),
		filepath.Join(t.TempDir(), "m"))
	if want := fmt.Sprintf("#iter = %d\n", rule); !strings.Contains(out, want) {
		t.Errorf("printed %q, want %q", out, want)
	}
}

// Samples of which most are 0 are predicted as with every zero stored, by a linear model and by one that reads all.
func TestPredictSparse(t *testing.T) {
	dir := t.TempDir()
	data, file, labels := filepath.Join(dir, "few"), filepath.Join(dir, "m"), filepath.Join(dir, "labels")
	text := strings.Repeat("1 1:1 17:2\n-1 3:1 40:0.5\n1 2:1\n-1 2:0.5 3:0.2\n", 20)
	if err := os.WriteFile(data, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	full, err := dataset.ReadFile(data, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, kernel := range []string{"0", "2"} {
		must(t, "svm-train", "-q", "-s", "3", "-t", kernel, data, file)
		clf, err := model.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, full.N)
		clf.DecideBatch(want, full.X, full.N, 1)
		must(t, "svm-predict", data, file, labels)
		lines, err := os.ReadFile(labels)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Fields(string(lines)) {
			if v, err := strconv.ParseFloat(line, 64); err != nil || v != want[i] {
				t.Errorf("kernel %s, sample %d: %s, want %v", kernel, i, line, want[i])
			}
		}
	}
}

// Scaled samples are written as LIBSVM writes them, by a range file too, which may have more features than the samples.
func TestScale(t *testing.T) {
	iris, saved := testutil.Testdata(t, "iris.libsvm"), filepath.Join(t.TempDir(), "range")
	out := must(t, "svm-scale", "-l", "0", "-s", saved, iris)
	const first = "1 1:0.222222 2:0.625 3:0.0677966 4:0.0416667 \n1 1:0.166667 2:0.416667 3:0.0677966 4:0.0416667 \n"
	if !strings.HasPrefix(out, first) {
		t.Errorf("scaled: %q", out[:100])
	}
	if again := must(t, "svm-scale", "-r", saved, iris); again != out {
		t.Error("samples scaled by the range file are others")
	}
	// Targets too, and the index 0, which range files do not have.
	odd := writtenFile(t, "2.5 0:1 1:4\n0.5 1:2\n1 0:3 1:3\n")
	code, scaled, _ := tool(t, "svm-scale", "-y", "0", "1", "-s", saved+"y", odd)
	if again := "1 0:-1 1:1 \n0 1:-1 \n0.25 0:1 \n"; code != 0 || scaled != again {
		t.Errorf("targets and index 0: status %d, %q", code, scaled)
	}
	code, restored, _ := tool(t, "svm-scale", "-r", saved+"y", odd)
	text, err := os.ReadFile(saved + "y")
	if code != 0 || restored != scaled || string(text) != "y\n0 1\n0.5 2.5\nx\n-1 1\n1 2 4\n" {
		t.Errorf("restored: status %d, %q, %q, %v", code, restored, text, err)
	}
	short := filepath.Join(t.TempDir(), "short")
	if err := os.WriteFile(short, []byte("2 1:5.1 2:3.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// The third feature's least value is 1, the fourth's 0.1: an absent 0 is scaled as well.
	if got := must(t, "svm-scale", "-r", saved, short); got != "2 1:0.222222 2:0.625 3:-0.169492 4:-0.0416667 \n" {
		t.Errorf("a short row: %q", got)
	}
}

// Wrong usage and what is not there end with status 1, and say so.
func TestRefuses(t *testing.T) {
	iris, dir := testutil.Testdata(t, "iris.libsvm"), t.TempDir()
	model := filepath.Join(dir, "m")
	must(t, "svm-train", "-q", iris, model)
	for _, tt := range []struct{ command, stdout, stderr string }{
		{"svm-train", "Usage: svm-train", ""},
		{"svm-train -c", "Usage: svm-train", ""},
		{"svm-train -q", "Usage: svm-train", ""},
		{"svm-train IRIS a b", "Usage: svm-train", ""},
		{"svm-train -z 1 IRIS", "Usage: svm-train", "unknown option: -z"},
		{"svm-train -w 1 IRIS", "Usage: svm-train", "unknown option: -w"},
		{"svm-train -cc 1 IRIS", "Usage: svm-train", "unknown option: -cc"},
		{"svm-train -c x IRIS", "", `svm-train: -c: found "x", want a number`},
		{"svm-train -c nan IRIS", "", `svm-train: -c: found "nan", want a number`},
		{"svm-train -s 5 IRIS", "", "ERROR: unknown svm type\n"},
		{"svm-train -v 1 IRIS", "", "svm-train: -v: found 1, want at least 2"},
		{"svm-train -c -1 IRIS", "", "ERROR: C <= 0\n"},
		{"svm-train -w1 x IRIS", "Usage: svm-train", `-w1: found "x", want a number`},
		{"svm-train nowhere", "", "svm-train: open nowhere"},
		{"svm-predict IRIS MODEL", "Usage: svm-predict", ""},
		{"svm-predict IRIS IRIS OUT", "", "svm-predict: "},
		{"svm-predict -b 1 IRIS MODEL OUT", "", "svm-predict: -b 1: model: no probabilities"},
		{"svm-scale", "Usage: svm-scale", ""},
		{"svm-scale -y 0 x IRIS", "", `svm-scale: -y: found "x", want a number`},
		{"svm-scale -y 1 0 IRIS", "", "svm-scale: inconsistent lower/upper specification"},
		{"svm-scale -l 1 -u 0 IRIS", "", "svm-scale: inconsistent lower/upper specification"},
		{"svm-scale -r a -s b IRIS", "", "svm-scale: cannot use -r and -s simultaneously"},
		{"svm-scale -r MODEL IRIS", "", "svm-scale: "},
	} {
		names := strings.NewReplacer("IRIS", iris, "MODEL", model, "OUT", filepath.Join(dir, "out"))
		args := strings.Fields(names.Replace(tt.command))
		code, stdout, stderr := tool(t, args[0], args[1:]...)
		if code != 1 || !strings.HasPrefix(stdout, tt.stdout) || (tt.stdout == "") != (stdout == "") ||
			!strings.HasPrefix(stderr, tt.stderr) || (tt.stderr == "") != (stderr == "") {
			t.Errorf("%s: status %d, %q, %q", tt.command, code, stdout, stderr)
		}
	}
	code, _, warning := tool(t, "svm-train", "-w9", "2", "-q", iris, model)
	if code != 0 || warning != "WARNING: class label 9 specified in weight is not found\n" {
		t.Errorf("weight of no class: status %d, %q", code, warning)
	}
}

func TestCalled(t *testing.T) {
	for program, want := range map[string]string{
		"/usr/bin/svm-train": "svm-train", "svm-scale": "svm-scale", "svm-predict.exe": "svm-predict", "sparsekm": "", "": "",
	} {
		if got := svmtools.Called(program); got != want {
			t.Errorf("called %q: %q, want %q", program, got, want)
		}
	}
}

// Debian's svm-grid finds with our commands the cell that it finds with LIBSVM's, and reads what we print.
func TestGrid(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command and runs three searches")
	}
	grid, theirs := testutil.Program(t, "svm-grid"), testutil.Program(t, "svm-train")
	dir := t.TempDir()
	ours := filepath.Join(dir, "svm-train")
	build := exec.Command("go", "build", "-o", ours, "github.com/sparsekm/sparsekm/cmd/sparsekm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, set := range []string{"ripley.train", "diabetis", "iris"} {
		var last [2]string
		for i, program := range []string{ours, theirs} {
			cmd := exec.Command(grid, "-log2c", "-3,5,4", "-log2g", "-7,1,4", "-v", "5", "-svmtrain", program,
				"-gnuplot", "null", "-out", "null", testutil.Testdata(t, set+".libsvm"))
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("svm-grid with %s: %v\n%s", program, err, out)
			}
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			last[i] = lines[len(lines)-1]
		}
		if last[0] != last[1] || len(strings.Fields(last[0])) != 3 {
			t.Errorf("%s: best cell %q, with LIBSVM's svm-train %q", set, last[0], last[1])
		}
	}
}
