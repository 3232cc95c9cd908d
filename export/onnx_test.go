package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/export"
)

// onnxOf returns the file of a case.
func onnxOf(t *testing.T, tc *testCase) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := export.Write(&b, tc.c, "onnx", export.Options{Name: "m"}); err != nil {
		t.Fatalf("%s: %v", tc.name, err)
	}
	return b.Bytes()
}

// classesOf turns labels into classes.
func classesOf(tc *testCase, labels []string) []int {
	class := make([]int, len(labels))
	for i, l := range labels {
		class[i] = slices.Index(tc.c.Labels(), l)
	}
	return class
}

// The operators of a file, read by their definitions, say what the classifier says.
func TestONNX(t *testing.T) {
	cases := made(t)
	if !testing.Short() {
		cases = append(cases, trained(t)...)
	}
	for _, tc := range cases {
		m := readONNX(onnxOf(t, tc))
		want := []string{"label", "decisions"}
		if tc.values() {
			want = want[1:]
		}
		if tc.probability != nil {
			want = append(want, "probabilities")
		}
		covering := map[bool]string{true: "interval", false: "set"}[tc.values()]
		if tc.sets != nil {
			want = append(want, covering)
		}
		if m.ir != 7 || m.opset != 13 || !slices.Equal(m.inputs, []string{"x"}) || !slices.Equal(m.outputs, want) {
			t.Fatalf("%s: format %d, operators %d, inputs %q, outputs %q", tc.name, m.ir, m.opset, m.inputs, m.outputs)
		}
		at := m.run(tc.x, tc.n, tc.c.NumFeatures())
		var probability []float64
		if tc.probability != nil {
			probability = at["probabilities"].v
		}
		class := make([]int, tc.n)
		if !tc.values() {
			class = classesOf(tc, at["label"].text)
		}
		tc.check(t, at["decisions"].v, class, probability, 1e-12)
		if tc.sets != nil {
			tc.checkSets(t, at[covering].v, 1e-12)
		}
	}
}

// onnxProgram checks files and evaluates them by onnxruntime.
const onnxProgram = `
import json, sys
import numpy, onnx, onnxruntime
cases = json.load(sys.stdin)
for c in cases:
    onnx.checker.check_model(c["File"], full_check=True)
    s = onnxruntime.InferenceSession(c["File"], providers=["CPUExecutionProvider"])
    names = [o.name for o in s.get_outputs()]
    x = numpy.array(c["X"]).reshape(c["N"], -1)
    out = dict(zip(names, s.run(names, {"x": x})))
    c["F"], c["Labels"] = out["decisions"].ravel().tolist(), out["label"].tolist() if "label" in out else []
    for name in ("set", "interval"):
        c["S"] = out[name].astype(float).ravel().tolist() if name in out else c["S"]
    c["P"] = out["probabilities"].ravel().tolist() if "probabilities" in out else []
json.dump(cases, sys.stdout)
`

// onnxPython is a Python with ONNX's packages; without one, or in short runs, the test is skipped.
func onnxPython(t *testing.T) string {
	t.Helper()
	python := os.Getenv("SPARSEKM_PEERS")
	if python == "" || testing.Short() || exec.Command(python, "-c", "import onnx, onnxruntime").Run() != nil {
		t.Skip("SPARSEKM_PEERS names no Python with onnx and onnxruntime")
	}
	return python
}

// written puts a model into a file of its own.
func written(t *testing.T, dir string, number int, b []byte) string {
	t.Helper()
	file := filepath.Join(dir, fmt.Sprintf("%d.onnx", number))
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// exchange writes the cases for a Python program and reads its results.
func exchange(t *testing.T, python, program string, all any) {
	t.Helper()
	in, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", program)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err = json.Unmarshal(out, all); err != nil {
		t.Fatal(err)
	}
}

// onnx.checker passes every file, and onnxruntime says what the classifier says.
func TestONNXRuntime(t *testing.T) {
	python := onnxPython(t)
	type asked struct {
		File   string
		N      int
		X      []float64
		F, P   []float64
		S      []float64
		Labels []string
	}
	var all []asked
	cases, dir := append(made(t), trained(t)...), t.TempDir()
	for i, tc := range cases {
		all = append(all, asked{File: written(t, dir, i, onnxOf(t, tc)), N: tc.n, X: tc.x})
	}
	exchange(t, python, onnxProgram, &all)
	for i, tc := range cases {
		class := classesOf(tc, all[i].Labels)
		if tc.values() {
			class = make([]int, tc.n)
		}
		tc.check(t, all[i].F, class, all[i].P, 1e-12)
		tc.checkSets(t, all[i].S, 1e-12)
	}
}
