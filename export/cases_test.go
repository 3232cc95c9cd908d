package export_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/predict"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
)

// testCase is a classifier, rows to try it on, and what it says of them.
type testCase struct {
	name        string
	c           *model.Classifier
	x           []float64
	n           int
	f           []float64 // decisions
	class       []int
	probability []float64 // nil if it is not calibrated
	odds        bool      // decisions are log odds of a Gaussian process, which lose digits near 0 and 1
	sets        []float64 // 0 or 1 for each class, or the ends of intervals; nil for none
}

func newCase(t *testing.T, name string, c *model.Classifier, x []float64) *testCase {
	t.Helper()
	tc := &testCase{name: name, c: c, x: x, n: len(x) / c.NumFeatures()}
	tc.f, tc.class = make([]float64, tc.n*c.NumSubmodels()), make([]int, tc.n)
	c.DecideBatch(tc.f, x, tc.n, 1)
	if !tc.values() {
		c.Classes(tc.class, tc.f, tc.n)
	}
	if c.Calibrated() == nil {
		tc.probability = make([]float64, tc.n*c.NumClasses())
		c.ProbabilitiesOf(tc.probability, tc.f, tc.n, 1)
	}
	if c.Covers() == nil {
		tc.cover(t)
	}
	return tc
}

// cover asks for the prediction sets or intervals.
func (tc *testCase) cover(t *testing.T) {
	t.Helper()
	p, err := predict.Set(t.Context(), tc.c, &dataset.Set{X: tc.x, N: tc.n, D: tc.c.NumFeatures()}, 1, false)
	if err == nil {
		err = p.AddSets(t.Context(), &dataset.Set{X: tc.x, N: tc.n, D: tc.c.NumFeatures()}, 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	tc.sets = p.Intervals
	for _, in := range p.Sets {
		v := 0.0
		if in {
			v = 1
		}
		tc.sets = append(tc.sets, v)
	}
}

// checkSets compares what a program says of prediction sets or intervals. In single precision a sample that lies on a
// threshold may fall on its other side.
func (tc *testCase) checkSets(t *testing.T, sets []float64, tol float64) {
	t.Helper()
	if len(sets) != len(tc.sets) {
		t.Fatalf("%s: %d numbers of prediction sets, want %d", tc.name, len(sets), len(tc.sets))
	}
	const single, few = 1e-6, 0.01
	wrong := 0
	for i, v := range sets {
		if !testutil.Within(v, tc.sets[i], 10*tol*max(1, math.Abs(tc.sets[i]))) {
			wrong++
		}
	}
	if wrong > 0 && (tol < single || float64(wrong) > few*float64(len(sets))) {
		t.Fatalf("%s: %d of %d numbers of prediction sets differ", tc.name, wrong, len(sets))
	}
}

// values reports whether the model has values instead of classes.
func (tc *testCase) values() bool { return tc.c.Task() == learn.Regress }

// check compares what a program says of the rows.
func (tc *testCase) check(t *testing.T, f []float64, class []int, probability []float64, tol float64) {
	t.Helper()
	if len(f) != len(tc.f) || len(class) != tc.n {
		t.Fatalf("%s: %d decisions and %d classes, want %d and %d", tc.name, len(f), len(class), len(tc.f), tc.n)
	}
	for i, v := range f {
		want := tc.f[i]
		if tc.odds { // the mixture's weights are thousands
			v, want, tol = 1/(1+math.Exp(-v)), 1/(1+math.Exp(-want)), max(tol, 1e-11)
		}
		if !testutil.Within(v, want, tol*max(1, math.Abs(want))) {
			t.Fatalf("%s: decision %d is %.17g, want %.17g", tc.name, i, v, want)
		}
	}
	for i, k := range class {
		if k != tc.class[i] {
			t.Fatalf("%s: row %d has class %d, want %d", tc.name, i, k, tc.class[i])
		}
	}
	if len(probability) != len(tc.probability) {
		t.Fatalf("%s: %d probabilities, want %d", tc.name, len(probability), len(tc.probability))
	}
	for i, v := range probability {
		if !testutil.Within(v, tc.probability[i], 10*tol) {
			t.Fatalf("%s: probability %d is %.17g, want %.17g", tc.name, i, v, tc.probability[i])
		}
	}
}

func kernels(d int) map[string]gram.Kernel {
	w := make([]float64, d)
	for k := range w {
		if k%3 != 0 { // the others do not matter
			w[k] = 1 / float64(k+1)
		}
	}
	return map[string]gram.Kernel{
		"rbf": gram.RBF(0.3), "weighted": gram.WeightedRBF(0.3, w), "linear": gram.Linear(), "poly": gram.Poly(3, 0.1, 1),
		"sigmoid": gram.Sigmoid(0.1, -0.5), "laplacian": gram.Laplacian(0.2),
		"matern12": gram.Matern12(0.3), "matern32": {Kind: gram.KindMatern32, Gamma: 0.3, Weights: w},
		"matern52": gram.Matern52(0.3), "rational": gram.RationalQuadratic(1.3, 0.3),
		"weightedsum": gram.Composite(gram.Term{Scale: 2, Factors: []gram.Kernel{gram.WeightedRBF(0.3, w), gram.Linear()}},
			gram.Term{Scale: 0.5, Factors: []gram.Kernel{gram.Matern52(0.2), gram.Poly(2, 0.1, 1), gram.RationalQuadratic(2, 0.1)}},
			gram.Term{Scale: 0.125}),
	}
}

func scaling(rnd *rand.Rand, kind dataset.ScaleKind, d int) *dataset.Scaling {
	if kind == dataset.ScaleNone {
		return nil
	}
	s := &dataset.Scaling{Kind: kind, Lo: -1, Hi: 2}
	for range d {
		s.Center = append(s.Center, rnd.NormFloat64())
		s.Spread = append(s.Spread, 1+rnd.Float64())
	}
	s.Spread[d-1] = 0
	return s
}

// parts makes a classifier of n vectors; every model has a share of them.
func parts(rnd *rand.Rand, scheme model.Scheme, k gram.Kernel, n, d int, share float64) model.Parts {
	classes := 4
	if scheme == model.Binary {
		classes = 2
	}
	p := model.Parts{Kernel: k, N: n, D: d, Features: d, Scheme: scheme, Method: "test"}
	for range n * d {
		p.Vectors = append(p.Vectors, rnd.NormFloat64())
	}
	for c := range classes {
		p.Labels = append(p.Labels, fmt.Sprintf("class %d", c))
	}
	switch scheme {
	case model.Binary:
		p.Submodels = []learn.Submodel{{Pos: 0, Neg: 1}}
	case model.OneVsRest:
		for c := range classes {
			p.Submodels = append(p.Submodels, learn.Submodel{Pos: (c + 1) % classes, Neg: learn.Rest})
		}
	default:
		for a := range classes {
			for b := a + 1; b < classes; b++ {
				p.Submodels = append(p.Submodels, learn.Submodel{Pos: b, Neg: a})
			}
		}
	}
	for i := range p.Submodels {
		m := &p.Submodels[i]
		m.Bias = rnd.NormFloat64()
		for _, j := range rnd.Perm(n)[:int(share*float64(n))] {
			m.Support = append(m.Support, j)
			m.Coef = append(m.Coef, rnd.NormFloat64())
		}
		p.Platt = append(p.Platt, model.Platt{A: -1 - rnd.Float64(), B: rnd.NormFloat64()})
	}
	p.Conformal = &model.Conformal{Coverage: 0.9, Thresholds: []float64{-0.3}}
	if n%2 == 1 { // a threshold for each class
		p.Conformal = &model.Conformal{Coverage: 0.95, Folds: 5}
		for c := range p.Labels {
			p.Conformal.Thresholds = append(p.Conformal.Thresholds, 0.4-0.3*float64(c))
		}
	}
	return p
}

func build(t *testing.T, p model.Parts) *model.Classifier {
	t.Helper()
	c, err := model.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func rows(rnd *rand.Rand, n, d int) []float64 {
	x := make([]float64, n*d)
	for i := range x {
		x[i] = rnd.NormFloat64()
	}
	return x
}

// made returns classifiers of every kernel, scheme and scaling, and of what is rare.
func made(t *testing.T) (all []*testCase) {
	t.Helper()
	const n, d = 9, 6
	rnd := dataset.NewRand(5)
	add := func(name string, p model.Parts) {
		all = append(all, newCase(t, name, build(t, p), rows(rnd, 20, p.D)))
	}
	for _, name := range slices.Sorted(maps.Keys(kernels(d))) {
		for _, scheme := range []model.Scheme{model.Binary, model.OneVsRest, model.OneVsOne, model.PairwiseFuzzy} {
			p := parts(rnd, scheme, kernels(d)[name], n, d, 0.7)
			kind := dataset.ScaleKind((len(all) + len(all)/4) % 3) // every kernel and every scheme with every scaling
			p.Scaling = scaling(rnd, kind, d)
			add(fmt.Sprintf("%s/%v/%v", name, scheme, kind), p)
		}
	}
	for i, own := range [][]int{{0}, {1}, {0, 3}, {0, 1, 2, 3}} {
		p := parts(rnd, model.OneVsRest, gram.RBF(0.5), n, d, 0.5)
		for _, m := range own {
			k := gram.Poly(2, 0.1*float64(m+1), 1)
			p.Submodels[m].Kernel = &k
		}
		add(fmt.Sprintf("own_%d", i), p)
	}
	add("sparse_lists", parts(rnd, model.OneVsOne, gram.RBF(0.2), 12, 3, 0.2))
	add("no_coefficients", parts(rnd, model.OneVsOne, gram.RBF(0.2), 4, 3, 0))
	add("no_vectors", parts(rnd, model.OneVsRest, gram.RBF(0.2), 0, 3, 0))
	add("no_weights", parts(rnd, model.Binary, gram.WeightedRBF(1, make([]float64, 3)), 2, 3, 1))
	p := parts(rnd, model.OneVsRest, gram.Linear(), 3, 40, 1)
	for i := range p.Vectors {
		if i%40 > 5 {
			p.Vectors[i] = 0
		}
	}
	add("few_weights", p)
	p = parts(rnd, model.Binary, gram.RBF(0.1), 3, 8, 1) // a distance to 0 is a distance
	for i := range p.Vectors {
		if i%8 > 2 {
			p.Vectors[i] = 0
		}
	}
	p.Scaling = scaling(rnd, dataset.ScaleZ, 8)
	add("zeros", p)
	p = parts(rnd, model.OneVsRest, gram.Precomputed(), 3, 8, 1)
	for i := range p.Vectors {
		p.Vectors[i] = float64(2*(i/8) + 1)
	}
	add("precomputed", p)
	p = parts(rnd, model.Binary, gram.RBF(1), 3, 2, 1)
	p.Labels = []string{`a "quoted" \ label??/`, "héé\n*/"}
	p.Platt = nil
	p.Columns = dataset.Columns{{Name: "the */ end", Role: dataset.RoleNumber}, {Name: "y\\", Role: dataset.RoleNumber}}
	add("odd_texts", p)
	p = parts(rnd, model.OneVsRest, gram.RBF(0.5), 4, 2, 1)
	p.Task, p.Scheme, p.Labels, p.Platt, p.Submodels = learn.Regress, model.Binary, nil, nil, p.Submodels[:1]
	p.Submodels[0].Pos, p.Scaling = 0, scaling(rnd, dataset.ScaleMinMax, 2)
	p.Conformal = nil
	add("values", p)
	p.Conformal = &model.Conformal{Coverage: 0.9, Thresholds: []float64{0.25}}
	add("intervals", p)
	for _, name := range slices.Sorted(maps.Keys(kernels(2))) {
		p.Kernel, p.Posterior = kernels(2)[name], &learn.Posterior{Noise: 0.5}
		for i := range len(p.Submodels[0].Coef) + 1 {
			for range i {
				p.Posterior.Covariance = append(p.Posterior.Covariance, 0.1*rnd.NormFloat64())
			}
			p.Posterior.Covariance = append(p.Posterior.Covariance, 2)
		}
		add("variances_"+name, p)
	}
	p = parts(rnd, model.Binary, gram.RBF(0.5), 4, 2, 1)
	p.Task, p.Labels, p.Platt, p.Conformal.Thresholds = learn.OneClass, model.OneClassLabels(), nil, []float64{-0.2}
	p.Submodels[0].Pos, p.Submodels[0].Neg = 1, 0
	add("one_class", p)
	p = parts(rnd, model.Binary, gram.RBF(0.5), 4, 2, 1) // far from the origin relative to the spread
	for i := range p.Vectors {
		p.Vectors[i] += 1e4
	}
	p = parts(rnd, model.OneVsRest, gram.WeightedRBF(0.5, []float64{1, 2, 0, 1, 0.5}), 5, 5, 1)
	p.Columns, p.Scaling = valuedColumns(), scaling(rnd, dataset.ScaleZ, 5)
	add("levels", p)
	all = append(all, extras(t, rnd)...)
	c := build(t, p)
	x := rows(rnd, 20, 2)
	for i := range x {
		x[i] += 1e4
	}
	return append(all, newCase(t, "offset", c, x))
}

// extras returns classifiers with planes and steps: of one feature each, of directions, of some submodels only, and
// with nothing else.
func extras(t *testing.T, rnd *rand.Rand) (all []*testCase) {
	t.Helper()
	for i, kind := range []dataset.ScaleKind{dataset.ScaleNone, dataset.ScaleZ, dataset.ScaleMinMax, dataset.ScaleZ} {
		const d = 5
		scheme := []model.Scheme{model.Binary, model.OneVsRest, model.OneVsOne, model.Binary}[i]
		p := parts(rnd, scheme, gram.RBF(0.4), 4*((i+1)%4), d, 1)
		p.Scaling = scaling(rnd, kind, d)
		for o := range p.Submodels {
			m := &p.Submodels[o]
			if o%2 == 0 {
				m.Plane = rows(rnd, 1, d)
			}
			for s := range 3 {
				turn := make([]float64, d)
				if turn[(o+2*s)%d] = 2 * rnd.NormFloat64(); i%2 == 0 && s == 0 {
					turn = rows(rnd, 1, d)
				}
				m.Steps = append(m.Steps, learn.Step{Turn: turn, Move: rnd.NormFloat64(), Coef: 3 * rnd.NormFloat64()})
			}
			if o > 0 { // shared with the submodel before
				m.Steps[0] = p.Submodels[o-1].Steps[1]
			}
		}
		all = append(all, newCase(t, fmt.Sprintf("extra_%d", i), build(t, p), rows(rnd, 20, d)))
	}
	return all
}

// trained returns classifiers of real data, trained once for all tests.
func trained(t *testing.T) (all []*testCase) {
	t.Helper()
	if len(trainedOnce) > 0 {
		return trainedOnce
	}
	defer func() { trainedOnce = all }()
	ovo := model.OneVsOne
	for name, tt := range map[string]struct {
		data string
		o    sparsekm.Options
	}{
		"ripley_few": {"ripley.train", sparsekm.Options{Trainer: ssvc.A{C: 1}, Kernel: gram.RBFSigma(0.5)}},
		"ripley_svc": {"ripley.train", sparsekm.Options{Trainer: svc.Trainer{C: 1}, Kernel: gram.RBF(2), Calibrate: 5}},
		"iris_pairs": {"iris", sparsekm.Options{Trainer: svc.Trainer{C: 1}, Scale: dataset.ScaleZ, Calibrate: 5, Scheme: ovo}},
		"iris_rest":  {"iris", sparsekm.Options{Trainer: ssvclp.B{C: 1}, Scale: dataset.ScaleMinMax}},
		"iris_sets": {"iris", sparsekm.Options{Trainer: svc.Trainer{C: 1}, Scale: dataset.ScaleZ,
			Conformal: sparsekm.Conformal{Coverage: 0.9, ByClass: true}}},
		"diabetis_sets": {"diabetis", sparsekm.Options{Trainer: svc.Trainer{C: 1}, Scale: dataset.ScaleZ,
			Conformal: sparsekm.Conformal{Coverage: 0.9, Folds: 5}}},
		"diabetis":   {"diabetis", sparsekm.Options{Trainer: ssvclp.B{C: 1}, Scale: dataset.ScaleZ, Kernel: gram.Laplacian(0.1)}},
		"ionosphere": {"ionosphere", sparsekm.Options{Trainer: ssvclp.B{C: 1}, Kernel: gram.Poly(2, 0.03, 1)}},
	} {
		set, err := dataset.ReadFile(testutil.Testdata(t, tt.data+".libsvm"), dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tt.o.Threads = 1
		c, _, err := sparsekm.Train(context.Background(), set, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, newCase(t, name, c, set.X))
	}
	return all
}

var trainedOnce []*testCase
