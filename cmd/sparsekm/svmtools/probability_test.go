package svmtools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Probabilities are LIBSVM's, since the folds are: recorded from LIBSVM 3.37 on iris.
func TestProbabilities(t *testing.T) {
	iris, dir := testutil.Testdata(t, "iris.libsvm"), t.TempDir()
	file, out := filepath.Join(dir, "m"), filepath.Join(dir, "out")
	for _, tt := range []struct{ flags, key, want, printed, lines string }{
		{"", "probA", "-3.502220982220515 -3.7290445315396288 -3.2993064368977767",
			"Accuracy = 98.6667% (148/150) (classification)\n", "labels 1 2 3\n1 0.971688 0.0143122 0.0139996\n"},
		{"-s 3", "probA", "0.11971426869370679",
			"Prob. model for test data: target value = predicted value + z,\n" +
				"z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma=0.119714\nMean squared error = 0.0246627 (regression)\n" +
				"Squared correlation coefficient = 0.963242 (regression)\n", "0.96727587957577477\n"},
		{"-s 2", "prob_density_marks", "-7.4484763959646596 -2.7173899335304412 -1.2360163656214489 -0.48929907581562126 " +
			"-0.13737639541994362 0.20574644851363644 0.51644386900654027 0.80690830449816708 1.2978467889442094 2.0597373815143118",
			"Accuracy = 14.6667% (22/150) (classification)\n", "label normal outlier\n1 0.6 0.4\n-1 0.4 0.6\n"},
	} {
		must(t, "svm-train", append(strings.Fields(tt.flags), "-q", "-b", "1", iris, file)...)
		model, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, line, _ := strings.Cut(string(model), tt.key+" ")
		line, _, _ = strings.Cut(line, "\n")
		if !close(line, tt.want, 1e-3) {
			t.Errorf("%s: %s, want %s", tt.flags, line, tt.want)
		}
		printed := must(t, "svm-predict", "-b", "1", iris, file, out)
		lines, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		first := strings.Join(strings.SplitAfter(string(lines), "\n")[:strings.Count(tt.lines, "\n")], "")
		if !close(printed, tt.printed, 1e-4) || !close(first, tt.lines, 1e-3) {
			t.Errorf("%s: printed %q, %q", tt.flags, printed, first)
		}
	}
	for flags, want := range map[string]string{"": "97.3333%", "-c 0.1": "95.3333%"} {
		args := append(strings.Fields(flags), "-q", "-v", "5", "-b", "1", iris)
		if got := must(t, "svm-train", args...); got != "Cross Validation Accuracy = "+want+"\n" {
			t.Errorf("%s: %q", flags, got)
		}
	}
}

// One class with too few samples on a side has no probabilities, and says so.
func TestFewInliers(t *testing.T) {
	file := writtenFile(t, strings.Repeat("1 1:1\n1 1:2\n", 4))
	code, _, errs := tool(t, "svm-train", "-s", "2", "-b", "1", "-q", file, file+".model")
	if code != 0 || !strings.HasPrefix(errs, "WARNING: number of positive or negative decision values <5;") {
		t.Errorf("status %d, %q", code, errs)
	}
	code, _, errs = tool(t, "svm-predict", "-b", "1", file, file+".model", file+".out")
	if code != 1 || !strings.Contains(errs, "no probabilities") {
		t.Errorf("status %d, %q", code, errs)
	}
}

// Where rounding stops the solver before its tolerance, a larger one gives LIBSVM's model: three places have two
// targets.
func TestTighterThanRounding(t *testing.T) {
	data := filepath.Join("testdata", "nusvr.libsvm")
	out := must(t, "svm-train", "-s", "4", "-e", "1e-5", "-c", "30", "-n", "0.13", data, filepath.Join(t.TempDir(), "m"))
	words := strings.Fields(out)
	if got := strings.Join(words[6:13], " "); !close(got, "epsilon = 0.484698 obj = -55.159760, rho", 1e-3) {
		t.Errorf("%q", got)
	}
}
