package model

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

var recordLIBLINEAR = flag.Bool("liblinear", false, "record what Debian's liblinear-tools make of testdata")

const linearTwo = `solver_type L2R_LR
nr_class 2
label 7 -3
nr_feature 2
bias 0.5
w
1.5 
-2 
4 
`

const linearThree = `solver_type MCSVM_CS
nr_class 3
label 2 1 5
nr_feature 2
bias -1
w
1 2 3 
-4 -5 -6 
`

func TestReadLIBLINEAR(t *testing.T) {
	machine := func(pos, neg, vector int, bias float64) learn.Submodel {
		return learn.Submodel{Pos: pos, Neg: neg,
			Expansion: learn.Expansion{Support: []int{vector}, Coef: []float64{1}, Bias: bias}}
	}
	for _, tt := range []struct {
		text string
		want Parts
	}{
		{linearTwo, Parts{N: 1, D: 2, Vectors: []float64{1.5, -2}, Labels: []string{"7", "-3"}, Method: "l2r-lr",
			Submodels: []learn.Submodel{machine(0, 1, 0, 2)}, Platt: []Platt{{A: -1}}}},
		{linearThree, Parts{N: 3, D: 2, Vectors: []float64{1, -4, 2, -5, 3, -6}, Labels: []string{"2", "1", "5"}, Scheme: OneVsRest,
			Method: "mcsvm-cs", Submodels: []learn.Submodel{machine(0, learn.Rest, 0, 0), machine(1, learn.Rest, 1, 0), machine(2, learn.Rest, 2, 0)}}},
		{"solver_type MCSVM_CS\nnr_class 2\nlabel 1 -1\nnr_feature 1\nbias 1\nw\n3 -3\n2 -2\n",
			Parts{N: 1, D: 1, Vectors: []float64{3}, Labels: []string{"1", "-1"}, Method: "mcsvm-cs", Submodels: []learn.Submodel{machine(0, 1, 0, 2)}}},
		{"solver_type L2R_L1LOSS_SVR_DUAL\nnr_class 2\nnr_feature 1\nbias 1\nw\n3\n2\n", Parts{N: 1, D: 1, Vectors: []float64{3},
			Task: learn.Regress, Method: "l2r-l1loss-svr-dual", Submodels: []learn.Submodel{machine(0, learn.Rest, 0, 2)}}},
		// Versions from 2.40: the decision is w·x − rho.
		{"solver_type ONECLASS_SVM\nnr_class 2\nnr_feature 1\nbias -1\nrho 0.75\nw\n3\n", Parts{N: 1, D: 1, Vectors: []float64{3},
			Labels: OneClassLabels(), Task: learn.OneClass, Method: "oneclass-svm", Submodels: []learn.Submodel{machine(1, 0, 0, -0.75)}}},
	} {
		c, format, err := Read(strings.NewReader(tt.text), "f")
		if err != nil {
			t.Fatal(err)
		}
		tt.want.Kernel = gram.Linear()
		if d := cmp.Diff(tt.want, c.Parts(), cmpopts.EquateEmpty()); d != "" || format != "liblinear" {
			t.Error(format, d)
		}
	}
}

func TestReadLIBLINEARRefuses(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{"L2R_LR", "L3R_LR", `f:6: found solver_type "L3R_LR"`},
		{"L2R_LR", "L2R_L2LOSS_SVR", "found classes in a model of L2R_L2LOSS_SVR"},
		{"L2R_LR", "ONECLASS_SVM", "found 0 numbers of rho, want 1"},
		{"L2R_LR", "MCSVM_CS", "f:7: found 1 weights, want 2"},
		{"nr_class 2", "nr_class 1", `found nr_class "1"`},
		{"nr_class 2", "nr_class 3", "found 2 labels, want 3"},
		{"nr_class 2", "nr_class 2147483647", "found 2 labels"},
		{"label 7 -3", "label 7 7", `label "7" of class 1`},
		{"label 7 -3", "label 7 x", `found label "x"`},
		{"nr_feature 2", "nr_feature 0", `found nr_feature "0", want an integer from 1`},
		{"nr_feature 2", "nr_feature 3", "f:10: found the end of the file after 3 rows of weights, want 4"},
		{"nr_feature 2", "nr_feature 1", "f:9: found another line, want 2 rows of weights"},
		{"nr_feature 2", "nr_feature 2147483647", "found the end of the file after 3 rows"},
		{"bias 0.5", "bias nan", `found bias "nan", want a finite number`},
		{"bias 0.5\n", "", "found 0 numbers of bias"},
		{"bias 0.5\n", "bias 1\nbias 1\n", "f:6: found a second bias"},
		{"bias 0.5\n", "gamma 1\n", `f:5: found unknown key "gamma", want one of solver_type`},
		{"w\n1.5 \n-2 \n4 \n", "", "f:6: found the end of the file, want a line w"},
		{"1.5", "1e999", `found "1e999", want a finite number`},
		{"1.5", "x", `f:7: found "x"`},
		{"1.5", "", "f:7: found 0 weights, want 1"},
		{"4 \n", "4", "f:9: found the end of the file within a line"},
	} {
		text := strings.Replace(linearTwo, tt.old, tt.new, 1)
		if _, _, err := Read(strings.NewReader(text), "f"); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q for %q: %v, want %q", tt.new, tt.old, err, tt.want)
		}
	}
	wide := "solver_type L2R_LR\nnr_class 2\nlabel 1 2\nnr_feature 300000\nbias -1\nw\n" + strings.Repeat("0\n", 300000)
	c, err := readAs("liblinear", strings.NewReader(wide), "f", MaxBytes)
	if err != nil || c.NumFeatures() != 300000 {
		t.Error(err) // as large as its text deserves
	}
}

// linearCases are models of every solver that Debian's LIBLINEAR has.
var linearCases = []struct{ name, flags, data string }{
	{"iris-0", "-s 0 -B 1", "iris"}, {"iris-2", "-s 2", "iris"}, {"iris-4", "-s 4 -B 2", "iris"}, {"iris-6", "-s 6", "iris"},
	{"ripley-1", "-s 1 -B 1", "ripley.train"}, {"ripley-3", "-s 3", "ripley.train"}, {"ripley-4", "-s 4 -B 0.5", "ripley.train"},
	{"ripley-5", "-s 5 -B 1", "ripley.train"}, {"ripley-7", "-s 7 -B 1", "ripley.train"},
	{"diabetis-0", "-s 0 -B 1", "diabetis"}, {"ripley-11", "-s 11 -B 1", "ripley.train"}, {"ripley-12", "-s 12 -p 0.2", "ripley.train"},
	{"ripley-13", "-s 13 -B 1", "ripley.train"},
}

// TestAgreesWithRecordedLIBLINEAR compares with what LIBLINEAR said once.
func TestAgreesWithRecordedLIBLINEAR(t *testing.T) {
	var worst float64
	for _, c := range linearCases {
		if *recordLIBLINEAR {
			theirs, out := trainLIBLINEAR(t, c.flags, testutil.Testdata(t, c.data+".libsvm"))
			for file, b := range map[string][]byte{".model": theirs, ".decisions": firstLines(out, 40)} {
				if err := os.WriteFile(filepath.Join("testdata/liblinear", c.name+file), b, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		theirs, err := os.ReadFile(filepath.Join("testdata/liblinear", c.name+".model"))
		if err != nil {
			t.Fatal(err)
		}
		out, err := os.ReadFile(filepath.Join("testdata/liblinear", c.name+".decisions"))
		if err != nil {
			t.Fatal(err)
		}
		worst = max(worst, compareWithLIBLINEAR(t, c.name, theirs, out, c.data))
	}
	t.Logf("largest difference of a decision: %.2g", worst)
}

// TestAgreesWithLIBLINEAR compares with Debian's liblinear-tools, on all rows.
func TestAgreesWithLIBLINEAR(t *testing.T) {
	var worst float64
	for _, c := range linearCases {
		theirs, out := trainLIBLINEAR(t, c.flags, testutil.Testdata(t, c.data+".libsvm"))
		worst = max(worst, compareWithLIBLINEAR(t, c.name, theirs, out, c.data))
	}
	t.Logf("largest difference of a decision: %.2g", worst)
}

// trainLIBLINEAR returns the model file and what testdata/linear.c prints. What liblinear-predict predicts is the same.
func trainLIBLINEAR(t *testing.T, flags, data string) (theirs, out []byte) {
	t.Helper()
	train, predict := testutil.Program(t, "liblinear-train"), testutil.Program(t, "liblinear-predict")
	exe := filepath.Join(t.TempDir(), "linear")
	if text, err := exec.Command(testutil.Program(t, "gcc"), "-O2", "-ffp-contract=off", "-o", exe,
		"testdata/linear.c", "-llinear", "-lm").CombinedOutput(); err != nil {
		t.Skipf("liblinear-dev is not installed: %s", text)
	}
	file, predicted := filepath.Join(t.TempDir(), "theirs.model"), filepath.Join(t.TempDir(), "out")
	run(t, train, append(append([]string{"-q"}, strings.Fields(flags)...), data, file)...)
	run(t, predict, "-q", data, file, predicted)
	theirs, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	labels, err := os.ReadFile(predicted)
	if err != nil {
		t.Fatal(err)
	}
	out = run(t, exe, file, data)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i, label := range strings.Fields(string(labels)) {
		mine, err := strconv.ParseFloat(strings.Fields(lines[i])[0], 64)
		if err != nil || fmt.Sprintf("%.17g", mine) != label {
			t.Fatalf("row %d: liblinear-predict says %s, linear.c %v", i, label, mine)
		}
	}
	return theirs, out
}

func firstLines(b []byte, n int) []byte {
	return bytes.Join(append(bytes.SplitAfterN(b, []byte("\n"), n+1)[:n:n], nil), nil)
}

// compareWithLIBLINEAR returns the largest difference of a decision: labels are equal, decisions within 1e-12 and
// probabilities too.
func compareWithLIBLINEAR(t *testing.T, name string, theirs, out []byte, data string) (worst float64) {
	t.Helper()
	c, _, err := Read(bytes.NewReader(theirs), name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := dataset.ReadFile(testutil.Testdata(t, data+".libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i, line := range lines {
		var want []float64
		for _, word := range strings.Fields(line) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, v)
		}
		f := make([]float64, c.NumSubmodels())
		c.DecideTo(f, s.Row(i))
		for j, got := range f {
			worst = max(worst, math.Abs(got-want[1+j]))
			testutil.Near(t, fmt.Sprintf("%s: row %d, decision %d", name, i, j), got, want[1+j],
				1e-12*max(1, math.Abs(want[1+j])))
		}
		if c.Task() == learn.Classify {
			if got := c.Label(c.Predict(s.Row(i))); got != fmt.Sprint(want[0]) {
				t.Errorf("%s: row %d is %s, LIBLINEAR says %v", name, i, got, want[0])
			}
		}
		if c.Calibrated() == nil {
			p := make([]float64, c.NumClasses())
			c.Probabilities(p, s.Row(i))
			testutil.NearAll(t, fmt.Sprintf("%s: probabilities of row %d", name, i), p, want[len(want)-len(p):], 1e-12)
		}
	}
	return worst
}

// FuzzReadLIBLINEARModel reads LIBLINEAR's model files.
func FuzzReadLIBLINEARModel(f *testing.F) {
	f.Add([]byte(linearTwo))
	f.Add([]byte(linearThree))
	f.Add([]byte("solver_type ONECLASS_SVM\nnr_class 2\nnr_feature 1\nbias -1\nrho 0.75\nw\n3\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := readAs("liblinear", bytes.NewReader(data), "f", MaxBytes); err == nil {
			checkRead(t, c)
		}
	})
}

// TestForeign names files that are no models of ours.
func TestForeign(t *testing.T) {
	for _, c := range []struct{ head, want string }{
		{"\x80\x04\x95........", "f: found a pickle, want a model file: ours"}, {"\x78\x9c......", "as joblib writes"},
		{"\x08\x07\x12\x04skl2onnx", "an ONNX file"}, {"\x81\x03\x81\x01\x01\x10", "a file of dlib"}, {"SVM-light Version", "a model of SVMlight"},
		{"\x89HDF\r\n\x1a\n", "an HDF5 file"}, {"<?xml version", "an XML file"}, {"binf....", "a model of XGBoost"}, {"garbage!", `found "garbage!"`},
		{"\x1f\x8b\x08", "a gzip file"},
	} {
		if _, _, err := Read(strings.NewReader(c.head), "f"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.head, err, c.want)
		}
	}
}
