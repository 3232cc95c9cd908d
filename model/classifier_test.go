package model

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// decideByDefinition is Σ coef k(scaled x, z) + bias with the kernel's reference, and the sum of
// the terms' sizes, which rounding errors are in proportion to.
func decideByDefinition(p *Parts, m *learn.Submodel, x []float64) (f, size float64) {
	z := make([]float64, len(x))
	p.Scaling.ApplyTo(z, x)
	k := p.Kernel
	if m.Kernel != nil {
		k = *m.Kernel
	}
	f, size = m.Bias, math.Abs(m.Bias)
	for s, j := range m.Support {
		v := m.Coef[s] * k.Eval(z, p.Vectors[j*p.D:(j+1)*p.D])
		f, size = f+v, size+math.Abs(v)
		if k.Additive() { // the terms of the dot product count one by one
			for i := range z {
				size += math.Abs(m.Coef[s] * z[i] * p.Vectors[j*p.D+i])
			}
		}
	}
	return f, size
}

func TestDecisions(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rnd := dataset.NewRand(1)
		for _, shape := range [][2]int{{0, 3}, {1, 0}, {1, 1}, {7, 2}, {8, 5}, {9, 1}, {100, 20}} {
			n, d := shape[0], shape[1]
			for name, kernel := range kernels(d) {
				for _, scheme := range schemes {
					p := randomParts(rnd, scheme, kernel, n, d)
					if scheme == OneVsOne {
						own := gram.RBF(0.7)
						p.Submodels[2].Kernel = &own
					}
					checkDecisions(t, fmt.Sprintf("%s/%v/n=%d/d=%d", name, scheme, n, d), p, randomRows(rnd, 67, d))
				}
			}
		}
	})
}

// checkDecisions compares every way of deciding with the definition, or bit for bit with each other.
func checkDecisions(t *testing.T, name string, p Parts, x []float64) {
	t.Helper()
	c := mustNew(t, p)
	rows, submodels := 67, c.NumSubmodels()
	want := make([]float64, rows*submodels)
	for q := range rows {
		row := x[q*p.D : (q+1)*p.D]
		c.DecideTo(want[q*submodels:], row)
		for i := range p.Submodels {
			f, size := decideByDefinition(&p, &p.Submodels[i], row)
			if got := want[q*submodels+i]; !testutil.Within(got, f, 1e-13*size) {
				t.Fatalf("%s: decision %d of row %d is %v, want %v", name, i, q, got, f)
			}
		}
		if submodels == 1 && c.Decide(row) != want[q] {
			t.Fatalf("%s: Decide and DecideTo differ", name)
		}
	}
	for _, threads := range []int{0, 1, 3} {
		got := make([]float64, len(want))
		c.DecideBatch(got, x, rows, threads)
		for i := range want {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
				t.Fatalf("%s: %d threads: decision %d is %v in the batch, %v alone", name, threads, i, got[i], want[i])
			}
		}
		classes := make([]int, rows)
		c.PredictBatch(classes, x, rows, threads)
		for q, class := range classes {
			if one := c.Predict(x[q*p.D : (q+1)*p.D]); class != one {
				t.Fatalf("%s: row %d is of class %d in the batch, %d alone", name, q, class, one)
			}
		}
	}
}

// With many classes each vector has a part in few models, which are then summed without the zeros.
func TestManyClasses(t *testing.T) {
	const classes, each, d = 24, 3, 4
	rnd := dataset.NewRand(9)
	for name, kernel := range kernels(d) {
		p := Parts{Kernel: kernel, N: classes * each, D: d, Scheme: OneVsOne, Vectors: randomRows(rnd, classes*each, d)}
		for a := range classes {
			p.Labels = append(p.Labels, fmt.Sprint(a))
			for b := range a {
				m := learn.Submodel{Pos: a, Neg: b, Expansion: learn.Expansion{Bias: rnd.NormFloat64()}}
				for s := range each {
					m.Support = append(m.Support, a*each+s, b*each+s)
					m.Coef = append(m.Coef, rnd.NormFloat64(), rnd.NormFloat64())
				}
				p.Submodels = append(p.Submodels, m)
			}
		}
		if c := mustNew(t, p); c.groups[0].sparse == nil {
			t.Errorf("%s: dense sums", name)
		}
		checkDecisions(t, name, p, randomRows(rnd, 67, d))
	}
}

// Empty models claim any number of features; nothing may be allocated for them.
func TestEmptyModelsAreSmall(t *testing.T) {
	for name, kernel := range map[string]gram.Kernel{"rbf": gram.RBF(1), "linear": gram.Linear()} {
		p := Parts{Kernel: kernel, D: math.MaxInt32, Labels: []string{"a", "b"}, Submodels: []learn.Submodel{{Pos: 1, Expansion: learn.Expansion{Bias: 2}}}}
		var c *Classifier
		if n := testing.AllocsPerRun(1, func() { c = mustNew(t, p) }); n > 100 {
			t.Errorf("%s: %v allocations", name, n)
		}
		s := c.newScratch(1)
		if c.decide(s.f, nil, 1, s); s.f[0] != 2 || len(s.x) > 0 {
			t.Errorf("%s: decision %v with %d features scaled", name, s.f[0], len(s.x))
		}
	}
}

func TestSchemes(t *testing.T) {
	pairs := func(scheme Scheme) Parts {
		return Parts{Kernel: gram.Linear(), D: 3, Scheme: scheme, Labels: []string{"a", "b", "c"},
			Submodels: []learn.Submodel{{Pos: 0, Neg: 1}, {Pos: 2, Neg: 0}, {Pos: 1, Neg: 2}}}
	}
	for _, tt := range []struct {
		name  string
		parts Parts
		f     []float64 // the models' biases, and decisions
		want  int
	}{
		{"a vote each: the first class", pairs(OneVsOne), []float64{1, 1, 1}, 0},
		{"two votes", pairs(OneVsOne), []float64{-1, 1, 1}, 1},
		{"zero speaks for the second class", pairs(OneVsOne), []float64{0, 0, 5}, 1},
		{"the largest smallest membership: -0.5, -2, -0.2", pairs(PairwiseFuzzy), []float64{2, 0.5, 0.2}, 2},
		{"memberships stop at 1: 1, -7, -9", pairs(PairwiseFuzzy), []float64{7, -9, 3}, 0},
		{"binary", binaryOf(0, 1), []float64{0.1}, 0},
		{"binary, zero", binaryOf(0, 1), []float64{0}, 1},
		{"binary, other way", binaryOf(1, 0), []float64{0.1}, 1},
		{"not a number", binaryOf(1, 0), []float64{math.NaN()}, 0},
		{"one against the rest", restOf(), []float64{-3, -1, -2}, 1},
		{"one against the rest, equal", restOf(), []float64{-1, -1, -2}, 0},
		{"one against the rest, not a number", restOf(), []float64{math.NaN(), math.NaN()}, 0},
	} {
		c := &Classifier{parts: tt.parts}
		f := append(tt.f, make([]float64, 3)...)
		if got := c.classOf(f, make([]float64, len(tt.parts.Labels))); got != tt.want {
			t.Errorf("%s: class %d, want %d", tt.name, got, tt.want)
		}
	}
}

func binaryOf(pos, neg int) Parts {
	return Parts{Kernel: gram.Linear(), Labels: []string{"a", "b"}, Submodels: []learn.Submodel{{Pos: pos, Neg: neg}}}
}

func restOf() Parts {
	return Parts{Kernel: gram.Linear(), Scheme: OneVsRest, Labels: []string{"a", "b", "c"},
		Submodels: []learn.Submodel{{Pos: 0, Neg: learn.Rest}, {Pos: 1, Neg: learn.Rest}, {Pos: 2, Neg: learn.Rest}}}
}

func TestNewRefuses(t *testing.T) {
	base := func() Parts { return randomParts(dataset.NewRand(2), OneVsOne, gram.RBF(1), 5, 2) }
	for _, tt := range []struct {
		name   string
		change func(p *Parts)
		want   string
	}{
		{"short vectors", func(p *Parts) { p.Vectors = p.Vectors[1:] }, "9 values for 5 vectors of 2 features"},
		{"vector", func(p *Parts) { p.Vectors[3] = math.NaN() }, "feature 2 of vector 1 is NaN"},
		{"kernel", func(p *Parts) { p.Kernel.Gamma = 0 }, "gamma > 0"},
		{"one label", func(p *Parts) { p.Labels = p.Labels[:1] }, "1 classes, want at least two"},
		{"equal labels", func(p *Parts) { p.Labels[1] = p.Labels[0] }, `label "-10" of class 1`},
		{"model count", func(p *Parts) { p.Submodels = p.Submodels[1:]; p.Platt = nil }, "5 submodels, want 6 for 4 classes (ovo)"},
		{"a pair twice", func(p *Parts) { p.Submodels[1].Pos, p.Submodels[1].Neg = p.Submodels[0].Neg, p.Submodels[0].Pos }, "submodel 1 separates class 0 from class 1"},
		{"a rest in pairs", func(p *Parts) { p.Submodels[0].Neg = learn.Rest }, "submodel 0 separates class 1 from class -1"},
		{"scheme", func(p *Parts) { p.Scheme = Binary }, "4 classes in a two-class model"},
		{"unknown scheme", func(p *Parts) { p.Scheme = 9 }, "unknown scheme Scheme(9)"},
		{"lengths", func(p *Parts) { p.Submodels[0].Coef = p.Submodels[0].Coef[1:] }, "submodel 0 has 3 vectors and 2 coefficients"},
		{"index", func(p *Parts) { p.Submodels[0].Support[0] = 5 }, "submodel 0 refers to vector 5"},
		{"index twice", func(p *Parts) { p.Submodels[0].Support[0] = p.Submodels[0].Support[1] }, "at most once"},
		{"coefficient", func(p *Parts) { p.Submodels[3].Coef[2] = math.Inf(1) }, "coefficient 2 of submodel 3 is +Inf"},
		{"bias", func(p *Parts) { p.Submodels[1].Bias = math.NaN() }, "bias of submodel 1 is NaN"},
		{"own kernel", func(p *Parts) { k := gram.RBF(-1); p.Submodels[1].Kernel = &k }, "submodel 1: gram: rbf kernel"},
		{"scaling", func(p *Parts) { p.Scaling.Center = p.Scaling.Center[1:] }, "scaling of 1 features for 2"},
		{"Platt", func(p *Parts) { p.Platt = p.Platt[1:] }, "5 pairs of Platt's parameters for 6 submodels"},
		{"Platt value", func(p *Parts) { p.Platt[0].A = math.NaN() }, "Platt's parameters of submodel 0"},
		{"parameter", func(p *Parts) { p.Params["c"] = math.Inf(1) }, "parameter c is +Inf"},
		{"rows", func(p *Parts) { p.Rows = p.Rows[1:] }, "4 row numbers for 5 vectors"},
		{"negative row", func(p *Parts) { p.Rows[0] = -1 }, "a negative row number"},
		{"features", func(p *Parts) { p.Features = 3 }, "trained on 15 samples of 3 features, vectors have 2"},
	} {
		p := base()
		tt.change(&p)
		if _, err := New(p); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(),
			"model: ") {
			t.Errorf("%s: got %v, want ... %s ...", tt.name, err, tt.want)
		}
	}
	mustNew(t, base())
}

func TestClassifierIsImmutable(t *testing.T) {
	p := randomParts(dataset.NewRand(3), Binary, gram.RBF(1), 9, 3)
	c := mustNew(t, p)
	x := []float64{1, 2, 3}
	want := c.Decide(x)
	for _, parts := range []Parts{p, c.Parts()} { // what New was given, and what it gives
		clear(parts.Vectors)
		clear(parts.Submodels[0].Coef)
		clear(parts.Scaling.Spread)
		clear(parts.Rows)
		parts.Labels[0], parts.Params["c"] = "", 0
	}
	if got := c.Decide(x); got != want {
		t.Errorf("decision %v became %v", want, got)
	}
	if back := c.Parts(); back.Rows[1] != 2 || back.Labels[0] == "" || back.Params["c"] != 10 {
		t.Error("the parts changed")
	}
}

func TestDecisionsDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("under the race detector a sync.Pool drops what it is given, now and then")
	}
	rnd := dataset.NewRand(4)
	for _, scheme := range schemes {
		c := mustNew(t, randomParts(rnd, scheme, gram.RBF(1), 100, 20))
		x, f := randomRows(rnd, 1, 20), make([]float64, 8)
		if n := testing.AllocsPerRun(100, func() { c.DecideTo(f, x); c.Predict(x) }); n != 0 {
			t.Errorf("%v: %v allocations a decision", scheme, n)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	rnd := dataset.NewRand(5)
	c := mustNew(t, randomParts(rnd, OneVsRest, gram.RBF(1), 50, 4))
	x := randomRows(rnd, 200, 4)
	want := make([]int, 200)
	c.PredictBatch(want, x, 200, 1)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for q, class := range want {
				if got := c.Predict(x[q*4 : q*4+4]); got != class {
					t.Errorf("row %d: class %d, want %d", q, got, class)
				}
			}
		})
	}
	wg.Wait()
}

func TestClassifyChecksTheRow(t *testing.T) {
	c := mustNew(t, randomParts(dataset.NewRand(6), Binary, gram.RBF(1), 4, 2))
	for _, tt := range []struct {
		x    []float64
		want string
	}{
		{[]float64{1}, "model: 1 features, want 2"},
		{[]float64{1, 2, 3}, "model: 3 features, want 2"},
		{[]float64{1, math.NaN()}, "model: feature 2 is NaN"},
		{[]float64{math.Inf(-1), 0}, "model: feature 1 is -Inf"},
	} {
		if _, err := c.Classify(tt.x); err == nil || err.Error() != tt.want {
			t.Errorf("%v: got %v, want %s", tt.x, err, tt.want)
		}
	}
	x := []float64{0.5, -1}
	if got, err := c.Classify(x); err != nil || got != c.Label(c.Predict(x)) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestWithFeatures(t *testing.T) {
	p := randomParts(dataset.NewRand(7), OneVsOne, gram.RBF(1), 6, 2)
	p.Scaling, p.Features = nil, 0
	c := mustNew(t, p)
	wide, err := c.WithFeatures(4)
	if err != nil {
		t.Fatal(err)
	}
	f, g := make([]float64, 6), make([]float64, 6)
	c.DecideTo(f, []float64{1, 2})
	wide.DecideTo(g, []float64{1, 2, 0, 0})
	for i := range f {
		if f[i] != g[i] {
			t.Errorf("decision %d: %v with two features, %v with four", i, f[i], g[i])
		}
	}
	p.Features = 2
	if _, err := mustNew(t, p).WithFeatures(4); err == nil {
		t.Error("a model of known features got more")
	}
	if _, err := c.WithFeatures(1); err == nil {
		t.Error("a model lost a feature")
	}
}

func TestWithoutScaling(t *testing.T) {
	p := randomParts(dataset.NewRand(8), Binary, gram.RBF(1), 6, 3)
	c := mustNew(t, p)
	plain, sc := c.WithoutScaling()
	x, z := []float64{1, 2, 3}, make([]float64, 3)
	sc.ApplyTo(z, x)
	if a, b := c.Decide(x), plain.Decide(z); a != b {
		t.Errorf("%v with scaling, %v after it", a, b)
	}
}

func TestBinaryParts(t *testing.T) {
	x := []float64{0, 1, 2, 3, 4, 5}
	p := BinaryParts(gram.RBF(1), x, 2, learn.Expansion{Support: []int{2, 0}, Coef: []float64{1, -1}, Bias: 0.5})
	p.Labels = []string{"-1", "1"}
	c := mustNew(t, p)
	k := gram.RBF(1)
	q := []float64{1, 1}
	want := k.Eval(q, x[4:6]) - k.Eval(q, x[0:2]) + 0.5
	if got := c.Decide(q); !testutil.Within(got, want, 1e-15) || c.PositiveLabel(0) != "1" {
		t.Errorf("decision %v for %s, want %v for 1", got, c.PositiveLabel(0), want)
	}
}
