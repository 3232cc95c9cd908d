package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// pythonWithSklearn returns a Python that has scikit-learn: the one that
// SPARSEKM_PEERS names, or the system's. The test is skipped when there is none.
func pythonWithSklearn(t *testing.T) string {
	t.Helper()
	for _, python := range []string{os.Getenv("SPARSEKM_PEERS"), "/usr/bin/python3", "python3"} {
		if python != "" && exec.Command(python, "-c", "import sklearn.svm").Run() == nil {
			return python
		}
	}
	t.Skip("no Python with scikit-learn is installed")
	return ""
}

// snippet returns the first Python block of docs/guide/leave.md.
func snippet(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testutil.Root(t), "docs", "guide", "leave.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```python\n")
	code, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("docs/guide/leave.md has no Python block")
	}
	if n := strings.Count(code, "\n"); n > 20 {
		t.Errorf("the snippet has %d lines; at most 20 were promised", n)
	}
	return code
}

// sklearnCase is a fit in scikit-learn and what it gives.
type sklearnCase struct {
	Data, Expression, Model string
	F                       [][]float64 // decisions of every pair, positive for the first class
	Y                       []int       // predicted classes
}

const fitCases = `
import json, sys
import sklearn.svm as svm
from sklearn.datasets import load_svmlight_file
cases = json.load(sys.stdin)
for c in cases:
    X, y = load_svmlight_file(c["Data"])
    X.indices, X.indptr = X.indices.astype("int32"), X.indptr.astype("int32")
    if "dense" in c["Model"]:
        X = X.toarray()
    svc = eval(c["Expression"]).fit(X, y)
    save_libsvm(svc, c["Model"])
    svc.decision_function_shape = "ovo"
    f = svc.decision_function(X).reshape(X.shape[0], -1)
    c["F"] = (-f if len(svc.classes_) == 2 else f).tolist()
    c["Y"] = svc.predict(X).astype(int).tolist()
json.dump(cases, sys.stdout)
`

// The lines of docs/guide/leave.md write models that decide here as they do in scikit-learn.
func TestScikitLearnSnippet(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Python")
	}
	python, dir := pythonWithSklearn(t), t.TempDir()
	var cases []sklearnCase
	for name, expressions := range map[string][]string{
		"ripley.train.libsvm": {"svm.SVC(C=10, gamma=2)", "svm.NuSVC(nu=0.3)", "svm.SVC(kernel='sigmoid', gamma=0.1)"},
		"iris.libsvm":         {"svm.SVC()", "svm.SVC(kernel='poly', degree=2, coef0=1)", "svm.SVC(kernel='linear')", "svm.NuSVC(nu=0.2, gamma=1)"},
	} {
		for i, expression := range expressions {
			for _, storage := range []string{"dense", "sparse"} {
				model := filepath.Join(dir, fmt.Sprintf("%s-%d-%s.model", name, i, storage))
				cases = append(cases, sklearnCase{Data: testutil.Testdata(t, name), Expression: expression, Model: model})
			}
		}
	}
	in, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", snippet(t)+fitCases)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &cases); err != nil {
		t.Fatal(err)
	}
	for _, tt := range cases {
		t.Run(filepath.Base(tt.Model)+"/"+tt.Expression, func(t *testing.T) { checkSklearn(t, tt) })
	}
}

func checkSklearn(t *testing.T, want sklearnCase) {
	s, err := dataset.ReadFile(want.Data, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Load(want.Model)
	if err != nil {
		t.Fatal(err)
	}
	if nu := strings.Contains(want.Expression, "Nu"); nu != (c.Method() == "nu-svc") {
		t.Errorf("method %s", c.Method())
	}
	p, f := c.Parts(), make([]float64, c.NumSubmodels())
	for i := range s.N {
		c.DecideTo(f, s.Row(i))
		for j := range f {
			if _, size := decideByDefinition(&p, &p.Submodels[j], s.Row(i)); !testutil.Within(f[j], want.F[i][j], 1e-12*size) {
				t.Fatalf("row %d, decision %d: %v, scikit-learn has %v", i, j, f[j], want.F[i][j])
			}
		}
		if got := c.Label(c.Predict(s.Row(i))); got != fmt.Sprint(want.Y[i]) {
			t.Fatalf("row %d: class %s, scikit-learn has %d", i, got, want.Y[i])
		}
	}
}
