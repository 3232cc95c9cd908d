package prepare

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// trainer is a name; nothing here trains.
type trainer struct{ need int64 }

func (trainer) Name() string                    { return "mine" }
func (t trainer) EstimateMemory(n, d int) int64 { return t.need }
func (trainer) Train(context.Context, *learn.Problem) (*learn.Result, error) {
	return nil, errors.New("not called")
}

func spec(change func(*Spec)) *Spec {
	s := &Spec{Trainer: trainer{}, Method: learn.Method{Name: "mine", Validation: true, Candidates: learn.AnySide},
		Submodels: 1, Kernel: gram.RBF(1)}
	if change != nil {
		change(s)
	}
	return s
}

// four is four samples of two features, of two classes.
func four() *dataset.Set {
	return &dataset.Set{X: []float64{1, 10, 2, 20, 3, 30, 4, 60}, N: 4, D: 2, Y: []int{0, 1, 1, 0},
		Labels: []string{"a", "b"}}
}

func prepared(t *testing.T, set *dataset.Set, s *Spec) *Prepared {
	t.Helper()
	p, err := Samples(t.Context(), set, s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSelected(t *testing.T) {
	for _, c := range []struct {
		name   string
		sample []float64
		class  map[string]float64
		rows   Rows
		weight []float64
		wrong  string
	}{
		{name: "all"},
		{name: "samples", sample: []float64{1, 2, 3, 4}, weight: []float64{1, 2, 3, 4}},
		{name: "classes", class: map[string]float64{"b": 3}, weight: []float64{1, 3, 3, 1}},
		{name: "both", sample: []float64{1, 2, 3, 4}, class: map[string]float64{"b": 3}, weight: []float64{1, 6, 9, 4}},
		{name: "absent", sample: []float64{0, 2, 0, 4}, rows: Rows{1, 3}, weight: []float64{2, 4}},
		{name: "class absent", class: map[string]float64{"a": 0}, rows: Rows{1, 2}, weight: []float64{1, 1}},
		{name: "length", sample: []float64{1}, wrong: "1 sample weights for 4 samples"},
		{name: "negative", sample: []float64{1, -1, 1, 1}, wrong: "weight of sample 1 is -1"},
		{name: "infinite", class: map[string]float64{"a": math.Inf(1)}, wrong: "weight of class \"a\" is +Inf"},
		{name: "unknown", class: map[string]float64{"c": 1}, wrong: "weight for class \"c\", but the classes are a, b"},
		{name: "none", sample: make([]float64, 4), wrong: "every sample has weight 0"},
	} {
		from, err := selected(t.Context(), four(), spec(func(s *Spec) { s.SampleWeight, s.ClassWeight = c.sample, c.class }))
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.wrong)
			}
			continue
		}
		if err != nil || !slices.Equal(from.rows, c.rows) || !slices.Equal(from.weight, c.weight) {
			t.Errorf("%s: rows %v, weights %v (%v)", c.name, from.rows, from.weight, err)
		}
	}
	if got := (Rows{1, 3}).Original([]int{1, 0}); !slices.Equal(got, []int{3, 1}) {
		t.Errorf("original rows %v", got)
	}
	if (Rows{1, 3}).Original(nil) != nil || !slices.Equal(Rows(nil).Original([]int{2}), []int{2}) {
		t.Error("original rows of none, or of all")
	}
}

func TestNeedsFeatures(t *testing.T) {
	for want, change := range map[string]func(*Spec){
		"":                            func(s *Spec) { s.Method.KernelOnly = true },
		"mine reads features":         nil,
		"scaling zscore moves":        func(s *Spec) { s.Method.KernelOnly, s.Scale = true, dataset.ScaleZ },
		"because":                     func(s *Spec) { s.Method.KernelOnly, s.ReadsFeatures = true, "because" },
		"candidates are read":         func(s *Spec) { s.Method.KernelOnly, s.Candidates = true, four() },
		"validation data are read":    func(s *Spec) { s.Method.KernelOnly, s.Validation = true, four() },
		"the precomputed kernel read": func(s *Spec) { s.Method.KernelOnly, s.Kernel = true, gram.Precomputed() },
	} {
		if got := spec(change).NeedsFeatures(); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Sparse rows become their numbers, equal ones the same, and the numbers of vectors become rows.
func TestSparse(t *testing.T) {
	x := []float64{0, 1, 0, 2, 0, 0, 0, 1, 0, 2, 0, 3}
	set := &dataset.Set{N: 4, D: 3, Sparse: csr.FromDense(x, 4, 3), Y: []int{0, 1, 0, 1}, Labels: []string{"a", "b"}}
	p := prepared(t, set, spec(func(s *Spec) { s.Method.KernelOnly = true }))
	if p.Set.D != 1 || p.D() != 3 || !slices.Equal(p.Problem.X, []float64{0, 1, 0, 3}) || set.Sparse == nil {
		t.Errorf("numbers %v of %d features", p.Problem.X, p.D())
	}
	if got := p.Vectors([]float64{3, 1}).Dense(); !slices.Equal(got, []float64{2, 0, 3, 2, 0, 0}) {
		t.Errorf("vectors %v", got)
	}
	dense := prepared(t, set, spec(nil))
	if dense.Sparse != nil || !slices.Equal(dense.Problem.X, x) {
		t.Errorf("features %v, want every zero stored", dense.Problem.X)
	}
}

// No stage changes the caller's set, and absent samples take no part in scaling.
func TestScaled(t *testing.T) {
	set := four()
	p := prepared(t, set, spec(func(s *Spec) { s.Scale, s.SampleWeight = dataset.ScaleMinMax, []float64{1, 1, 1, 0} }))
	testutil.NearAll(t, "features", p.Problem.X, []float64{0, 0, 0.5, 0.5, 1, 1}, 1e-15)
	if diff := cmp.Diff(four(), set); diff != "" {
		t.Errorf("the caller's set has changed:\n%s", diff)
	}
	thirds := &dataset.Set{X: []float64{1, 2, 4}, N: 3, D: 1, Y: []int{0, 1, 1}, Labels: []string{"a", "b"}}
	p = prepared(t, thirds, spec(func(s *Spec) { s.Scale, s.RoundScaled = dataset.ScaleZ, true }))
	for _, x := range p.Problem.X {
		if x != float64(float32(x)) {
			t.Errorf("%v has more than 24 bits", x)
		}
	}
}

// A density per unit of scaled features is one per unit of raw ones: by the raw width of the interval of a min-max
// scaling, whatever that interval is. A constant feature has no unit.
func TestDensityOfIntervals(t *testing.T) {
	set := &dataset.Set{N: 3, D: 3, X: []float64{1, 5, 10, 3, 5, 20, 2, 5, 50}}
	for _, tt := range []struct{ lo, hi, want float64 }{{0, 1, 1. / 80}, {-1, 1, 4. / 80}, {0, 10, 100. / 80}} {
		s, err := dataset.FitMinMax(set, tt.lo, tt.hi)
		if err != nil {
			t.Fatal(err)
		}
		e := learn.Expansion{Coef: []float64{1, 3}}
		(&Prepared{Problem: learn.Problem{Task: learn.Density}, Scaling: s}).Undo(&e)
		testutil.NearAll(t, "coefficients", e.Coef, []float64{tt.want, 3 * tt.want}, 1e-12)
	}
}

// Regression targets are learnt in units of their spread; expansions and validation targets follow.
func TestTargets(t *testing.T) {
	set := &dataset.Set{X: []float64{1, 2}, N: 2, D: 1, Targets: []float64{10, 14}}
	p := prepared(t, set, spec(func(s *Spec) { s.Task, s.ScaleTarget, s.Validation = learn.Regress, true, set }))
	testutil.NearAll(t, "targets", p.Problem.Y, []float64{-1, 1}, 1e-15)
	testutil.NearAll(t, "validation targets", p.Problem.Validation.Y, []float64{-1, 1}, 1e-15)
	e := learn.Expansion{Coef: []float64{3}, Bias: 1}
	p.Undo(&e)
	if e.Coef[0] != 6 || e.Bias != 14 {
		t.Errorf("coefficient %v, bias %v, want 6 and 14", e.Coef, e.Bias)
	}
	if p = prepared(t, set, spec(func(s *Spec) { s.Task = learn.OneClass })); p.Problem.Y != nil {
		t.Errorf("targets %v of a task without", p.Problem.Y)
	}
	three := four()
	three.Labels, three.Y = []string{"a", "b", "c"}, []int{0, 2, 1, 0}
	p = prepared(t, three, spec(func(s *Spec) { s.Submodels = 3 }))
	if !slices.Equal(p.Problem.Y, []float64{0, 2, 1, 0}) {
		t.Errorf("classes %v", p.Problem.Y)
	}
}

// Validation samples and candidates take the same way: dense, scaled like the samples, targets by their labels.
func TestExternal(t *testing.T) {
	other := func() *dataset.Set {
		return &dataset.Set{X: []float64{2, 20, 4, 60}, N: 2, D: 2, Y: []int{1, 0}, Labels: []string{"a", "b"}}
	}
	for _, c := range []struct {
		name      string
		sides     learn.Sides
		submodels int
		want      []float64 // candidates' targets
	}{
		{"any side", learn.AnySide, 1, []float64{1, 1}},
		{"own side", learn.OwnSide, 1, []float64{1, -1}},
		{"any side, several classes", learn.AnySide, 3, []float64{-1, -1}},
		{"own side, several classes", learn.OwnSide, 3, []float64{1, 0}},
	} {
		p := prepared(t, four(), spec(func(s *Spec) {
			s.Method.Candidates, s.Submodels, s.Scale = c.sides, c.submodels, dataset.ScaleZ
			s.Candidates, s.Validation = other(), other()
		}))
		v := p.Problem.Validation
		for _, x := range [][]float64{v.X, p.Candidates.X} {
			if !slices.Equal(x[:2], p.Problem.X[2:4]) || !slices.Equal(x[2:], p.Problem.X[6:]) {
				t.Errorf("%s: scaled to %v, the samples to %v", c.name, x, p.Problem.X)
			}
		}
		classes := []float64{1, 0}
		if c.submodels == 1 {
			classes = []float64{1, -1}
		}
		if !slices.Equal(v.Y, classes) || !slices.Equal(p.Candidates.Y, c.want) {
			t.Errorf("%s: targets %v and %v, want %v and %v", c.name, v.Y, p.Candidates.Y, classes, c.want)
		}
		if q := p.WithCandidates(&p.Problem); q.N != 6 || p.Problem.N != 4 {
			t.Errorf("%s: %d samples with candidates, %d without", c.name, q.N, p.Problem.N)
		}
	}
	for want, change := range map[string]func(c *dataset.Set){
		"3 features in the":       func(c *dataset.Set) { c.D, c.N, c.X, c.Y = 3, 1, c.X[:3], c.Y[:1] },
		"feature 2 of sample 1":   func(c *dataset.Set) { c.X[3] = math.NaN() },
		"have no labels":          func(c *dataset.Set) { c.Y, c.Labels = nil, nil },
		"is of class \"x\", want": func(c *dataset.Set) { c.Labels = []string{"a", "x"} },
	} {
		wrong := other()
		change(wrong)
		for _, s := range []*Spec{
			spec(func(s *Spec) { s.Validation = wrong }),
			spec(func(s *Spec) { s.Candidates, s.Method.Candidates = wrong, learn.OwnSide }),
		} {
			if _, err := Samples(t.Context(), four(), s); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
	}
}

// Samples that exceed the budget are refused before they are copied.
func TestRefused(t *testing.T) {
	s := spec(func(s *Spec) {
		s.Trainer, s.Scale, s.Resources.Memory = trainer{need: 1000}, dataset.ScaleZ, 10
	})
	var refused *learn.BudgetError
	if _, err := Samples(t.Context(), four(), s); !errors.As(err, &refused) || refused.Need != 1000+8*4+8*8 {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Resources.Memory = 0
	if _, err := Samples(ctx, four(), s); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after the context's end", err)
	}
}

// TestScaleAuto: samples that are present choose the scaling; features that are alike, wide sparse rows and kernels
// whose features are no measurements get none.
func TestScaleAuto(t *testing.T) {
	auto := func(change func(*Spec)) *Spec {
		s := spec(change)
		s.Scale = dataset.ScaleAuto
		return s
	}
	raw := four()
	scaling, err := dataset.Fit(t.Context(), raw.Subset([]int{0, 1, 2}), dataset.ScaleFloored)
	if err != nil {
		t.Fatal(err)
	}
	absent := auto(func(s *Spec) { s.SampleWeight = []float64{1, 1, 1, 0} })
	if got := prepared(t, raw, absent).Scaling; !slices.Equal(got.Spread, scaling.Spread) ||
		absent.Scale != dataset.ScaleAuto {
		t.Errorf("spreads %v, want %v", got.Spread, scaling.Spread)
	}
	raw.Pairs = true
	if got := prepared(t, raw, auto(nil)).Scaling; got == nil {
		t.Error("features in other units are not scaled")
	}
	alike := four()
	alike.Pairs, alike.X = true, []float64{1, 1, 2, 3, 3, 2, 4, 4}
	if got := prepared(t, alike, auto(nil)).Scaling; got != nil {
		t.Errorf("features that are alike are scaled by %v", got.Spread)
	}
	wide := four()
	wide.D, wide.X, wide.Sparse = 5000, nil, csr.FromDense(make([]float64, 20000), 4, 5000)
	got := prepared(t, wide, auto(func(s *Spec) { s.Method.KernelOnly = true }))
	if got.Sparse == nil || got.Scaling != nil {
		t.Error("wide sparse rows are scaled")
	}
	indexed := auto(func(s *Spec) { s.Kernel = gram.Precomputed() })
	if got := prepared(t, four(), indexed).Scaling; got != nil {
		t.Errorf("kernel values are scaled by %v", got.Spread)
	}
}

// TestPatience: the time for all samples ends as a deadline does, unless an event has told of a model.
func TestPatience(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for _, c := range []struct {
		event learn.Event
		model bool
	}{{learn.Event{Phase: "smo"}, false}, {learn.Event{Vectors: 1}, true}, {learn.OfRound("round", 1, 0, learn.Round{}), true}} {
		p, seen := newPatience(ctx), 0
		p.watching(func(learn.Event) { seen++ })(c.event)
		p.watching(nil)(c.event)
		if p.end(); seen != 1 || (p.Err() == nil) != c.model {
			t.Errorf("%v: %d events passed on, error %v", c.event, seen, p.Err())
		}
		if st := status.FromContext(p); !c.model && st != status.TimeLimit {
			t.Errorf("ended by %v", st)
		}
		p.release()
	}
	if p := newPatience(t.Context()); p.Context != t.Context() {
		t.Error("patience without a deadline")
	}
}
