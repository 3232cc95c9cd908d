package sparsekm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/skm"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/status"
)

func ripley(t *testing.T) *dataset.Set {
	t.Helper()
	set, err := dataset.ReadFile(testutil.Testdata(t, "ripley.train.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// trainer is the method's with the given parameters.
func trainer(t *testing.T, method string, v learn.Values) learn.Trainer {
	t.Helper()
	m, err := sparsekm.Lookup(method)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := m.New(v)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// targetsFor is the set with targets that the method takes: the signs of classes are values as well.
func targetsFor(m sparsekm.Method, set *dataset.Set) *dataset.Set {
	if !m.Takes(learn.Regress) || m.Takes(learn.Classify) {
		return set
	}
	values := *set
	values.Targets, values.Y, values.Labels = set.RestSigns(1), nil, nil
	return &values
}

// TestMethods holds every registered method to the promises that they share.
func TestMethods(t *testing.T) {
	ripley := ripley(t)
	for _, m := range sparsekm.Methods() {
		if m.Name == outside {
			continue // the test's own
		}
		t.Run(m.Name, func(t *testing.T) {
			trainer, set := trainer(t, m.Name, nil), targetsFor(m, ripley)
			o := sparsekm.Options{Trainer: trainer, Kernel: gram.RBFSigma(0.5)}
			o.Memory = 1 << 10
			var budget *learn.BudgetError
			if _, _, err := sparsekm.Train(t.Context(), set, o); !errors.As(err, &budget) || budget.Method != m.Name ||
				budget.Have != 1<<10 {
				t.Errorf("250 samples within 1 KiB: %v, want a BudgetError of %s", err, m.Name)
			}
			o.Memory = 0
			var first *sparsekm.Classifier
			for _, threads := range []int{1, 2, 5} {
				o.Threads = threads
				clf, report, err := sparsekm.Train(t.Context(), set, o)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Contains(check.Ends(trainer), report.Status) ||
					clf.NumVectors() == 0 || clf.NumVectors() != report.NumVectors ||
					report.Vectors == nil && report.NumVectors != len(report.Support) {
					t.Errorf("status %v, %d vectors, %d of them in the report", report.Status, clf.NumVectors(), report.NumVectors)
				}
				if first == nil {
					first = clf
				} else if !same(t, first, clf) {
					t.Errorf("%d threads give another classifier than one", threads)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if clf, report, err := sparsekm.Train(ctx, set, o); !errors.Is(err, context.Canceled) || clf != nil ||
				report != nil {
				t.Errorf("cancelled before it began: %v, %v, %v, want the context's error", clf, report, err)
			}
		})
	}
}

func same(t *testing.T, a, b *sparsekm.Classifier) bool {
	t.Helper()
	ab, err := a.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	bb, err := b.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Equal(ab, bb)
}

// recorder is a trainer that keeps the problem that it is given.
type recorder struct{ problem *learn.Problem }

func (recorder) Name() string                  { return "recorder" }
func (recorder) EstimateMemory(n, d int) int64 { return 0 }
func (r recorder) Train(_ context.Context, p *learn.Problem) (*learn.Result, error) {
	*r.problem = *p
	return &learn.Result{}, p.Validate()
}

func record(t *testing.T, set *dataset.Set, o sparsekm.Options) (learn.Problem, error) {
	t.Helper()
	var p learn.Problem
	o.Trainer = recorder{&p}
	_, _, err := sparsekm.Train(t.Context(), set, o)
	return p, err
}

func TestWeights(t *testing.T) {
	set := &dataset.Set{X: []float64{1, 2, 3, 4}, N: 4, D: 1, Y: []int{0, 1, 1, 0}, Labels: []string{"-1", "1"}}
	p, err := record(t, set, sparsekm.Options{})
	if err != nil || p.Weight != nil {
		t.Errorf("weights %v (%v) where none are given", p.Weight, err)
	}
	p, err = record(t, set, sparsekm.Options{ClassWeight: map[string]float64{"1": 3}, SampleWeight: []float64{1, 2, 1, 5}})
	if want := []float64{1, 6, 3, 5}; err != nil || !slices.Equal(p.Weight, want) {
		t.Errorf("weights %v (%v), want %v", p.Weight, err, want)
	}
	for _, o := range []sparsekm.Options{
		{ClassWeight: map[string]float64{"2": 1}},
		{ClassWeight: map[string]float64{"1": -1}},
		{ClassWeight: map[string]float64{"1": math.NaN()}},
		{ClassWeight: map[string]float64{"1": 0}}, // leaves one class
		{SampleWeight: []float64{1}},
		{SampleWeight: []float64{1, 1, 1, math.Inf(1)}},
	} {
		if _, err := record(t, set, o); err == nil {
			t.Errorf("accepted %+v", o)
		}
	}
}

func TestScalingIsPartOfTheClassifier(t *testing.T) {
	set := ripley(t)
	o := sparsekm.Options{Trainer: svc.Trainer{}, Scale: dataset.ScaleZ, Kernel: gram.RBF(1)}
	clf, _, err := sparsekm.Train(t.Context(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	scaling, err := dataset.FitZ(set)
	if err != nil {
		t.Fatal(err)
	}
	o.Scale = dataset.ScaleNone
	plain, _, err := sparsekm.Train(t.Context(), scaling.Apply(set), o)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, set.D)
	for i := range set.N {
		scaling.ApplyTo(x, set.Row(i))
		if got, want := clf.Decide(set.Row(i)), plain.Decide(x); got != want {
			t.Fatalf("row %d: decision %v of raw features, %v of scaled ones", i, got, want)
		}
	}
}

func TestTrainRefuses(t *testing.T) {
	for name, set := range map[string]*dataset.Set{
		"one class":  {X: []float64{1, 2}, N: 2, D: 1, Y: []int{0, 0}, Labels: []string{"1"}},
		"no labels":  {X: []float64{1, 2}, N: 2, D: 1},
		"not finite": {X: []float64{1, math.NaN()}, N: 2, D: 1, Y: []int{0, 1}, Labels: []string{"0", "1"}},
	} {
		if _, _, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.Trainer{}}); err == nil {
			t.Errorf("%s: trained", name)
		}
	}
	_, _, err := sparsekm.Train(t.Context(), ripley(t), sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.RBF(-1)})
	if err == nil {
		t.Error("trained with gamma -1")
	}
}

func TestGammaRules(t *testing.T) {
	x := []float64{0, 0, 3, 4, 0, 0, 6, 8} // four samples; distances 5, 0, 10, 5, 5, 10
	var mean, square float64
	for _, v := range x {
		mean += v / 8
		square += v * v / 8
	}
	for _, row := range []struct {
		name string
		rule sparsekm.GammaRule
		want float64
	}{
		{"scale", sparsekm.GammaScale, 1 / (2 * (square - mean*mean))},
		{"auto", prepare.GammaAuto, 0.5},
		{"median", prepare.GammaMedian, 1 / (2 * 25.0)},
		{"per feature", prepare.GammaPerFeature(10), 5},
	} {
		testutil.Near(t, row.name, row.rule(&dataset.Set{X: x, N: 4, D: 2}), row.want, 1e-15)
		for _, empty := range []struct{ n, d int }{{0, 2}, {4, 0}, {1, 1}, {0, 0}} {
			if got := row.rule(&dataset.Set{X: make([]float64, 4), N: empty.n, D: empty.d}); !(got > 0) || math.IsInf(got, 0) {
				t.Errorf("%s: %v for %d zeros of %d features", row.name, got, empty.n, empty.d)
			}
		}
	}
}

// TestValidation prunes with held-out data and wants the model that the trainer finds with the
// same data, scaled by hand.
func TestValidation(t *testing.T) {
	all := ripley(t)
	split, err := all.Split(0.6, 1)
	if err != nil {
		t.Fatal(err)
	}
	set, held := all.Subset(split.Train), all.Subset(split.Test)
	prune := trainer(t, "lssvm-prune", nil)
	o := sparsekm.Options{Trainer: prune, Kernel: gram.RBF(1), Scale: dataset.ScaleZ, Validation: held}
	_, report, err := sparsekm.Train(t.Context(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	scaling, err := dataset.FitZ(set)
	if err != nil {
		t.Fatal(err)
	}
	scaled, test := scaling.Apply(set), scaling.Apply(held)
	p := &learn.Problem{X: scaled.X, N: scaled.N, D: scaled.D, Y: scaled.RestSigns(1), Kernel: o.Kernel,
		Validation: &learn.Validation{X: test.X, Y: test.RestSigns(1), N: test.N}}
	want, err := prune.Train(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(report.Support, want.Support) {
		t.Errorf("%d support vectors, want %d", len(report.Support), len(want.Support))
	}
	p.Validation = nil
	if without, err := prune.Train(t.Context(), p); err != nil || slices.Equal(report.Support, without.Support) {
		t.Errorf("the held-out samples change nothing (%v)", err)
	}
	o.Validation = &dataset.Set{X: []float64{1, 2}, N: 1, D: 2, Y: []int{0}, Labels: []string{"7"}}
	if _, _, err := sparsekm.Train(t.Context(), set, o); err == nil {
		t.Error("accepted validation data of another class")
	}
	o.Validation = &dataset.Set{X: []float64{1, 2}, N: 1, D: 2, Y: []int{3}, Labels: []string{"-1", "1"}}
	if _, _, err := sparsekm.Train(t.Context(), set, o); err == nil {
		t.Error("accepted validation data with a class index out of range")
	}
	o.Trainer, o.Validation = svc.Trainer{}, held
	if _, _, err := sparsekm.Train(t.Context(), set, o); err == nil ||
		!strings.Contains(err.Error(), "svc does not read validation data, only direct, lssvm-prune") {
		t.Errorf("validation data for svc: %v", err)
	}
}

// TestPath wants every classifier of a path to be that of a training at its C.
func TestPath(t *testing.T) {
	set := ripley(t)
	o := sparsekm.Options{Trainer: skm.LPSVC{}, Kernel: gram.RBFSigma(0.5)}
	points, err := sparsekm.Path(t.Context(), set, o, learn.GeometricPath(0.1, 10, 4))
	if err != nil || len(points) < 2 {
		t.Fatalf("%d classifiers (%v)", len(points), err)
	}
	for _, p := range points {
		o.Trainer = skm.LPSVC{C: p.C}
		_, want, err := sparsekm.Train(t.Context(), set, o)
		if err != nil {
			t.Fatal(err)
		}
		got, exact := p.Report.Submodels[0].Report.Objective, want.Submodels[0].Report.Objective
		if !testutil.Within(got, exact, 1e-8*math.Abs(exact)) || p.Classifier.Parts().Params["c"] != p.C {
			t.Errorf("C = %v: objective %v, of a training alone %v", p.C, got, exact)
		}
	}
	if _, err := sparsekm.Path(t.Context(), set, sparsekm.Options{Trainer: svc.Trainer{}}, []float64{1}); err == nil {
		t.Error("a path of svc")
	}
	three := &dataset.Set{X: []float64{1, 2, 3}, N: 3, D: 1, Y: []int{0, 1, 2}, Labels: []string{"0", "1", "2"}}
	if _, err := sparsekm.Path(t.Context(), three, o, []float64{1}); err == nil {
		t.Error("a path of three classes")
	}
}

// A walk that is stopped keeps what it met; one that met nothing returns the context's error.
func TestPathStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	tr := &walker{stop: cancel}
	points, err := sparsekm.Path(ctx, ripley(t), sparsekm.Options{Trainer: tr}, []float64{1, 2, 3})
	if err != nil || len(points) != 1 || points[0].C != 1 {
		t.Errorf("%d samples (%v), want the one before the stop", len(points), err)
	}
	if _, err := sparsekm.Path(ctx, ripley(t), sparsekm.Options{Trainer: tr}, []float64{1, 2, 3}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("stopped before it began: %v", err)
	}
}

// walker finds a model at the first C and is stopped during the second.
type walker struct {
	recorder
	stop func()
}

func (w *walker) Path(ctx context.Context, _ *learn.Problem, c []float64,
	visit func(float64, *learn.Result) bool) error {
	for i, c := range c {
		if i == 1 {
			w.stop()
		}
		if ctx.Err() != nil {
			return learn.Nothing(ctx, "walker")
		}
		visit(c, &learn.Result{Expansion: learn.Expansion{Support: []int{0}, Coef: []float64{1}},
			Report: learn.Report{Status: status.Optimal}})
	}
	return nil
}

// Train and Path say alike that there is no trainer.
func TestNoTrainer(t *testing.T) {
	for name, call := range map[string]func(){
		"Train": func() { sparsekm.Train(t.Context(), ripley(t), sparsekm.Options{}) },
		"Path":  func() { sparsekm.Path(t.Context(), ripley(t), sparsekm.Options{}, []float64{1}) },
	} {
		func() {
			defer func() {
				if r := recover(); r != "sparsekm: Options.Trainer is nil" {
					t.Errorf("%s: panic %v", name, r)
				}
			}()
			call()
		}()
	}
}

// limited is a trainer that a limit stops before it has learnt anything.
type limited struct{ recorder }

func (limited) Train(context.Context, *learn.Problem) (*learn.Result, error) {
	return &learn.Result{Report: learn.Report{Status: status.IterationLimit}}, nil
}

func TestErrors(t *testing.T) {
	if _, _, err := sparsekm.Train(t.Context(), ripley(t), sparsekm.Options{Trainer: limited{}}); err == nil ||
		!strings.Contains(err.Error(), "before anything was learnt") {
		t.Errorf("nothing within the limit: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := sparsekm.Train(ctx, ripley(t), sparsekm.Options{Trainer: limited{}}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("cancelled with nothing learnt: %v", err)
	}
	x := []float64{1, 2, 3, 4}
	for name, set := range map[string]*dataset.Set{
		"one label":          {X: x, N: 4, D: 1, Y: []int{0, 0, 0, 0}, Labels: []string{"a"}},
		"one class of two":   {X: x, N: 4, D: 1, Y: []int{1, 1, 1, 1}, Labels: []string{"a", "b"}},
		"one class of three": {X: x, N: 4, D: 1, Y: []int{2, 2, 2, 2}, Labels: []string{"a", "b", "c"}},
	} {
		if _, _, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.Trainer{}}); !errors.Is(err,
			learn.ErrOneClass) {
			t.Errorf("%s: %v, want ErrOneClass", name, err)
		}
	}
	for name, set := range map[string]*dataset.Set{
		"class 2 of two":   {X: x, N: 4, D: 1, Y: []int{0, 1, 2, 1}, Labels: []string{"a", "b"}},
		"class 3 of three": {X: x, N: 4, D: 1, Y: []int{0, 1, 2, 3}, Labels: []string{"a", "b", "c"}},
		"class -1":         {X: x, N: 4, D: 1, Y: []int{0, 1, -1, 1}, Labels: []string{"a", "b"}},
		"too few values":   {X: x[:3], N: 4, D: 1, Y: []int{0, 1, 0, 1}, Labels: []string{"a", "b"}},
	} {
		if _, _, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.Trainer{}}); err == nil ||
			errors.Is(err, learn.ErrOneClass) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var unknown *learn.UnknownMethodError
	if _, err := sparsekm.Lookup("ssvc"); !errors.As(err, &unknown) || unknown.Name != "ssvc" {
		t.Errorf("unknown method: %v", err)
	}
	if _, err := sparsekm.Parse([]byte("sparsekm")); !errors.Is(err, model.ErrCorrupt) {
		t.Errorf("a model cut short: %v", err)
	}
}

// The classifier keeps the parameters that the trainer used, defaults included.
func TestParams(t *testing.T) {
	clf, _, err := sparsekm.Train(t.Context(), ripley(t),
		sparsekm.Options{Trainer: svc.Trainer{C: 3}, Threads: 2, Memory: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := clf.Parts().Params, map[string]float64{"c": 3, "tolerance": 1e-3}; !maps.Equal(got, want) {
		t.Errorf("parameters %v, want %v", got, want)
	}
}

// TestGammaOfPointsFarApart names the rule that gave γ = 0, which nobody asked for.
func TestGammaOfPointsFarApart(t *testing.T) {
	set, err := dataset.New([]float64{1e300, -1e300, 1}, 3, 1, []string{"a", "b", "b"})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.Trainer{}})
	if err == nil || !strings.Contains(err.Error(), "γ = 0 by its rule") {
		t.Errorf("error %v", err)
	}
}

// grouped is a method that looks at the groups of its samples, each of which has its group for its feature.
type grouped struct{ looked *atomic.Int64 }

var errLooked = errors.New("looked")

func (grouped) Name() string                  { return "grouped" }
func (grouped) EstimateMemory(n, d int) int64 { return 0 }
func (g grouped) Train(_ context.Context, p *learn.Problem) (*learn.Result, error) {
	for i, group := range p.Group {
		if i > 0 && (group == p.Group[i-1]) != (p.X[i] == p.X[i-1]) {
			return nil, fmt.Errorf("sample %d of group %d, %v", i, group, p.X[i])
		}
	}
	g.looked.Add(int64(len(p.Group)))
	return nil, errLooked
}

// TestGroupsReachMethods: a model knows the groups of its own samples, absent ones left out.
func TestGroupsReachMethods(t *testing.T) {
	set := &dataset.Set{N: 60, D: 1, Labels: []string{"a", "b"}}
	weight := make([]float64, set.N)
	for i := range set.N {
		set.X = append(set.X, float64(i/6))
		set.Y = append(set.Y, i%2)
		set.Groups = append(set.Groups, fmt.Sprint("p", i/6))
		weight[i] = float64(min(1, i%7))
	}
	three := *set
	three.Labels, three.Y = []string{"a", "b", "c"}, make([]int, set.N)
	for i := range three.Y {
		three.Y[i] = i % 3
	}
	for _, s := range []*dataset.Set{set, &three} {
		for _, scheme := range []model.Scheme{model.OneVsRest, model.OneVsOne} {
			var looked atomic.Int64
			o := sparsekm.Options{Trainer: grouped{&looked}, Kernel: gram.RBF(1), Scheme: scheme, SampleWeight: weight}
			if _, _, err := sparsekm.Train(t.Context(), s, o); !errors.Is(err, errLooked) || looked.Load() < 20 {
				t.Errorf("%d classes, %v: %v, %d samples", len(s.Labels), scheme, err, looked.Load())
			}
		}
	}
}

// witness keeps the profiles of all goroutines at the moments at which a training asks whether it shall end.
type witness struct {
	context.Context
	t        *testing.T
	mu       sync.Mutex
	calls    int
	profiles strings.Builder
}

func (w *witness) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.calls++; w.calls < 100 || w.calls%7 == 0 {
		var b bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
			w.t.Error(err)
		}
		w.profiles.Write(b.Bytes())
	}
	return w.Context.Err()
}

// Profiles say of the work of a training which phase, method and round it is for.
func TestProfileLabels(t *testing.T) {
	for _, trainer := range []learn.Trainer{ssvc.A{}, ssvclp.B{}, ssvclp.W{}, ssvclp.FeaturesB{}} {
		w := &witness{Context: t.Context(), t: t}
		o := sparsekm.Options{Trainer: trainer, Kernel: gram.RBF(0.05)}
		if strings.Contains(trainer.Name(), "features") {
			o.Kernel = gram.Linear()
		}
		if _, _, err := sparsekm.Train(w, dataset.Ringnorm(200, 1), o); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"phase":"train"`, `"method":"` + trainer.Name() + `"`, `"round":"2"`} {
			if !strings.Contains(w.profiles.String(), want) {
				t.Errorf("%s: no label %s in %d bytes of profiles of %d moments", trainer.Name(), want, w.profiles.Len(), w.calls)
			}
		}
	}
}
