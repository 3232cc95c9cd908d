package sparsekm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/bayes"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/skm"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/model"
	_ "github.com/sparsekm/sparsekm/model/importers/all"
	"github.com/sparsekm/sparsekm/status"
)

// TestReportJSON marshals what every method reports of two classes and of three, and wants the models
// back bit for bit.
func TestReportJSON(t *testing.T) {
	for _, file := range []string{"testdata/ripley.train.libsvm", "testdata/iris.libsvm"} {
		classes, err := dataset.ReadFile(file, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range sparsekm.Methods() {
			set := targetsFor(m, classes)
			trainer, err := m.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			_, r, err := sparsekm.Train(context.Background(), set, sparsekm.Options{Trainer: trainer, Kernel: gram.RBF(1)})
			if err != nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
			b, err := json.Marshal(r)
			if err != nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
			var back struct {
				Method, Scheme string
				N, D, SV       int
				Classes        []string
				Kernel         struct{ Gamma float64 }
				Status         string
				Support        []int
				Vectors        [][]float64
				Submodels      []struct {
					Positive, Negative string
					Coef               []float64
					Bias               float64
					Report             map[string]any
				}
			}
			if err = json.Unmarshal(b, &back); err != nil {
				t.Fatalf("%s: %v in %s", m.Name, err, b)
			}
			if back.Method != m.Name || back.N != set.N || back.D != set.D || back.SV != r.NumVectors ||
				!slices.Equal(back.Classes, r.Labels) || back.Kernel.Gamma != r.Kernel.Gamma || back.Status != r.Status.String() ||
				!slices.Equal(back.Support, r.Support) || len(back.Vectors)*r.D != len(r.Vectors) || back.Scheme == "" {
				t.Errorf("%s: %s", m.Name, b)
			}
			for i, machine := range r.Submodels {
				got := back.Submodels[i]
				positive := ""
				if !r.Task.Real() {
					positive = r.Labels[machine.Pos]
				}
				if !slices.Equal(got.Coef, machine.Coef) || got.Bias != machine.Bias || got.Positive != positive ||
					got.Report["status"] != machine.Report.Status.String() || got.Report["seconds"] == nil {
					t.Errorf("%s: model %d: %v", m.Name, i, got)
				}
			}
		}
	}
}

// TestConstant: a classifier without a vector is said to have one answer.
func TestConstant(t *testing.T) {
	set := &dataset.Set{N: 5, D: 1, X: []float64{1, 1, 1, 1, 1}, Y: []int{0, 1, 1, 0, 1}, Labels: []string{"a", "b"}}
	for _, o := range []sparsekm.Options{{Trainer: svc.Trainer{C: 1}, Kernel: gram.RBF(1)},
		{Trainer: ssvclp.B{C: 1e-3}, Kernel: gram.RBF(1)}} {
		clf, report, err := sparsekm.Train(t.Context(), set, o)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(report)
		if err != nil || !report.Constant || clf.NumVectors() != 0 || !strings.Contains(string(text), `"constant":true`) {
			t.Errorf("%s: %d vectors, constant %v: %s, %v", report.Method, clf.NumVectors(), report.Constant, text, err)
		}
	}
	set.X = []float64{1, 2, 2, 1, 2}
	if _, report, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.Trainer{C: 10},
		Kernel: gram.RBF(1)}); err != nil || report.Constant {
		t.Errorf("two samples apart are constant, %v", err)
	}
}

// TestLogTo wants a record for every round, with the round's numbers.
func TestLogTo(t *testing.T) {
	set, err := dataset.ReadFile("testdata/ripley.train.libsvm", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	_, report, err := sparsekm.Train(context.Background(), set, sparsekm.Options{
		Trainer: ssvc.A{C: 1}, Kernel: gram.RBFSigma(0.5),
		Progress: sparsekm.LogTo(slog.New(slog.NewJSONHandler(&log, nil))),
	})
	if err != nil {
		t.Fatal(err)
	}
	rounds := 0
	for d := json.NewDecoder(&log); d.More(); {
		var r struct {
			Msg, Level, Phase string
			Step, Vectors     int
			Objective, Gap    float64
		}
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		if r.Phase != "round" {
			continue
		}
		want := report.Submodels[0].Report.Rounds[rounds]
		rounds++
		if r.Msg != "training" || r.Level != "INFO" || r.Step != rounds || r.Vectors != want.Nonzeros ||
			r.Objective != want.Objective || r.Gap != want.Gap {
			t.Errorf("round %d: %+v, want %+v", rounds, r, want)
		}
	}
	if rounds != len(report.Submodels[0].Report.Rounds) {
		t.Errorf("%d rounds in the log, %d in the report", rounds, len(report.Submodels[0].Report.Rounds))
	}
}

// TestLogToUnknown wants no attribute for what an event does not know, and no number that JSON has not.
func TestLogToUnknown(t *testing.T) {
	var log bytes.Buffer
	to := sparsekm.LogTo(slog.New(slog.NewJSONHandler(&log, nil)))
	to(learn.Event{Phase: "gram", Done: -1})
	to(learn.Event{Phase: "smo", Done: math.NaN(), Violation: math.Inf(1), Round: &learn.Round{Objective: math.NaN()}})
	want := []map[string]any{
		{"level": "INFO", "msg": "training", "phase": "gram"},
		{"level": "INFO", "msg": "training", "phase": "smo", "vectors": 0.0, "hinge": 0.0, "gap": 0.0, "inner_iterations": 0.0},
	}
	d := json.NewDecoder(&log)
	for i := range want {
		var got map[string]any
		if err := d.Decode(&got); err != nil {
			t.Fatal(err)
		}
		delete(got, "time")
		if diff := cmp.Diff(want[i], got); diff != "" {
			t.Error(diff)
		}
	}
}

// area is the share of the pairs of a sample of the class and another one whose scores are in order, pair by pair.
func area(set *dataset.Set, class int, score func(i int) float64) float64 {
	sum, pairs := 0.0, 0.0
	for i, a := range set.Y {
		for k, b := range set.Y {
			if a != class || b == class {
				continue
			}
			pairs++
			switch f, g := score(i), score(k); {
			case f > g:
				sum++
			case f == g:
				sum += 0.5
			}
		}
	}
	return sum / pairs
}

// TestEvaluate holds every figure against loops over the samples: of two classes either of which may be the
// positive one, and of three in both schemes, with probabilities and without.
func TestEvaluate(t *testing.T) {
	iris, err := dataset.ReadFile(testutil.Testdata(t, "iris.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	libsvm := func(name string) *sparsekm.Classifier {
		c, failed := sparsekm.Load(filepath.Join("model", "testdata", name+".model"))
		if failed != nil {
			t.Fatal(failed)
		}
		return c
	}
	trained := func(set *dataset.Set, scheme model.Scheme, folds int) *sparsekm.Classifier {
		c, _, failed := sparsekm.Train(t.Context(), set,
			sparsekm.Options{Trainer: svc.Trainer{C: 0.1}, Kernel: gram.RBF(1), Scheme: scheme, Calibrate: folds})
		if failed != nil {
			t.Fatal(failed)
		}
		return c
	}
	oneEach := func(c *sparsekm.Classifier) *sparsekm.Classifier {
		p := c.Parts()
		first := p.Submodels[0]
		first.Pos, first.Neg, first.Bias = 0, learn.Rest, 0.1
		first.Coef = make([]float64, len(first.Coef))
		p.Submodels[0].Neg = learn.Rest
		p.Submodels, p.Scheme = append(p.Submodels, first), model.OneVsRest
		c, failed := model.New(p)
		if failed != nil {
			t.Fatal(failed)
		}
		return c
	}
	for _, tt := range []struct {
		name string
		set  *dataset.Set
		clf  *sparsekm.Classifier
	}{
		{"two", ripley(t), trained(ripley(t), model.Binary, 5)},
		{"two, one model each", ripley(t), oneEach(trained(ripley(t), model.Binary, 0))},
		{"LIBSVM's two", ripley(t), libsvm("ripley.train")},
		{"rest", iris, trained(iris, model.OneVsRest, 0)},
		{"pairs", iris, trained(iris, model.OneVsOne, 0)},
		{"LIBSVM's pairs", iris, libsvm("iris")},
	} {
		r, err := sparsekm.Evaluate(t.Context(), tt.clf, tt.set, 2)
		if err != nil {
			t.Fatal(err)
		}
		clf, k, m := tt.clf, len(tt.set.Labels), tt.clf.NumSubmodels()
		want := tt.set.ClassOf(clf.Labels())
		set := *tt.set // with the classifier's indices of classes
		set.Y = want
		f, p := make([]float64, set.N*m), make([]float64, set.N*k)
		clf.DecideBatch(f, set.X, set.N, 1)
		wrong, loss := 0, 0.0
		if clf.Calibrated() == nil {
			clf.ProbabilitiesOf(p, f, set.N, 1)
		}
		for i, c := range want {
			if clf.Predict(set.Row(i)) != c {
				wrong++
			}
			loss -= math.Log(p[i*k+c]) / float64(set.N)
		}
		if r.Samples != set.N || r.Errors != wrong || wrong == 0 {
			t.Errorf("%s: %d errors of %d samples, want %d", tt.name, r.Errors, r.Samples, wrong)
		}
		if (r.LogLoss != nil) != (clf.Calibrated() == nil) {
			t.Errorf("%s: log loss %v", tt.name, r.LogLoss)
		} else if r.LogLoss != nil {
			testutil.Near(t, tt.name+": log loss", *r.LogLoss, loss, 1e-13)
		}
		if clf.Scheme() == model.OneVsOne && k > 2 && clf.Calibrated() != nil {
			if r.AUC != nil {
				t.Errorf("%s: area under the curve of votes", tt.name)
			}
			continue
		}
		areas := 0.0
		for c := range k {
			score := func(i int) float64 { return p[i*k+c] }
			if clf.Scheme() == model.OneVsRest && k > 2 {
				j := 0
				for clf.PositiveLabel(j) != clf.Label(c) {
					j++
				}
				score = func(i int) float64 { return f[i*m+j] }
			} else if k == 2 && m == 2 {
				score = func(i int) float64 { return f[2*i+1-c] - f[2*i+c] }
			}
			areas += area(&set, c, score) / float64(k)
		}
		testutil.Near(t, tt.name+": area", *r.AUC, areas, 1e-12)
	}
}

func TestEvaluateRefuses(t *testing.T) {
	clf, _, err := sparsekm.Train(t.Context(), ripley(t), sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.Poly(3, 1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	far := ripley(t).Subset([]int{0, 1, 2})
	far.X[3] = 1e200
	bare := ripley(t)
	bare.Y, bare.Labels = nil, nil
	for want, set := range map[string]*dataset.Set{
		"decision for sample 1": far, "no labels": bare, "samples of 3 features, want 2": ripley(t).Widen(3),
	} {
		if _, err := sparsekm.Evaluate(t.Context(), clf, set, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// digits is the number of binary digits of an integer.
func digits(v float64) (n int) {
	for v = math.Abs(v); v >= 1; v = math.Floor(v / 2) {
		n++
	}
	return n
}

// decoded is the classifier of some samples and integers, and the length of their message.
func decoded(t *testing.T, set *dataset.Set, k gram.Kernel, rows []int, whole []float64,
	bias float64) (*model.Classifier, float64) {
	t.Helper()
	p := model.BinaryParts(k, set.X, set.D, learn.Expansion{Support: rows, Coef: whole, Bias: bias})
	p.Labels = set.Labels
	clf, err := model.New(p)
	if err != nil {
		t.Fatal(err)
	}
	count := func(v int) float64 { return math.Log2(float64((v + 1) * (v + 2))) }
	levels, own := 1.0, true
	for s, q := range whole {
		levels = max(levels, math.Abs(q))
		own = own && q > 0 == (set.Y[rows[s]] == 1)
	}
	bits := math.Log2(levels)
	if !own {
		bits++
	}
	// Scaled or not, signs or not, levels, coefficients, bias.
	return clf, 1 + 1 + count(int(levels)-1) + float64(len(rows))*bits + count(digits(bias)) + float64(digits(bias))
}

// missed counts the errors on samples that are not among the rows.
func missed(clf *model.Classifier, set *dataset.Set, rows []int) (errs int) {
	vector := make([]bool, set.N)
	for _, i := range rows {
		vector[i] = true
	}
	for i := range set.N {
		if !vector[i] && clf.Predict(set.Row(i)) != set.Y[i] {
			errs++
		}
	}
	return errs
}

var boundTrainers = []learn.Trainer{ssvc.A{C: 1}, ssvclp.B{C: 1}, skm.Trainer{}, skm.L1SVM{C: 1}, svc.Trainer{C: 1},
	bayes.RVM{}}

// TestBoundDecoded: samples, integers and the kernel are the written model, bit for bit; errors, message and bound are
// those that a loop counts; and no other rounding of the coefficients has a smaller bound.
func TestBoundDecoded(t *testing.T) {
	set, fresh := dataset.PelegMeir(400, 0.1, 3), dataset.PelegMeir(100, 0.1, 4)
	k := gram.RBF(0.25)
	for _, trainer := range boundTrainers {
		o := sparsekm.Options{Trainer: trainer, Kernel: k}
		_, plain, err := sparsekm.Train(t.Context(), set, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Bound = sparsekm.Bound{Confidence: 0.9, Settings: 3}
		clf, r, err := sparsekm.Train(t.Context(), set, o)
		if err != nil {
			t.Fatal(err)
		}
		m, b, of := r.Submodels[0], r.Bound, plain.Submodels[0]
		logDelta := math.Log(0.1 / 3)
		smallest, chosen := math.Inf(1), false
		top := math.Exp2(math.Ceil(math.Log2(largestOf(of.Coef))))
		for step := range 17 {
			at := top / math.Exp2(float64(step))
			var rows []int
			var whole []float64
			for s, c := range of.Coef {
				if q := math.Round(c / at); q != 0 {
					rows = append(rows, of.Support[s])
					whole = append(whole, q)
				}
			}
			other, bits := decoded(t, set, k, rows, whole, math.Round(of.Bias/at))
			v := metrics.Compression{Samples: set.N, Vectors: len(rows), Errors: missed(other, set, rows), Bits: bits}
			smallest = min(smallest, v.Bound(logDelta))
			if !testutil.Within(bits, b.Message, 1e-9) || len(rows) != b.Vectors {
				continue
			}
			chosen = true
			testutil.Near(t, trainer.Name(), b.Value, v.Bound(logDelta), 1e-12)
			if b.Errors != v.Errors || b.Others != set.N-len(rows) {
				t.Errorf("%s: %+v, want %+v", trainer.Name(), *b, v)
			}
			for s, q := range whole {
				if m.Coef[s] != q*at || m.Support[s] != rows[s] {
					t.Fatalf("%s: coefficient %v of row %d, want %v of %d", trainer.Name(), m.Coef[s], m.Support[s], q*at, rows[s])
				}
			}
			for i := range fresh.N { // the scale of a power of two changes no other bit
				if got, want := clf.Decide(fresh.Row(i)), at*other.Decide(fresh.Row(i)); got != want {
					t.Fatalf("%s: decision %v, decoded %v", trainer.Name(), got, want)
				}
			}
		}
		if !chosen {
			t.Errorf("%s: no rounding has %d vectors and a message of %v bits", trainer.Name(), b.Vectors, b.Message)
		}
		if smallest < 0.5 && !(b.Value <= smallest+1e-12) {
			t.Errorf("%s: bound %v, want %v", trainer.Name(), b.Value, smallest)
		}
	}
}

func largestOf(v []float64) (largest float64) {
	for _, c := range v {
		largest = max(largest, math.Abs(c))
	}
	return largest
}

// TestBoundChoosesMargin: the bound chooses among the model of the least f0 and those of many margins, and is the one
// of the model that is returned.
func TestBoundChoosesMargin(t *testing.T) {
	below, k := 0, gram.RBF(0.25)
	for seed := range uint64(6) {
		set := dataset.PelegMeir(200, 0.1, seed)
		train := func(o sparsekm.Options) (*sparsekm.Classifier, *sparsekm.Report) {
			o.Kernel, o.Bound.Confidence = k, 0.95
			clf, r, err := sparsekm.Train(t.Context(), set, o)
			if err != nil {
				t.Fatal(err)
			}
			return clf, r
		}
		_, byF0 := train(sparsekm.Options{Trainer: skm.Trainer{C: 1}})
		clf, r := train(sparsekm.Options{Trainer: skm.Trainer{C: 1, MarginBy: "compression"}})
		if r.Bound.Value < byF0.Bound.Value {
			below++
		}
		one := r.Submodels[0].Report
		f := one.Figures.(skm.Figures)
		if r.Status != status.FixedPoint || !slices.Contains(f.Deltas, f.Delta) || len(f.Deltas) != len(one.Rounds) {
			t.Errorf("%v, margin %v of %d, %d rounds", r.Status, f.Delta, len(f.Deltas), len(one.Rounds))
		}
		if best := byF0.Bound.Value; !(r.Bound.Value <= best) {
			t.Errorf("bound %v, %v at the margin of the least f0", r.Bound.Value, best)
		}
		for step := range 24 {
			delta := math.Pow(1e-3, float64(step)/23)
			_, one := train(sparsekm.Options{Trainer: skm.Trainer{C: 1, Delta: delta}})
			testutil.AtMost(t, "bound", r.Bound.Value, one.Bound.Value*(1+1e-12))
		}
		m := r.Submodels[0]
		v := metrics.Compression{Samples: set.N, Vectors: len(m.Support), Errors: missed(clf, set, m.Support), Bits: r.Bound.Message}
		testutil.Near(t, "bound", r.Bound.Value, v.Bound(math.Log1p(-0.95)), 1e-12)
	}
	if below < 4 {
		t.Errorf("%d of 6 bounds are smaller than those of f0's margin", below)
	}
}

// TestBoundMarginRefused: only a training with a bound has one to choose by.
func TestBoundMarginRefused(t *testing.T) {
	set := dataset.PelegMeir(60, 0.1, 3)
	by := func(delta float64, bound float64, refit bool) error {
		o := sparsekm.Options{Trainer: skm.Trainer{C: 1, Delta: delta, MarginBy: "compression"}, Kernel: gram.RBF(1), Refit: refit}
		o.Bound.Confidence = bound
		_, _, err := sparsekm.Train(t.Context(), set, o)
		return err
	}
	for what, err := range map[string]error{"no bound": by(0, 0, false), "a refit": by(0, 0.95, true), "a margin": by(0.1, 0.95, false)} {
		if one := new(learn.ParamError); !errors.As(err, &one) || one.Param != "margin_by" {
			t.Errorf("%s: %v", what, err)
		}
	}
	o := sparsekm.Options{Trainer: skm.Trainer{MarginBy: "compression"}, Kernel: gram.RBF(1)}
	if _, err := sparsekm.Path(t.Context(), set, o, []float64{1}); !errors.As(err, new(*learn.ParamError)) {
		t.Errorf("path: %v", err)
	}
}

// several shows a model, ends the context and shows another one.
type several struct {
	ending
	also skm.Trainer
}

func (several) Leaves() bool { return true }

func (s several) Models(ctx context.Context, p *learn.Problem, value func(*learn.Result) (float64, error)) error {
	r, err := s.also.Train(ctx, p)
	if err == nil {
		_, err = value(r)
	}
	if err != nil {
		return err
	}
	if r, err = s.ending.Train(ctx, p); err == nil {
		_, err = value(r)
	}
	return err
}

// TestBoundSearchStopped: a context that ends during the search leaves the best model so far, with its bound.
func TestBoundSearchStopped(t *testing.T) {
	set := dataset.PelegMeir(400, 0.1, 3)
	ctx, cancel := context.WithCancel(t.Context())
	o := sparsekm.Options{Trainer: several{ending{svc.Trainer{C: 1}, cancel}, skm.Trainer{C: 1}}, Kernel: gram.RBF(0.25),
		Bound: sparsekm.Bound{Confidence: 0.95}}
	_, r, err := sparsekm.Train(ctx, set, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Bound == nil || r.Status != status.Cancelled || !(r.Bound.Value < 0.5) {
		t.Errorf("bound %v, status %v", r.Bound, r.Status)
	}
}

// TestBoundScaled: γ by a rule and spreads are few bits, and these are counted.
func TestBoundScaled(t *testing.T) {
	set := dataset.PelegMeir(400, 0.1, 3)
	for i := range set.N {
		set.Row(i)[1] *= 1000
	}
	o := sparsekm.Options{Trainer: ssvclp.B{C: 1}, Bound: sparsekm.Bound{Confidence: 0.95}, Scale: dataset.ScaleAuto}
	clf, r, err := sparsekm.Train(t.Context(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	gamma, sc := clf.Kernel().Gamma, clf.Parts().Scaling
	testutil.Near(t, "twice the logarithm of γ", 2*math.Log2(gamma), math.Round(2*math.Log2(gamma)), 1e-9)
	for k, w := range sc.Spread {
		if f, _ := math.Frexp(w); f != 0.5 || sc.Center[k] != 0 {
			t.Errorf("feature %d: centre %v, spread %v", k, sc.Center[k], w)
		}
	}
	if !(sc.Spread[1]/sc.Spread[0] > 100) {
		t.Errorf("spreads %v", sc.Spread)
	}
	octave := func(v float64) int64 { return int64(math.Round(math.Log2(v))) }
	extra := metrics.IntegerBits(octave(gamma*gamma)) + metrics.StepBits(octave(sc.Spread[0])) +
		metrics.StepBits(octave(sc.Spread[1])-octave(sc.Spread[0]))
	if !(extra > 12) || !(r.Bound.Message > extra+2) || !(r.Bound.Value < 0.5) {
		t.Errorf("%v bits of γ and spreads, %+v", extra, *r.Bound)
	}
	far := dataset.PelegMeir(60, 0.1, 3)
	for i := range far.N {
		far.Row(i)[0] += 1e6
	}
	o.Scale = dataset.ScaleZ
	if _, _, err = sparsekm.Train(t.Context(), far, o); err == nil || !strings.Contains(err.Error(), "spreads from 0") {
		t.Errorf("far from 0: %v", err)
	}
}

// TestBoundRefused: what the samples decide without a message has no bound.
func TestBoundRefused(t *testing.T) {
	set := dataset.PelegMeir(60, 0.1, 3)
	asked := sparsekm.Options{Trainer: svc.Trainer{C: 1}, Kernel: gram.RBF(0.25), Bound: sparsekm.Bound{Confidence: 0.95}}
	table := *set
	table.Columns = dataset.Columns{{Name: "a", Role: dataset.RoleNumber}, {Name: "b", Role: dataset.RoleNumber, Filled: true},
		{Name: "c", Role: dataset.RoleLabel}}
	for want, change := range map[string]func(*sparsekm.Options) *dataset.Set{
		"want a share":     func(o *sparsekm.Options) *dataset.Set { o.Bound.Confidence = 1; return set },
		"want at least 0":  func(o *sparsekm.Options) *dataset.Set { o.Bound.Settings = -1; return set },
		"two classes":      func(*sparsekm.Options) *dataset.Set { return dataset.Waveform(60, 1) },
		"no weights":       func(o *sparsekm.Options) *dataset.Set { o.ClassWeight = map[string]float64{"1": 2}; return set },
		"no probabilities": func(o *sparsekm.Options) *dataset.Set { o.Calibrate = 3; return set },
		"no candidates":    func(o *sparsekm.Options) *dataset.Set { o.Trainer, o.Candidates = skm.L1SVM{C: 1}, set; return set },
		"chosen without":   func(o *sparsekm.Options) *dataset.Set { o.LearnWidths = true; return set },
		"interval":         func(o *sparsekm.Options) *dataset.Set { o.Scale = dataset.ScaleMinMax; return set },
		"training samples": func(o *sparsekm.Options) *dataset.Set { o.Trainer = direct.Trainer{}; return set },
		"missing cells":    func(*sparsekm.Options) *dataset.Set { return &table },
		"prediction sets": func(o *sparsekm.Options) *dataset.Set {
			o.Conformal.Coverage = 0.8
			return set
		},
	} {
		o := asked
		of := change(&o)
		if _, _, err := sparsekm.Train(t.Context(), of, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	table.Notes = &dataset.Notes{Numbers: 2} // of complete columns, whose values fill later files only
	if _, _, err := sparsekm.Train(t.Context(), &table, asked); err != nil {
		t.Error(err)
	}
	asked.Trainer = skm.L1SVM{C: 1}
	if _, err := sparsekm.Path(t.Context(), set, asked, []float64{1}); err == nil || !strings.Contains(err.Error(), "no bounds") {
		t.Errorf("path: %v", err)
	}
}

// TestBoundVacuous: where no rounding has a bound below one half, the model keeps its digits.
func TestBoundVacuous(t *testing.T) {
	set := dataset.PelegMeir(60, 0.1, 3)
	o := sparsekm.Options{Trainer: svc.Trainer{C: 1}, Kernel: gram.RBF(4), Bound: sparsekm.Bound{Confidence: 0.95}}
	_, r, err := sparsekm.Train(t.Context(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	if b := r.Bound; !(b.Value >= 0.5) || !(b.Bits > 14) {
		t.Errorf("%+v", *b)
	}
}

// TestBoundStopped: a context that ends leaves the model of the training.
func TestBoundStopped(t *testing.T) {
	set := dataset.PelegMeir(400, 0.1, 3)
	ctx, cancel := context.WithCancel(t.Context())
	o := sparsekm.Options{Trainer: ending{svc.Trainer{C: 1}, cancel}, Kernel: gram.RBF(0.25),
		Bound: sparsekm.Bound{Confidence: 0.95}}
	clf, r, err := sparsekm.Train(ctx, set, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Bound != nil || r.Status != status.Cancelled || clf.NumVectors() == 0 {
		t.Errorf("bound %v, status %v, %d vectors", r.Bound, r.Status, clf.NumVectors())
	}
}

// ending ends the context after its training.
type ending struct {
	svc.Trainer
	end func()
}

func (e ending) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	defer e.end()
	return e.Trainer.Train(ctx, p)
}
