package export_test

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/export"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// host makes a C program of the headers of all cases: for lines of a case's number and the bits of a row's
// features in hexadecimal it prints decisions, class and probabilities.
func host(t *testing.T, dir string, cases []*testCase, o export.Options) (source string) {
	t.Helper()
	real := map[bool]string{true: "float", false: "double"}[o.Float]
	var b, table strings.Builder
	fmt.Fprintf(&b, "#include <stdio.h>\n#include <string.h>\n")
	for i, tc := range cases {
		o.Name = fmt.Sprintf("m%d", i)
		var header bytes.Buffer
		if err := export.Write(&header, tc.c, "c", o); err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, o.Name+".h"), header.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		probabilities := "0"
		if tc.probability != nil {
			probabilities = o.Name + "_probabilities"
		}
		sets, ends := "0", "0"
		switch {
		case tc.sets != nil && tc.values():
			ends = o.Name + "_interval"
		case tc.sets != nil:
			sets = o.Name + "_set"
		}
		fmt.Fprintf(&b, "#include \"%s.h\"\n", o.Name)
		if tc.values() { // a class of no name
			fmt.Fprintf(&b, "enum { %s_CLASSES = 1 };\nstatic const char *const %[1]s_labels[] = {\"\"};\n"+
				"static int %[1]s_class(const %s *x)\n{\n\treturn %[1]s_predict(x) != %[1]s_predict(x);\n}\n", o.Name, real)
		}
		predict := map[bool]string{true: "class", false: "predict"}[tc.values()]
		fmt.Fprintf(&table, "\t{%[1]s_FEATURES, %[1]s_MODELS, %[1]s_CLASSES, %[1]s_labels, %[1]s_decide, "+
			"%[1]s_%[3]s, %[2]s, %[4]s, %[5]s},\n", o.Name, probabilities, predict, sets, ends)
	}
	fmt.Fprintf(&b, `
static const struct {
	int d, m, k;
	const char *const *labels;
	void (*decide)(const %[1]s *, %[1]s *);
	int (*predict)(const %[1]s *);
	void (*probabilities)(const %[1]s *, %[1]s *);
	int (*set)(const %[1]s *, unsigned char *);
	void (*interval)(const %[1]s *, %[1]s *);
} models[] = {
%[2]s};

int main(void)
{
	static %[1]s x[1000], f[1000], p[1000];
	static unsigned char in[1000];
	int i, k, n;
	while (scanf("%%d", &i) == 1) {
		for (k = 0; k < models[i].d; k++) {
			double v;
			if (scanf("%%lf", &v) != 1)
				return 1;
			x[k] = (%[1]s)v;
		}
		models[i].decide(x, f);
		for (k = 0; k < models[i].m; k++)
			printf("%%.17g ", (double)f[k]);
		printf("%%d %%d", models[i].predict(x), (int)strlen(models[i].labels[models[i].predict(x)]));
		if (models[i].probabilities) {
			models[i].probabilities(x, p);
			for (k = 0; k < models[i].k; k++)
				printf(" %%.17g", (double)p[k]);
		}
		if (models[i].set) {
			n = models[i].set(x, in);
			for (k = 0; k < models[i].k; k++) {
				printf(" %%d", in[k]);
				n -= in[k];
			}
			if (n != 0)
				return 1;
		}
		if (models[i].interval) {
			models[i].interval(x, p);
			printf(" %%.17g %%.17g", (double)p[0], (double)p[1]);
		}
		printf("\n");
	}
	return 0;
}
`, real, table.String())
	source = filepath.Join(dir, "main.c")
	if err := os.WriteFile(source, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return source
}

// answersOf runs a program on all rows: a line has the number of a case and the features.
func answersOf(t *testing.T, program *exec.Cmd, cases []*testCase) *bufio.Scanner {
	t.Helper()
	var in, out bytes.Buffer
	for i, tc := range cases {
		d := tc.c.NumFeatures()
		for r := range tc.n {
			in.WriteString(strconv.Itoa(i))
			for _, v := range tc.x[r*d : (r+1)*d] {
				in.WriteString(" " + strconv.FormatFloat(v, 'g', -1, 64))
			}
			in.WriteByte('\n')
		}
	}
	program.Stdin, program.Stdout, program.Stderr = &in, &out, os.Stderr
	if err := program.Run(); err != nil {
		t.Fatal(err)
	}
	return bufio.NewScanner(&out)
}

// compareHost runs a program of [host]'s kind and compares what it prints.
func compareHost(t *testing.T, program *exec.Cmd, cases []*testCase, tol float64) {
	t.Helper()
	lines := answersOf(t, program, cases)
	for _, tc := range cases {
		var f, probability, sets []float64
		var class []int
		submodels := tc.c.NumSubmodels()
		for range tc.n {
			if !lines.Scan() {
				t.Fatalf("%s: the program ended", tc.name)
			}
			cells := strings.Fields(lines.Text())
			numbers := make([]float64, len(cells))
			for i, cell := range cells {
				v, err := strconv.ParseFloat(cell, 64)
				if err != nil {
					t.Fatalf("%s: %v", tc.name, err)
				}
				numbers[i] = v
			}
			k := int(numbers[submodels])
			label := ""
			if !tc.values() {
				label = tc.c.Label(k)
			}
			if got := int(numbers[submodels+1]); got != len(label) {
				t.Fatalf("%s: the label of class %d has %d bytes, want %q", tc.name, k, got, label)
			}
			f = append(f, numbers[:submodels]...)
			class = append(class, k)
			rest := numbers[submodels+2:]
			k = len(tc.probability) / tc.n
			probability = append(probability, rest[:k]...)
			sets = append(sets, rest[k:]...)
		}
		tc.check(t, f, class, probability, tol)
		tc.checkSets(t, sets, tol)
	}
}

// Headers compile without a warning as C99 and as C++, and say what the classifier says: to 1e-13 in double
// precision, with the same class for every row.
func TestC(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a hundred headers")
	}
	gcc := testutil.Program(t, "gcc")
	cases := slices.Concat(made(t), trained(t), classifiers(t))
	dir := t.TempDir()
	source, program := host(t, dir, cases, export.Options{}), filepath.Join(dir, "host")
	strict := []string{"-O1", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wsign-conversion", "-Werror", "-ffp-contract=off"}
	out, err := exec.Command(gcc, append(strict, "-std=c99", "-o", program, source, "-lm")...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	compareHost(t, exec.Command(program), cases, 1e-13)
	for _, other := range [][]string{{"clang", "-std=c99"}, {"g++", "-x", "c++"}, {"clang++", "-x", "c++"}} {
		path, err := exec.LookPath(other[0])
		if err != nil {
			t.Logf("%s is not installed", other[0])
			continue
		}
		args := append(append(append([]string{}, strict...), other[1:]...), "-fsyntax-only", source)
		if out, err = exec.Command(path, args...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", other[0], err, out)
		}
	}
}

// In single precision decisions differ by 2e-5, of themselves where they are larger than 1, and classes do not.
func TestCFloat(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a hundred headers")
	}
	gcc := testutil.Program(t, "gcc")
	var cases []*testCase
	for _, tc := range append(made(t), trained(t)...) {
		if tc.name != "offset" { // a float has no digits left for it
			cases = append(cases, tc)
		}
	}
	dir := t.TempDir()
	source, program := host(t, dir, cases, export.Options{Float: true}), filepath.Join(dir, "host")
	out, err := exec.Command(gcc, "-O1", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wsign-conversion", "-Werror",
		"-Wdouble-promotion", "-std=c99", "-o", program, source, "-lm").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	compareHost(t, exec.Command(program), cases, 2e-5)
}

// Names and numbers that a program cannot have are errors.
func TestRefuses(t *testing.T) {
	tc := made(t)[0]
	for want, o := range map[string]export.Options{
		`export: "a-b" cannot be a name`:                 {Name: "a-b"},
		`export: "return" cannot be a name`:              {Name: "return"},
		`export: go is written in double precision only`: {Name: "m", Float: true},
	} {
		target := "c"
		if o.Name == "m" {
			target = "go"
		}
		var b bytes.Buffer
		if err := export.Write(&b, tc.c, target, o); err == nil || !strings.HasPrefix(err.Error(), want) || b.Len() > 0 {
			t.Errorf("error %v, want %q; %d bytes were written", err, want, b.Len())
		}
	}
	p := tc.c.Parts()
	p.Submodels[0].Bias = math.MaxFloat64
	var b bytes.Buffer
	if err := export.Write(&b, build(t, p), "c", export.Options{Float: true}); err == nil || b.Len() > 0 {
		t.Errorf("a bias beyond float: error %v and %d bytes", err, b.Len())
	}
	if err := export.Write(&b, tc.c, "cobol", export.Options{}); err == nil || !strings.Contains(err.Error(), "want c, go, onnx") {
		t.Errorf("an unknown target: %v", err)
	}
}

func TestNameOf(t *testing.T) {
	for file, want := range map[string]string{
		"ripley.h": "ripley", "/a/b/my model-2.go": "my_model_2", "4.onnx": "model_4", "-": "model", "": "model",
		"_x.h": "model_x", "for.go": "model_for", `c:\m.h`: "m",
	} {
		if got := export.NameOf(file); got != want {
			t.Errorf("name of %q: %q, want %q", file, got, want)
		}
	}
}
