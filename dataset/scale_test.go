package dataset

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

func TestFitZ(t *testing.T) {
	s := Ringnorm(500, 1)
	for i := range s.N { // a constant, a huge offset, tiny and huge units
		s.Row(i)[0] = 0.1
		s.Row(i)[1] += 1e9
		s.Row(i)[2] *= 1e-300
		s.Row(i)[3] *= 1e300
	}
	sc, err := FitZ(s)
	if err != nil {
		t.Fatal(err)
	}
	z := sc.Apply(s)
	for k := range s.D {
		var sum, sq float64
		for i := range s.N {
			sum += z.Row(i)[k]
			sq += z.Row(i)[k] * z.Row(i)[k]
		}
		mean, variance := sum/float64(s.N), sq/float64(s.N)
		if k == 0 {
			if mean != 0 || variance != 0 {
				t.Error("the constant feature is not 0")
			}
			continue
		}
		tol := 1e-12
		if k == 1 {
			tol = 1e-6 // what an offset of 1e9 leaves of the numbers
		}
		if !(math.Abs(mean) <= tol) || !testutil.Within(variance, 1, tol) {
			t.Errorf("feature %d: mean %g, variance %g", k, mean, variance)
		}
	}
}

func TestFitMinMax(t *testing.T) {
	s := &Set{X: []float64{1, 7, -1, 3, 7, 0, 2, 7, 4}, N: 3, D: 3}
	sc, err := FitMinMax(s, -1, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{-1, 0, -1, 1, 0, -0.6, 0, 0, 1}
	testutil.NearAll(t, "scaled values", sc.Apply(s).X, want, 1e-15)
	var other [3]float64
	sc.ApplyTo(other[:], []float64{5, 100, -1})
	if other != [3]float64{3, 0, -1} {
		t.Errorf("outside the training range: %v", other)
	}
	for _, b := range [][2]float64{{1, 1}, {2, 1}, {math.NaN(), 1}, {0, math.Inf(1)}} {
		if _, err := FitMinMax(s, b[0], b[1]); err == nil {
			t.Errorf("scaled to %v", b)
		}
	}
	wide := &Set{X: []float64{-1.5e308, 1.5e308}, N: 2, D: 1}
	if _, err := FitMinMax(wide, 0, 1); err == nil {
		t.Error("a range beyond float64 was scaled")
	}
}

func TestRangeFileRoundTrip(t *testing.T) {
	s, err := ReadFile(testutil.Testdata(t, "ionosphere.libsvm"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []ScaleKind{ScaleMinMax, ScaleZ} {
		sc, err := Fit(t.Context(), s, kind)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err = sc.WriteRange(&b); err != nil {
			t.Fatal(err)
		}
		back, err := ReadRange(&b, "f", s.D)
		if err != nil {
			t.Fatal(err)
		}
		want, got := sc.Apply(s), back.Apply(s)
		for i, v := range want.X {
			if !testutil.Within(v, got.X[i], 1e-14*math.Max(1, math.Abs(v))) {
				t.Fatalf("%v: value %d is %v after the round trip, %v before", kind, i, got.X[i], v)
			}
		}
	}
}

func TestReadRangeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "f:1: found the end of the file, want x, then lower and upper",
		"x\n":                  "f:1: found the end of the file, want x, then lower and upper",
		"1 2\n":                `f:1: found "1 2", want x`,
		"y\n0 1\n0 1\n":        "f:1: found a scaling of labels, want x (class labels are not scaled)",
		"x\n0\n":               "f:2: found 1 words, want lower upper",
		"x\n0 1\n1 2\n":        "f:3: found 2 words, want index min max",
		"x\n0 1\n1 2 nan\n":    `f:3: found "nan", want a finite number`,
		"x\n0 1\n3 0 1\n":      "f:3: found index 3, want ascending indices from 1 to 2",
		"x\n0 1\n1 0 1\n1 0 1": "f:4: found index 1, want ascending indices from 1 to 2",
		"x\n0 1\n1 2 1\n":      "f:3: found minimum 2 above maximum 1, want the smaller one first",
		"x\n1 0\n1 0 1\n":      "f: dataset: scaling to [1, 0]",
	} {
		if _, err := ReadRange(strings.NewReader(text), "f", 2); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// svm-scale prints six digits of what it scales.
func TestAgreesWithSVMScale(t *testing.T) {
	svmScale := testutil.Program(t, "svm-scale")
	file := testutil.Testdata(t, "ionosphere.libsvm")
	saved := t.TempDir() + "/range"
	out, err := exec.Command(svmScale, "-l", "-1", "-u", "2", "-s", saved, file).Output()
	if err != nil {
		t.Fatal(err)
	}
	s, err := ReadFile(file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := readLIBSVM(bytes.NewReader(out), "svm-scale", Options{Features: s.D})
	if err != nil {
		t.Fatal(err)
	}
	ours, err := FitMinMax(s, -1, 2)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(saved)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	theirs, err := ReadRange(f, saved, s.D)
	if err != nil {
		t.Fatal(err)
	}
	for name, sc := range map[string]*Scaling{"fitted": ours, "read": theirs} {
		testutil.NearAll(t, name+" against svm-scale", sc.Apply(s).X, want.X, 1e-5)
	}
}

// A fit and its use look at the context while they walk along the rows.
func TestScalingStops(t *testing.T) {
	s := Ringnorm(20000, 1)     // 400,000 values
	for questions := range 12 { // of the three passes over the rows
		if _, err := Fit(&counted{t.Context(), questions}, s, ScaleZ); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v after %d questions, want the context's", err, questions)
		}
	}
	sc, err := FitZ(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := sc.ApplyInPlace(&counted{t.Context(), 3}, sc.Apply(s)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

// counted is a context that ends after so many questions.
type counted struct {
	context.Context
	left int
}

func (c *counted) Err() error {
	if c.left--; c.left >= 0 {
		return nil
	}
	return context.Canceled
}

// TestInvert: what is scaled and inverted is what it was, constant features too.
func TestInvert(t *testing.T) {
	set := &Set{N: 3, D: 3, X: []float64{1, -5, 7, 2, 10, 7, 6, 3, 7}}
	z, err := FitZ(set)
	if err != nil {
		t.Fatal(err)
	}
	m, err := FitMinMax(set, -2, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Scaling{nil, z, m} {
		for i := range set.N {
			x := make([]float64, set.D)
			s.ApplyTo(x, set.Row(i))
			s.InvertTo(x, x)
			testutil.NearAll(t, "row", x, set.Row(i), 1e-14)
		}
	}
}
