package svmtools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// written trains on a file of that text and returns the model.
func written(t *testing.T, text string, flags ...string) string {
	t.Helper()
	data := writtenFile(t, text)
	file := data + ".model"
	must(t, "svm-train", append(append([]string{"-q"}, flags...), data, file)...)
	model, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(model)
}

// Classes stand in the order in which they appear, but for −1 before 1; the first is positive.
func TestOrder(t *testing.T) {
	for _, tt := range []struct{ data, label, first string }{
		{"0 1:1\n1 1:3\n", "0 1", "0.5"},
		{"1 1:1\n0 1:3\n", "1 0", "0.5"},
		{"-1 1:1\n1 1:3\n", "1 -1", "0.5"},
		{"1 1:1\n-1 1:3\n", "1 -1", "0.5"},
		{"-1 1:1\n+2 1:3\n", "-1 2", "0.5"},
		{"2 1:1\n0 1:3\n1 1:5\n", "2 0 1", "0.5"},
		{"-1 1:1\n1 1:3\n0 1:9\n", "-1 1 0", "0.5"},
	} {
		model := written(t, tt.data, "-t", "0")
		_, vectors, _ := strings.Cut(model, "SV\n")
		if !strings.Contains(model, "\nlabel "+tt.label+"\n") || !strings.HasPrefix(vectors, tt.first) {
			t.Errorf("%q: %s", tt.data, model)
		}
	}
}

// Of equal votes the first class of the file wins: three classes in a circle have one each.
func TestOrderOfVotes(t *testing.T) {
	for _, labels := range []string{"1 2 3", "3 1 2", "2 3 1"} {
		first, _, _ := strings.Cut(labels, " ")
		model := "svm_type c_svc\nkernel_type linear\nnr_class 3\ntotal_sv 0\nrho -1 1 -1\nlabel " + labels +
			"\nnr_sv 0 0 0\nSV\n"
		data, file := writtenFile(t, first+" 1:1\n"), writtenFile(t, model)
		out := must(t, "svm-predict", data, file, data+".out")
		if out != "Accuracy = 100% (1/1) (classification)\n" {
			t.Errorf("%s: %q", labels, out)
		}
	}
}

// Zeros are parameters as others are: LIBSVM refuses them in these words. Weights of one class multiply.
func TestParameters(t *testing.T) {
	const data = "1 1:1\n-1 1:-1\n1 1:2\n-1 1:0.5\n"
	file := writtenFile(t, data)
	for flags, want := range map[string]string{
		"-c 0": "C <= 0", "-s 3 -c -1": "C <= 0", "-e 0": "eps <= 0", "-m 0": "cache_size <= 0",
		"-s 1 -n 0": "nu <= 0 or nu > 1", "-s 2 -n 1.5": "nu <= 0 or nu > 1", "-s 3 -p -1": "p < 0", "-g -1": "gamma < 0",
		"-t 1 -d -1": "degree of polynomial kernel < 0", "-t 5": "unknown kernel type", "-s -1": "unknown svm type",
		"-h 2": "shrinking != 0 and shrinking != 1", "-b 2": "probability != 0 and probability != 1",
		"-s 0 -n 0": "", "-p -1": "", "-s 2 -c 0": "", "-t 0 -g -1": "", "-t 2 -d -1": "",
	} {
		code, _, errs := tool(t, "svm-train", append(strings.Fields(flags), file, file+".model")...)
		if want != "" && (code != 1 || errs != "ERROR: "+want+"\n") || want == "" && (code != 0 || errs != "") {
			t.Errorf("%s: status %d, %q, want %q", flags, code, errs, want)
		}
	}
	unequal := writtenFile(t, "1 1:1\n2 1:2\n2 1:3\n2 1:4\n")
	code, _, errs := tool(t, "svm-train", "-s", "1", "-n", "0.9", "-q", unequal, file+".model")
	if code != 1 || errs != "ERROR: specified nu is infeasible\n" {
		t.Errorf("ν of unequal classes: status %d, %q", code, errs)
	}
	six := written(t, data, "-c", "0.1", "-t", "0", "-w1", "6")
	if twice := written(t, data, "-c", "0.1", "-t", "0", "-w1", "2", "-w+1", "3"); twice != six {
		t.Errorf("weights 2 and 3:\n%s\nweight 6:\n%s", twice, six)
	}
}

func writtenFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A fold without a class trains on the others, and one with a single class predicts that one.
func TestFoldsWithoutClasses(t *testing.T) {
	for data, want := range map[string]string{
		"1 1:1\n2 1:2\n":                 "0%",
		"1 1:1\n1 1:1\n2 1:5\n":          "66.6667%",
		"1 1:1\n2 1:5\n3 1:9\n3 1:9.5\n": "50%",
	} {
		_, out, _ := tool(t, "svm-train", "-q", "-c", "10", "-g", "1", "-v", "9", writtenFile(t, data))
		if out != "Cross Validation Accuracy = "+want+"\n" {
			t.Errorf("%q: %q", data, out)
		}
	}
}
