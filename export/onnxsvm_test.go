package export_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/export"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/model"
)

// svmOf returns the file of a case with ONNX's operators for support vector machines, nil if they cannot express it.
func svmOf(t *testing.T, tc *testCase) []byte {
	t.Helper()
	var b bytes.Buffer
	err := export.Write(&b, tc.c, "onnx", export.Options{Name: "m", SVM: true})
	if errors.Is(err, export.ErrNoOperator) {
		return nil
	}
	if err != nil {
		t.Fatalf("%s: %v", tc.name, err)
	}
	return b.Bytes()
}

// expressible reports whether the operators have what the case needs.
func expressible(tc *testCase) bool {
	c := tc.c
	parts := c.Parts()
	pairs := c.Scheme() == model.Binary || c.Scheme() == model.OneVsOne
	return parts.Simple() && pairs && !strings.Contains(tc.name, "laplacian") && !strings.Contains(tc.name, "matern") &&
		!strings.Contains(tc.name, "weightedsum") &&
		!strings.Contains(tc.name, "rational") &&
		!slices.Contains([]string{"diabetis", "no_vectors", "one_class"}, tc.name)
}

// pairScores are the operator's scores by its definition: of each pair of classes, positive for the first.
func (m *onnxModel) pairScores(t *testing.T, x []float64) (scores []float64) {
	t.Helper()
	svm := m.nodes[len(m.nodes)-1]
	q := slices.Clone(x)
	if len(m.nodes) > 1 {
		for k := range q {
			q[k] = (q[k] - m.nodes[0].floats["offset"][k]) * m.nodes[0].floats["scale"][k]
		}
	}
	vectors, coef, params := svm.floats["support_vectors"], svm.floats["coefficients"], svm.floats["kernel_params"]
	if len(coef) == 0 {
		t.Fatal("a model without coefficients, which onnxruntime refuses")
	}
	n := len(vectors) / len(q)
	kernel := make([]float64, n)
	for i := range kernel {
		dot, distance := 0.0, 0.0
		for k, v := range vectors[i*len(q) : (i+1)*len(q)] {
			dot += q[k] * v
			distance += (q[k] - v) * (q[k] - v)
		}
		switch svm.texts["kernel_type"][0] {
		case "LINEAR":
			kernel[i] = dot
		case "RBF":
			kernel[i] = math.Exp(-params[0] * distance)
		case "POLY":
			kernel[i] = math.Pow(params[0]*dot+params[1], params[2])
		case "SIGMOID":
			kernel[i] = math.Tanh(params[0]*dot + params[1])
		}
	}
	counts := svm.attr["vectors_per_class"]
	if svm.op == "SVMRegressor" {
		s := svm.floats["rho"][0]
		for i, k := range kernel {
			s += coef[i] * k
		}
		return []float64{s}
	}
	start := make([]int, len(counts)+1)
	for c, count := range counts {
		start[c+1] = start[c] + count
	}
	for a := range counts {
		for b := a + 1; b < len(counts); b++ {
			s := svm.floats["rho"][len(scores)]
			for i := start[a]; i < start[a+1]; i++ {
				s += coef[(b-1)*n+i] * kernel[i]
			}
			for i := start[b]; i < start[b+1]; i++ {
				s += coef[a*n+i] * kernel[i]
			}
			scores = append(scores, s)
		}
	}
	return scores
}

// ofPairs turns scores of the pairs (0, 1), (0, 2), ... into the decisions of the classifier's models.
func (tc *testCase) ofPairs(scores []float64) (f []float64) {
	if tc.values() {
		return scores
	}
	k := tc.c.NumClasses()
	for _, m := range tc.c.Parts().Submodels {
		a, b, sign := m.Pos, m.Neg, 1.0
		if a > b {
			a, b, sign = b, a, -1
		}
		f = append(f, sign*scores[a*(2*k-a-1)/2+b-a-1])
	}
	return f
}

// The operators, read by their definition, say what the classifier says, as far as single precision holds it; what
// they cannot express is refused.
func TestONNXSVM(t *testing.T) {
	cases := made(t)
	if !testing.Short() {
		cases = append(cases, trained(t)...)
	}
	worst, written := 0.0, 0
	for _, tc := range cases {
		b := svmOf(t, tc)
		if (b != nil) != expressible(tc) {
			t.Fatalf("%s: written %v, want %v", tc.name, b != nil, expressible(tc))
		}
		if b == nil || tc.name == "offset" { // 1e4 with a spread of 1 leaves three digits
			continue
		}
		written++
		m, d := readONNX(b), tc.c.NumFeatures()
		for i := range tc.n {
			want := tc.f[i*tc.c.NumSubmodels() : (i+1)*tc.c.NumSubmodels()]
			for j, got := range tc.ofPairs(m.pairScores(t, tc.x[i*d:(i+1)*d])) {
				scale := max(1, math.Abs(want[j]))
				worst = max(worst, math.Abs(got-want[j])/scale)
				testutil.Near(t, tc.name, got, want[j], 2e-5*scale)
			}
		}
	}
	smallest := 18
	if testing.Short() {
		smallest = 15 // of those that are made
	}
	if written < smallest {
		t.Errorf("%d models written, want %d", written, smallest)
	}
	t.Logf("%d models, largest difference %.2g", written, worst)
}

const svmProgram = `
import json, sys
import numpy, onnx, onnxruntime
cases = json.load(sys.stdin)
for c in cases:
    onnx.checker.check_model(c["File"], full_check=True)
    s = onnxruntime.InferenceSession(c["File"], providers=["CPUExecutionProvider"])
    out = s.run(None, {"x": numpy.array(c["X"], numpy.float32).reshape(c["N"], -1)})
    c["Scores"] = out[-1].astype(float).tolist()
    c["Labels"] = out[0].tolist() if len(out) > 1 else []
json.dump(cases, sys.stdout)
`

// onnxruntime says what the classifier says of rows in single precision, but for rows whose decision is nearly 0.
func TestONNXSVMRuntime(t *testing.T) {
	python := onnxPython(t)
	type asked struct {
		File   string
		N      int
		X      []float64
		Scores [][]float64
		Labels []string
	}
	var all []asked
	var cases []*testCase
	dir := t.TempDir()
	for _, tc := range append(made(t), trained(t)...) {
		b := svmOf(t, tc)
		if b == nil || tc.name == "offset" {
			continue
		}
		x := slices.Clone(tc.x)
		for i := range x {
			x[i] = float64(float32(x[i]))
		}
		cases = append(cases, newCase(t, tc.name, tc.c, x))
		all = append(all, asked{File: written(t, dir, len(all), b), N: tc.n, X: x})
	}
	exchange(t, python, svmProgram, &all)
	var score, probability float64
	labels, near := 0, 0
	for i, tc := range cases {
		s, p, l, nearly := tc.compareSVM(t, all[i].Scores, all[i].Labels)
		score, probability, labels, near = max(score, s), max(probability, p), labels+l, near+nearly
	}
	t.Logf("%d models, %d labels equal, %d of rows nearly between classes; largest difference of a score %.2g,"+
		" of a probability %.2g", len(cases), labels, near, score, probability)
}

// compareSVM compares what onnxruntime says; its scores of two classes are minus the pair's and the pair's.
func (tc *testCase) compareSVM(t *testing.T, scores [][]float64, labels []string) (score,
	probability float64, same, near int) {
	t.Helper()
	const tol = 1e-4
	m, k := tc.c.NumSubmodels(), tc.c.NumClasses()
	for i, row := range scores {
		want := tc.f[i*m : (i+1)*m]
		switch {
		case tc.probability != nil:
			for c, v := range row {
				probability = max(probability, math.Abs(v-tc.probability[i*k+c]))
				testutil.Near(t, tc.name+": probability", v, tc.probability[i*k+c], 0.01) // LIBSVM's iteration stops there
			}
		default:
			if k == 2 {
				row = row[1:]
			}
			for j, got := range tc.ofPairs(row) {
				scale := max(1, math.Abs(want[j]))
				score = max(score, math.Abs(got-want[j])/scale)
				testutil.Near(t, tc.name+": score", got, want[j], tol*scale)
			}
		}
		if tc.values() {
			continue
		}
		if slices.ContainsFunc(want, func(f float64) bool { return math.Abs(f) < tol }) {
			near++
			continue
		}
		if same++; labels[i] != tc.c.Label(tc.class[i]) {
			t.Errorf("%s: row %d is %q, want %q", tc.name, i, labels[i], tc.c.Label(tc.class[i]))
		}
	}
	return score, probability, same, near
}

func TestONNXSVMRefuses(t *testing.T) {
	for _, tc := range made(t) {
		if expressible(tc) {
			continue
		}
		err := export.Write(&bytes.Buffer{}, tc.c, "onnx", export.Options{SVM: true})
		if err == nil || !strings.HasPrefix(err.Error(), "export: beyond ONNX's operators for support vector machines: ") {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	tc := made(t)[0]
	if err := export.Write(&bytes.Buffer{}, tc.c, "c", export.Options{SVM: true}); err == nil {
		t.Error("C with ONNX's operators")
	}
}
