package sparsekm_test

import (
	"errors"
	"fmt"
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
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/density"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
)

// TestAbsentPoints trains with every third point of weight 0, scaled and with γ by the rules,
// and wants the very classifier of the others alone; only row numbers are those of the whole set.
func TestAbsentPoints(t *testing.T) {
	iris, err := dataset.ReadFile(testutil.Testdata(t, "iris.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []*dataset.Set{ripley(t), iris} {
		weight, present := make([]float64, set.N), []int(nil)
		for i := range weight {
			if i%3 != 0 {
				weight[i], present = 1, append(present, i)
			} else {
				set.Row(i)[0] += 100 // seen, it would change scaling and γ a lot
			}
		}
		for _, gamma := range []sparsekm.GammaRule{sparsekm.GammaScale, prepare.GammaMedian} {
			for _, scale := range []dataset.ScaleKind{dataset.ScaleNone, dataset.ScaleZ, dataset.ScaleMinMax} {
				o := sparsekm.Options{Trainer: svc.Trainer{}, Scale: scale, Gamma: gamma}
				want, alone, err := sparsekm.Train(t.Context(), set.Subset(present), o)
				if err != nil {
					t.Fatal(err)
				}
				o.SampleWeight = weight
				got, report, err := sparsekm.Train(t.Context(), set, o)
				if err != nil {
					t.Fatal(err)
				}
				p, q := got.Parts(), want.Parts()
				for k, row := range q.Rows {
					q.Rows[k] = present[row]
				}
				if diff := cmp.Diff(q, p); diff != "" {
					t.Errorf("%v: another classifier:\n%s", scale, diff)
				}
				for k, m := range alone.Submodels {
					for s, row := range m.Support {
						if report.Submodels[k].Support[s] != present[row] {
							t.Fatalf("%v: support %v of model %d, want that of %v", scale, report.Submodels[k].Support, k, m.Support)
						}
					}
				}
				if !slices.Equal(report.Support, p.Rows) || report.N != set.N {
					t.Errorf("%v: the report has %d samples and rows %v", scale, report.N, report.Support)
				}
			}
		}
	}
}

// The models of a path name rows of the whole set too.
func TestAbsentPointsOfPath(t *testing.T) {
	set := ripley(t)
	o := sparsekm.Options{Trainer: ssvclp.B{}, SampleWeight: make([]float64, set.N)}
	for i := range set.N / 2 {
		o.SampleWeight[2*i+1] = 1
	}
	points, err := sparsekm.Path(t.Context(), set, o, []float64{0.1, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		for s, i := range p.Report.Support {
			if x := p.Classifier.Parts().Vectors[s*set.D:]; i%2 == 0 || !slices.Equal(x[:set.D], set.Row(i)) {
				t.Errorf("vector %d is not row %d of the set, or that has weight 0", s, i)
			}
		}
	}
}

// A set of absent samples is none, and samples that do not fit the budget are refused before they are scaled.
func TestRefusedPoints(t *testing.T) {
	set := ripley(t)
	o := sparsekm.Options{Trainer: svc.Trainer{}, SampleWeight: make([]float64, set.N)}
	if _, _, err := sparsekm.Train(t.Context(), set, o); !errors.Is(err, learn.ErrOneClass) {
		t.Errorf("error %v for samples that are all absent", err)
	}
	o.SampleWeight[7] = -1
	_, _, err := sparsekm.Train(t.Context(), set, o)
	if err == nil || !strings.Contains(err.Error(), "weight of sample 7") {
		t.Errorf("error %v for a negative weight", err)
	}
	o = sparsekm.Options{Trainer: svc.Trainer{}, Scale: dataset.ScaleZ, Memory: 8 * int64(len(set.X))}
	var refused *learn.BudgetError
	if _, _, err := sparsekm.Train(t.Context(), set, o); !errors.As(err, &refused) {
		t.Fatalf("error %v, want a budget's", err)
	}
	if smallest := o.Memory + o.Trainer.EstimateMemory(set.N, set.D); refused.Need <= smallest {
		t.Errorf("needs %d bytes, want more than %d: samples, estimate and signs", refused.Need, smallest)
	}
}

// TestAbsentPointsMoved does so with vectors that are no samples: there are no row numbers to map.
func TestAbsentPointsMoved(t *testing.T) {
	set := ripley(t)
	weight, present := make([]float64, set.N), []int(nil)
	for i := range weight {
		if i%3 != 0 {
			weight[i], present = 1, append(present, i)
		}
	}
	o := sparsekm.Options{Trainer: direct.Trainer{MaxSV: 4}}
	want, _, err := sparsekm.Train(t.Context(), set.Subset(present), o)
	if err != nil {
		t.Fatal(err)
	}
	o.SampleWeight = weight
	got, report, err := sparsekm.Train(t.Context(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Parts(), got.Parts()); diff != "" {
		t.Errorf("another classifier:\n%s", diff)
	}
	if report.Support != nil || len(report.Vectors) != 4*set.D {
		t.Errorf("row numbers %v and %d features of vectors, want none and %d", report.Support, len(report.Vectors), 4*set.D)
	}
}

// words is n samples of d features of which each has about ten, more often the first ones; the label, or the value,
// depends on a few of these. The last two samples repeat the first two.
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
// with every zero stored: the models decide the same.
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
			switch m.Name {
			case "nu-svc":
				values = learn.Values{"nu": 0.3}
			case "skm": // for less, no slack is left and rounding chooses among many models
				values = learn.Values{"c": 1.}
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
			if m.Name == "rvm-fast" { // its likelihood is flat where samples are separable
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
// and weighted samples, γ by its rules, probabilities, a path along C, cross-validation's parts.
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
		"median":        {two, sparsekm.Options{Trainer: svc.Trainer{}, Gamma: prepare.GammaMedian}},
		"absent":        {two, sparsekm.Options{Trainer: svc.Trainer{}, Gamma: prepare.GammaAuto, SampleWeight: weight}},
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
				t.Errorf("%d samples of %d features", report.N, report.D)
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

// TestSparsePath: a path along C of sparse samples is that of the same samples with every zero stored.
func TestSparsePath(t *testing.T) {
	set := words(80, 400, 2)
	whole, err := set.Dense(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	o := sparsekm.Options{Trainer: ssvclp.B{}, Kernel: gram.RBF(1)}
	c := []float64{0.1, 1, 10}
	thin, err := sparsekm.Path(t.Context(), set, o, c)
	if err != nil {
		t.Fatal(err)
	}
	thick, err := sparsekm.Path(t.Context(), whole, o, c)
	if err != nil || len(thin) != len(thick) || len(thin) == 0 {
		t.Fatalf("%d and %d samples, %v", len(thin), len(thick), err)
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
		"a kernel that is made from the samples":    {Trainer: svc.Trainer{}, LearnWidths: true},
		outside + " reads features":                 {Trainer: nearest{}, Kernel: gram.RBF(1)},
	} {
		o.Memory = 1 << 30
		if _, _, err := sparsekm.Train(t.Context(), set, o); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "GiB when every zero is stored") {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, _, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.Trainer{}, Memory: 16 << 20}); err != nil {
		t.Error("16 MiB are not enough for 90 samples of ten features:", err)
	}
}

// TestScaleTarget trains in units of the target's deviation s: that is C s and ε s without, and the same values.
func TestScaleTarget(t *testing.T) {
	set := dataset.Friedman(1, 80, 1, 4)
	scale, err := prepare.ScaleOf(set.Targets)
	if err != nil {
		t.Fatal(err)
	}
	values := func(o sparsekm.Options) []float64 {
		o.Kernel = gram.RBF(0.3)
		clf, r, failed := sparsekm.Train(t.Context(), set, o)
		if failed != nil {
			t.Fatal(failed)
		}
		if clf.Task() != learn.Regress || r.Task != learn.Regress || (r.Target != nil) != o.ScaleTarget {
			t.Errorf("task %v, target %v", clf.Task(), r.Target)
		}
		f := make([]float64, set.N)
		clf.DecideBatch(f, set.X, set.N, 1)
		m, failed := sparsekm.Evaluate(t.Context(), clf, set, 1)
		if failed != nil || m.Classification != nil || !(*m.R2 > 0.5 && *m.R2 < 1) || m.Samples != set.N {
			t.Errorf("metrics %+v (%v)", m, failed)
		}
		return f
	}
	scaled := values(sparsekm.Options{Trainer: svc.SVR{C: 2, Epsilon: 0.05, Tolerance: 1e-8}, ScaleTarget: true})
	plain := values(sparsekm.Options{Trainer: svc.SVR{C: 2 * scale.Spread, Epsilon: 0.05 * scale.Spread, Tolerance: 1e-8}})
	testutil.NearAll(t, "values", scaled, plain, 1e-5)

	set.Targets = make([]float64, set.N) // and a constant is no trouble
	for i := range set.Targets {
		set.Targets[i] = 7
	}
	clf, r, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.SVR{}, Kernel: gram.RBF(1), ScaleTarget: true})
	if err != nil || clf.NumVectors() != 0 || r.Target.Spread != 1 {
		t.Fatalf("a constant target: %v", err)
	}
	testutil.Near(t, "constant", clf.Decide(set.Row(0)), 7, 0)
}

// TestTaskOf lists what methods and targets make.
func TestTaskOf(t *testing.T) {
	values, classes := dataset.Sinc(30, 0.1, 1), dataset.TwoGaussians(30, 1, 0.2, 0, 1)
	bare := &dataset.Set{X: values.X, N: values.N, D: 1}
	for _, tt := range []struct {
		method string
		set    *dataset.Set
		task   learn.Task
		want   string // of the error
	}{
		{"svc", classes, learn.Classify, ""}, {"svc", values, 0, "svc does not learn regression targets, only "},
		{"svr", values, learn.Regress, ""}, {"svr", classes, 0, "svr does not learn classes, only "},
		{"lssvm", classes, learn.Classify, ""}, {"lssvm", values, learn.Regress, ""}, {"lssvm", bare, 0, "no labels"},
		{"one-class", bare, learn.OneClass, ""}, {"one-class", classes, learn.OneClass, ""},
		{"one-class", values, learn.OneClass, ""},
		{"skde", bare, learn.Density, ""}, {"skde", classes, learn.Density, ""},
	} {
		m, err := sparsekm.Lookup(tt.method)
		if err != nil {
			t.Fatal(err)
		}
		task, err := sparsekm.TaskOf(m, tt.set)
		if tt.want == "" && (err != nil || task != tt.task) {
			t.Errorf("%s: %v (%v), want %v", tt.method, task, err, tt.task)
		}
		if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.method, err, tt.want)
		}
		if _, _, err := sparsekm.Train(t.Context(), tt.set, sparsekm.Options{Trainer: trainer(t, tt.method, nil)}); (err == nil) !=
			(tt.want == "") {
			t.Errorf("%s trains with %v", tt.method, err)
		}
	}
	if err := (&learn.Problem{X: []float64{0, 1}, N: 2, D: 1, Task: learn.Regress, Y: []float64{1, -1},
		Kernel: gram.RBF(1)}).Validate(); err == nil || !strings.Contains(err.Error(), "takes [classify]") {
		t.Errorf("a method of classes takes values: %v", err)
	}
}

// A density of scaled features has the unit of the raw ones: compared with an unscaled training with the same
// kernel in raw units nothing changes, constant features aside.
func TestDensityUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	set := &dataset.Set{N: 60, D: 2}
	for range set.N {
		set.X = append(set.X, 300+100*rng.NormFloat64(), 100*rng.NormFloat64())
	}
	for _, scale := range []dataset.ScaleKind{dataset.ScaleZ, dataset.ScaleMinMax} {
		clf, _, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: density.SKDE{}, Kernel: gram.RBF(5),
			Scale: scale})
		if err != nil {
			t.Fatal(err)
		}
		const side = 200
		var integral float64
		x, f := make([]float64, 0, 2*side*side), make([]float64, side*side)
		for i := range side * side {
			x = append(x, -500+8*float64(i%side), -800+8*float64(i/side))
		}
		clf.DecideBatch(f, x, side*side, 1)
		for _, v := range f {
			integral += v * 8 * 8
		}
		testutil.Near(t, "integral", integral, 1, 1e-3)
		r, err := sparsekm.Evaluate(t.Context(), clf, set, 1)
		if err != nil {
			t.Fatal(err)
		}
		logs := make([]float64, set.N)
		clf.DecideBatch(logs, set.X, set.N, 1)
		clf.Predicted(logs)
		var mean float64
		for i, v := range logs {
			testutil.NearRel(t, "log density", v, math.Log(clf.Decide(set.Row(i))), 1e-12)
			mean += v / float64(set.N)
		}
		testutil.NearRel(t, "mean log density", *r.LogDensity, mean, 1e-12)
		far := []float64{0}
		if clf.Predicted(far); !(far[0] < -700 && far[0] > -800) {
			t.Errorf("the logarithm of nothing is %v", far[0])
		}
	}
}

// shops is samples of a number and two columns of words, one of which matters; labels are of so many classes, 0 for
// values.
func shops(t *testing.T, n, classes int) *dataset.Set {
	t.Helper()
	rng := dataset.NewRand(6)
	var b strings.Builder
	b.WriteString("size,city,noise,target\n")
	for range n {
		size, city, noise := rng.NormFloat64(), rng.IntN(6), rng.IntN(4)
		effect := size/2 + []float64{2, -2, 0, 1, -1, 3}[city]
		target := fmt.Sprint(effect)
		if classes > 0 {
			target = fmt.Sprint("c", min(classes-1, max(0, int(math.Floor(effect+float64(classes)/2)))))
		}
		fmt.Fprintf(&b, "%v,%c,%c,%s\n", size, 'A'+city, 'a'+noise, target)
	}
	o := dataset.Options{Header: dataset.HeaderYes, Categorical: []string{"city", "noise"}}
	if classes == 0 {
		o.Targets = dataset.TargetValues
	}
	set, err := dataset.ReadCSV(strings.NewReader(b.String()), "shops.csv", o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestCategoryValues trains with values of categories: by the method itself, and beforehand for other methods, kernels
// and schemes. Models have one feature a column, or two, and take samples with features of 0 and 1.
func TestCategoryValues(t *testing.T) {
	few := direct.Trainer{MaxSV: 6, MaxIter: 60}
	for name, c := range map[string]struct {
		classes, features int
		o                 sparsekm.Options
	}{
		"classes":     {2, 3, sparsekm.Options{Trainer: few, CategoryValues: 1}},
		"two a word":  {2, 5, sparsekm.Options{Trainer: few, CategoryValues: 2}},
		"minmax":      {2, 3, sparsekm.Options{Trainer: few, CategoryValues: 1, Scale: dataset.ScaleMinMax}},
		"values":      {0, 3, sparsekm.Options{Trainer: few, CategoryValues: 1, ScaleTarget: true}},
		"three":       {3, 3, sparsekm.Options{Trainer: few, CategoryValues: 1}},
		"pairs":       {3, 3, sparsekm.Options{Trainer: few, CategoryValues: 1, Scheme: model.OneVsOne}},
		"svc":         {2, 3, sparsekm.Options{Trainer: svc.Trainer{C: 1}, CategoryValues: 1}},
		"linear":      {2, 3, sparsekm.Options{Trainer: svc.Trainer{C: 1}, CategoryValues: 1, Kernel: gram.Linear()}},
		"widths":      {2, 3, sparsekm.Options{Trainer: svc.Trainer{C: 1}, CategoryValues: 1, LearnWidths: true}},
		"calibration": {2, 3, sparsekm.Options{Trainer: few, CategoryValues: 1, Calibrate: 3}},
		"sets": {2, 3, sparsekm.Options{Trainer: few, CategoryValues: 1,
			Conformal: sparsekm.Conformal{Coverage: 0.9, Folds: 3}}},
		"validation": {2, 3, sparsekm.Options{Trainer: direct.Trainer{MaxIter: 30}, CategoryValues: 1,
			Validation: shops(t, 90, 2)}},
	} {
		set := shops(t, 240, c.classes)
		if c.o.Scale == dataset.ScaleNone {
			c.o.Scale = dataset.ScaleAuto
		}
		clf, report, err := sparsekm.Train(t.Context(), set, c.o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if clf.NumFeatures() != c.features || report.D != c.features || !clf.Columns().Valued() || set.D != 11 {
			t.Errorf("%s: %d features", name, clf.NumFeatures())
		}
		s, err := sparsekm.Evaluate(t.Context(), clf, set, 1)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.classes == 0 && !(*s.RMSE < 0.5) || c.classes > 0 && !(*s.ErrorRate < 0.12) {
			t.Errorf("%s: %+v", name, s)
		}
		coded := &dataset.Set{N: set.N, D: c.features, X: clf.Columns().Coded(set, 0, set.N)}
		f, g := make([]float64, set.N*clf.NumSubmodels()), make([]float64, set.N*clf.NumSubmodels())
		clf.DecideSet(f, set, 0, set.N, 1)
		clf.DecideSet(g, coded, 0, set.N, 1)
		for i := range f {
			if f[i] != g[i] {
				t.Fatalf("%s: decision %d is %v of words, %v of their values", name, i, f[i], g[i])
			}
		}
	}
}

func TestCategoryValuesRefused(t *testing.T) {
	for want, c := range map[string]struct {
		set *dataset.Set
		o   sparsekm.Options
	}{
		"no column of two categories": {ripley(t), sparsekm.Options{Trainer: direct.Trainer{}, CategoryValues: 1}},
		"learns from samples alone":   {shops(t, 60, 2), sparsekm.Options{Trainer: svc.OneClass{}, CategoryValues: 1}},
		"are its values": {shops(t, 60, 2), sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.Precomputed(),
			CategoryValues: 1}},
	} {
		if _, _, err := sparsekm.Train(t.Context(), c.set, c.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
