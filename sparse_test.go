package sparsekm_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
)

// words is n points of d features of which each has about ten, more often the first ones; the label, or the value,
// depends on a few of these. The last two points repeat the first two.
func words(n, d, classes int) *dataset.Set {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	x := make([]float64, n*d)
	s := &dataset.Set{N: n, D: d, Y: make([]int, n), Labels: []string{"1", "2", "3"}[:classes]}
	for i := range n {
		row := x[i*d : (i+1)*d]
		for range 10 {
			u := rng.Float64()
			row[int(u*u*u*float64(d))] += 0.3 + 0.1*rng.Float64()
		}
		sum := row[0] + row[1] + row[2] - row[3] - row[4] - row[5]
		switch {
		case sum > 0.2:
			s.Y[i] = classes - 1
		case sum < -0.2:
			s.Y[i] = 0
		default:
			s.Y[i] = (i + 1) % classes
		}
		if i >= n-2 {
			copy(row, x[(i+2-n)*d:][:d])
			s.Y[i] = s.Y[i+2-n]
		}
	}
	s.Sparse = csr.FromDense(x, n, d)
	return s
}

// TestSparseMethods trains every method that reads kernel values alone on rows that stay sparse and on the same rows
// with every zero stored: the machines decide the same.
func TestSparseMethods(t *testing.T) {
	for _, m := range sparsekm.Methods() {
		if !m.KernelOnly {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			set := words(90, 300, 2)
			if m.Takes(learn.Regress) && !m.Takes(learn.Classify) {
				set.Targets, set.Y, set.Labels = make([]float64, set.N), nil, nil
				for i := range set.Targets {
					index, value := set.Sparse.Row(i)
					for k, f := range index {
						set.Targets[i] += value[k] / float64(1+f)
					}
				}
			}
			var values learn.Values
			if m.Name == "nu-svc" {
				values = learn.Values{"nu": 0.3}
			}
			trainer, err := m.New(values)
			if err != nil {
				t.Fatal(err)
			}
			o := sparsekm.Options{Trainer: trainer, Kernel: gram.RBF(0.5)}
			thin, report, err := sparsekm.Train(t.Context(), set, o)
			if err != nil {
				t.Fatal(err)
			}
			if p := thin.Parts(); p.Sparse == nil || p.D != 300 || p.N != report.NumVectors || p.Kernel.Rows != nil {
				t.Errorf("parts %v of %d features, %d of %d vectors", p.Sparse, p.D, p.N, report.NumVectors)
			}
			whole, err := set.Dense(1 << 30)
			if err != nil {
				t.Fatal(err)
			}
			thick, _, err := sparsekm.Train(t.Context(), whole, o)
			if err != nil {
				t.Fatal(err)
			}
			tol := 2e-3
			if m.Name == "rvm-fast" { // its likelihood is flat where points are separable
				tol = 3e-2
			}
			f, g := make([]float64, set.N), make([]float64, set.N)
			thin.DecideSet(f, set, 0, set.N, 1)
			thick.DecideSet(g, whole, 0, set.N, 1)
			for i := range f {
				if !testutil.Within(f[i], g[i], tol*max(1, math.Abs(g[i]))) {
					t.Fatalf("row %d: %v for %v", i, f[i], g[i])
				}
			}
			if _, got := thin.NumVectors(), thick.NumVectors(); thin.NumVectors() > got+2 || got > thin.NumVectors()+2 {
				t.Errorf("%d vectors for %d", thin.NumVectors(), got)
			}
		})
	}
}

// TestSparseTraining holds what surrounds the methods against the same with every zero stored: several classes, absent
// and weighted points, γ by its rules, probabilities, a path along C, cross-validation's parts.
func TestSparseTraining(t *testing.T) {
	two, three := words(120, 500, 2), words(120, 500, 3)
	weight := make([]float64, 120)
	for i := range weight {
		weight[i] = float64(i%4) / 2
	}
	for name, c := range map[string]struct {
		set *dataset.Set
		o   sparsekm.Options
	}{
		"two":           {two, sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.RBF(1)}},
		"linear":        {two, sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.Linear()}},
		"ovr":           {three, sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.Poly(2, 1, 1)}},
		"ovo":           {three, sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.RBF(1), Scheme: model.OneVsOne}},
		"weights":       {three, sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.RBF(1), SampleWeight: weight}},
		"scale":         {two, sparsekm.Options{Trainer: svc.Trainer{}}},
		"median":        {two, sparsekm.Options{Trainer: svc.Trainer{}, Gamma: sparsekm.GammaMedian}},
		"absent":        {two, sparsekm.Options{Trainer: svc.Trainer{}, Gamma: sparsekm.GammaAuto, SampleWeight: weight}},
		"probabilities": {two, sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.RBF(1), Calibrate: 3}},
		"zscores":       {two, sparsekm.Options{Trainer: svc.Trainer{}, Scale: dataset.ScaleZ}},
		"direct":        {two, sparsekm.Options{Trainer: direct.Trainer{MaxSV: 2}, Kernel: gram.RBF(1)}},
		"laplacian":     {two, sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.Laplacian(1)}},
	} {
		t.Run(name, func(t *testing.T) {
			whole, err := c.set.Dense(1 << 30)
			if err != nil {
				t.Fatal(err)
			}
			thin, report, err := sparsekm.Train(t.Context(), c.set, c.o)
			if err != nil {
				t.Fatal(err)
			}
			thick, want, err := sparsekm.Train(t.Context(), whole, c.o)
			if err != nil {
				t.Fatal(err)
			}
			if dense := name == "zscores" || name == "direct" || name == "laplacian"; thin.Sparse() == dense {
				t.Errorf("sparse vectors: %v", thin.Sparse())
			}
			testutil.NearRel(t, "γ", report.Kernel.Gamma, want.Kernel.Gamma, 1e-12)
			if report.D != want.D || report.N != want.N || report.Kernel.Rows != nil {
				t.Errorf("%d points of %d features", report.N, report.D)
			}
			if p := thin.Parts(); p.Sparse != nil && !slices.Equal(p.Vector(0), c.set.Row(p.Rows[0])) {
				t.Error("the first vector is another row")
			}
			got, err := sparsekm.Evaluate(t.Context(), thin, c.set, 1)
			if err != nil {
				t.Fatal(err)
			}
			other, err := sparsekm.Evaluate(t.Context(), thick, whole, 1)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(other.Errors, got.Errors); diff != "" {
				t.Errorf("errors:\n%s", diff)
			}
			f, g := make([]float64, whole.N*thin.NumSubmodels()), make([]float64, whole.N*thin.NumSubmodels())
			thin.DecideSet(f, c.set, 0, whole.N, 1)
			thick.DecideSet(g, whole, 0, whole.N, 1)
			testutil.NearAll(t, "decisions", f, g, 2e-3)
			if (thin.Calibrated() == nil) != (c.o.Calibrate > 0) {
				t.Error("probabilities:", thin.Calibrated())
			}
		})
	}
}

// TestSparsePath: a path along C of sparse points is that of the same points with every zero stored.
func TestSparsePath(t *testing.T) {
	set := words(80, 400, 2)
	whole, err := set.Dense(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	o := sparsekm.Options{Trainer: ssvc.B{}, Kernel: gram.RBF(1)}
	c := []float64{0.1, 1, 10}
	thin, err := sparsekm.Path(t.Context(), set, o, c)
	if err != nil {
		t.Fatal(err)
	}
	thick, err := sparsekm.Path(t.Context(), whole, o, c)
	if err != nil || len(thin) != len(thick) || len(thin) == 0 {
		t.Fatalf("%d and %d points, %v", len(thin), len(thick), err)
	}
	for i, p := range thin {
		if !p.Classifier.Sparse() || p.C != thick[i].C || p.Classifier.NumVectors() != thick[i].Classifier.NumVectors() {
			t.Errorf("C = %v: %d vectors for %d", p.C, p.Classifier.NumVectors(), thick[i].Classifier.NumVectors())
		}
	}
}

// TestSparseRefused: what needs every feature says so where they do not fit.
func TestSparseRefused(t *testing.T) {
	set := words(90, 300, 2)
	set = set.Widen(1 << 22)
	for want, o := range map[string]sparsekm.Options{
		"scaling zscore moves features away from 0": {Trainer: svc.Trainer{}, Scale: dataset.ScaleZ},
		"direct reads features":                     {Trainer: direct.Trainer{}},
		"the laplacian kernel reads features":       {Trainer: svc.Trainer{}, Kernel: gram.Laplacian(1)},
		"a kernel that is made from the points":     {Trainer: svc.Trainer{}, LearnWidths: true},
		outside + " reads features":                 {Trainer: nearest{}, Kernel: gram.RBF(1)},
	} {
		o.Memory = 1 << 30
		if _, _, err := sparsekm.Train(t.Context(), set, o); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "GiB when every zero is stored") {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, _, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.Trainer{}, Memory: 16 << 20}); err != nil {
		t.Error("16 MiB are not enough for 90 points of ten features:", err)
	}
}
