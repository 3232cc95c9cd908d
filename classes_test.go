package sparsekm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/lssvm"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/status"
)

// TestSeveralClasses trains iris from Go in every scheme, with weights and scaling, and
// wants of each model the decisions of a two-class training stated by hand, and of the
// classifier the class that the scheme's rule makes of them.
func TestSeveralClasses(t *testing.T) {
	set, err := dataset.ReadFile(testutil.Testdata(t, "iris.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := sparsekm.Options{
		Trainer: svc.Trainer{C: 2, Tolerance: 1e-9}, Kernel: gram.RBF(0.3), Scale: dataset.ScaleZ,
		ClassWeight: map[string]float64{"2": 3}, SampleWeight: make([]float64, set.N),
	}
	weight := make([]float64, set.N)
	for i := range weight {
		o.SampleWeight[i] = float64(i%5) / 2
		if weight[i] = o.SampleWeight[i]; set.Labels[set.Y[i]] == "2" {
			weight[i] *= 3
		}
	}
	var present []int
	for i, w := range weight {
		if w > 0 {
			present = append(present, i)
		}
	}
	scaling, err := dataset.FitZ(set.Subset(present))
	if err != nil {
		t.Fatal(err)
	}
	scaled := scaling.Apply(set)
	for _, scheme := range []model.Scheme{model.Binary, model.OneVsRest, model.OneVsOne, model.PairwiseFuzzy} {
		t.Run(fmt.Sprint(scheme), func(t *testing.T) {
			if o.Scheme = scheme; scheme == model.Binary {
				scheme = model.OneVsRest // what the zero value means for three classes
			}
			clf, report, err := sparsekm.Train(t.Context(), set, o)
			if err != nil {
				t.Fatal(err)
			}
			labels := slices.Equal(report.Labels, []string{"1", "2", "3"})
			if report.Status != status.Optimal || !labels || report.Scheme != scheme {
				t.Errorf("status %v, classes %v, scheme %v", report.Status, report.Labels, report.Scheme)
			}
			decisions := make([]float64, 3*set.N) // a row of the set has three decisions
			clf.DecideBatch(decisions, set.X, set.N, 1)
			used := map[int]bool{}
			for k, m := range report.Submodels {
				checkMachine(t, scaled, o, weight, k, m, decisions)
				for _, i := range m.Support {
					used[i] = true
				}
			}
			if pool := report.Support; len(pool) != len(used) || !slices.IsSorted(pool) ||
				slices.ContainsFunc(pool, func(i int) bool { return !used[i] }) {
				t.Errorf("a pool of %d vectors %v, the models use %d", len(pool), pool, len(used))
			}
			for i := range set.N {
				if got, want := clf.Predict(set.Row(i)), decide(scheme, report, decisions[3*i:3*i+3]); got != want {
					t.Errorf("row %d is of class %d, want %d", i, got, want)
				}
			}
		})
	}
}

// checkMachine trains model k by hand.
func checkMachine(t *testing.T, scaled *dataset.Set, o sparsekm.Options, weight []float64,
	k int, m learn.Trained, decisions []float64) {
	t.Helper()
	p := &learn.Problem{D: scaled.D, Kernel: o.Kernel}
	for i, c := range scaled.Y {
		if c != m.Pos && m.Neg >= 0 && c != m.Neg {
			continue
		}
		y := -1.0
		if c == m.Pos {
			y = 1
		}
		p.X = append(p.X, scaled.Row(i)...)
		p.Y = append(p.Y, y)
		p.Weight = append(p.Weight, weight[i])
		p.N++
	}
	r, err := o.Trainer.Train(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	got, want := make([]float64, scaled.N), make([]float64, scaled.N)
	for i := range scaled.N {
		got[i], want[i] = decisions[3*i+k], r.Bias
		for s, j := range r.Support {
			want[i] += r.Coef[s] * o.Kernel.Eval(scaled.Row(i), p.X[j*p.D:(j+1)*p.D])
		}
	}
	testutil.NearAll(t, fmt.Sprintf("model %d, %d against %d", k, m.Pos, m.Neg), got, want, 1e-7)
}

// decide is the class by the scheme's rule: the largest decision, the most votes, or
// the largest smallest membership min(1, ±f) of Abe (2008), section 4.2; the first of equals.
func decide(scheme model.Scheme, r *sparsekm.Report, f []float64) int {
	score := make([]float64, len(r.Labels))
	if scheme == model.PairwiseFuzzy {
		for c := range score {
			score[c] = 1
		}
	}
	for k, m := range r.Submodels {
		switch scheme {
		case model.OneVsRest:
			score[m.Pos] = f[k]
		case model.OneVsOne:
			if f[k] > 0 {
				score[m.Pos]++
			} else {
				score[m.Neg]++
			}
		case model.PairwiseFuzzy:
			score[m.Pos], score[m.Neg] = min(score[m.Pos], f[k]), min(score[m.Neg], -f[k])
		}
	}
	return slices.Index(score, slices.Max(score))
}

// TestSeveralClassesRefuse checks that what is wrong with one model is an error of the training.
func TestSeveralClassesRefuse(t *testing.T) {
	set, err := dataset.ReadFile(testutil.Testdata(t, "iris.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]sparsekm.Options{
		"cost":   {Trainer: svc.Trainer{C: -1}},
		"gamma":  {Trainer: svc.Trainer{}, Kernel: gram.RBF(-1)},
		"class":  {Trainer: svc.Trainer{}, ClassWeight: map[string]float64{"4": 1}},
		"absent": {Trainer: svc.Trainer{}, Scheme: model.OneVsOne, ClassWeight: map[string]float64{"1": 0, "2": 0}},
	} {
		if _, _, err := sparsekm.Train(t.Context(), set, o); err == nil {
			t.Errorf("%s: trained", name)
		}
	}
}

// TestFreeVectors trains iris with vectors that are no rows: against the rest together, over one pool and with one
// kernel, pair by pair with a kernel for each. The decisions are the models' own over the report's vectors.
func TestFreeVectors(t *testing.T) {
	set, err := dataset.ReadFile(testutil.Testdata(t, "iris.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		widths bool
		scheme model.Scheme
		pool   int
	}{
		{false, model.OneVsRest, 3}, {true, model.OneVsRest, 3}, {false, model.OneVsOne, 9}, {true, model.OneVsOne, 9},
	} {
		o := sparsekm.Options{Trainer: direct.Trainer{MaxSV: 3, FeatureWidths: c.widths}, Kernel: gram.RBF(0.3),
			Scheme: c.scheme}
		clf, report, err := sparsekm.Train(t.Context(), set, o)
		if err != nil {
			t.Fatal(err)
		}
		if report.Support != nil || report.NumVectors != c.pool || len(report.Vectors) != c.pool*set.D ||
			clf.NumVectors() != c.pool {
			t.Fatalf("%+v: %d vectors, %d rows", c, report.NumVectors, len(report.Support))
		}
		decisions := make([]float64, 3*set.N)
		clf.DecideBatch(decisions, set.X, set.N, 1)
		for k, m := range report.Submodels {
			kernel := report.Kernel
			if m.Kernel != nil {
				kernel = *m.Kernel
			}
			if own := c.widths && c.scheme == model.OneVsOne; own != (m.Kernel != nil) || len(m.Support) != 3 {
				t.Errorf("%+v: model %d: kernel of its own %v, %d vectors", c, k, m.Kernel != nil, len(m.Support))
			}
			for i := range set.N {
				f := m.Bias
				for s, j := range m.Support {
					f += m.Coef[s] * kernel.Eval(report.Vectors[j*set.D:(j+1)*set.D], set.Row(i))
				}
				testutil.NearRel(t, fmt.Sprintf("%+v: model %d, row %d", c, k, i), decisions[3*i+k], f, 1e-12)
			}
		}
		if wrong := misses(clf, set); wrong > 6 {
			t.Errorf("%+v: %d wrong", c, wrong)
		}
	}
}

func misses(clf *sparsekm.Classifier, set *dataset.Set) (wrong int) {
	for i := range set.N {
		if clf.Predict(set.Row(i)) != set.Y[i] {
			wrong++
		}
	}
	return wrong
}

// TestCalibrate fits to the decisions of a cross-validation that is written out here, without the samples of
// weight 0; the models are those of a training without it, for any number of threads.
func TestCalibrate(t *testing.T) {
	set, err := dataset.ReadFile(testutil.Testdata(t, "iris.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []model.Scheme{model.OneVsRest, model.OneVsOne} {
		checkCalibrate(t, set, 4, 0, sparsekm.Options{Trainer: svc.Trainer{C: 2}, Kernel: gram.RBF(0.3),
			Scale: dataset.ScaleZ, Scheme: scheme, ClassWeight: map[string]float64{"2": 3}})
		// Without a scaling, folds start from the solution for all samples.
		checkCalibrate(t, set, 4, 1e-6, sparsekm.Options{Trainer: svc.Trainer{C: 2, Tolerance: 1e-8}, Kernel: gram.RBF(0.3),
			Scheme: scheme, ClassWeight: map[string]float64{"2": 3}})
	}
	// What is learnt in addition to the model is learnt without the fold's samples, too.
	checkCalibrate(t, ripley(t), 2, 0, sparsekm.Options{Trainer: ssvclp.B{}, Scale: dataset.ScaleZ, LearnWidths: true, Refit: true})
}

// checkCalibrate compares with folds by hand: bit for bit, or probabilities within near.
func checkCalibrate(t *testing.T, set *dataset.Set, folds int, near float64, o sparsekm.Options) {
	t.Helper()
	o.SampleWeight = make([]float64, set.N)
	var rows []int
	for i := range set.N {
		if i%7 > 0 {
			o.SampleWeight[i] = float64(i % 7)
			rows = append(rows, i)
		}
	}
	plain, _, err := sparsekm.Train(t.Context(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	present := set.Subset(rows)
	splits, err := present.Folds(folds, 1)
	if err != nil {
		t.Fatal(err)
	}
	var class []int
	var decisions []float64
	for _, split := range splits {
		part := present.Subset(split.Train)
		po := o
		po.SampleWeight = nil
		for _, i := range split.Train {
			po.SampleWeight = append(po.SampleWeight, o.SampleWeight[rows[i]])
		}
		without, _, failed := sparsekm.Train(t.Context(), part, po)
		if failed != nil {
			t.Fatal(failed)
		}
		f := make([]float64, without.NumSubmodels())
		for _, i := range split.Test {
			without.DecideTo(f, present.Row(i))
			class = append(class, present.Y[i])
			decisions = append(decisions, f...)
		}
	}
	want, err := plain.CalibrateOn(t.Context(), class, decisions)
	if err != nil {
		t.Fatal(err)
	}
	o.Calibrate = folds
	var first []byte
	for _, o.Threads = range []int{1, 3} {
		clf, report, err := sparsekm.Train(t.Context(), set, o)
		if err != nil || !slices.Contains(check.Ends(o.Trainer), report.Status) {
			t.Fatal(err, report)
		}
		b := binary(t, clf)
		if near == 0 && !slices.Equal(binary(t, want), b) || first != nil && !slices.Equal(first, b) {
			t.Errorf("%s, %v, %d threads: another model than by hand, or than with one", o.Trainer.Name(), o.Scheme, o.Threads)
		}
		first = b
		p, q := make([]float64, clf.NumClasses()), make([]float64, clf.NumClasses())
		for i := range set.N {
			clf.Probabilities(p, set.Row(i))
			want.Probabilities(q, set.Row(i))
			testutil.NearAll(t, "probabilities", p, q, near)
		}
	}
}

func binary(t *testing.T, c *sparsekm.Classifier) []byte {
	t.Helper()
	b, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCalibrateRefuses(t *testing.T) {
	set := ripley(t)
	for _, tt := range []struct {
		set  *dataset.Set
		o    sparsekm.Options
		want string
	}{
		{set, sparsekm.Options{Calibrate: 1}, "want at least 2"},
		{set, sparsekm.Options{Calibrate: -5}, "want at least 2"},
	} {
		tt.o.Trainer = svc.Trainer{}
		if _, _, err := sparsekm.Train(t.Context(), tt.set, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
	o := sparsekm.Options{Trainer: svc.Trainer{}, Calibrate: 5, Memory: 8 * 250 * 15}
	var budget *learn.BudgetError
	if _, _, err := sparsekm.Train(t.Context(), set, o); !errors.As(err, &budget) {
		t.Errorf("a budget of less than the folds take: %v", err)
	}
	o.Memory = 0
	if _, err := sparsekm.Path(t.Context(), set, o, []float64{1}); err == nil {
		t.Error("a path with probabilities")
	}
}

// stopper ends the context at the end of a training.
type stopper struct {
	svc.Trainer
	left *int // trainings
	end  context.CancelFunc
}

func (s stopper) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if *s.left--; *s.left == 0 {
		defer s.end()
	}
	return s.Trainer.Train(ctx, p)
}

// An end of the context among the folds leaves the classifier, and the report says why it has no probabilities.
func TestCalibrateStopped(t *testing.T) {
	for _, trainings := range []int{1, 3, 6} {
		ctx, end := context.WithCancel(t.Context())
		o := sparsekm.Options{Trainer: stopper{left: &trainings, end: end}, Calibrate: 5}
		clf, report, err := sparsekm.Train(ctx, ripley(t), o)
		if err != nil {
			t.Fatal(err)
		}
		if clf.NumVectors() == 0 || report.Status != status.Cancelled || !errors.Is(clf.Calibrated(), model.ErrUncalibrated) {
			t.Errorf("%d vectors, %v, %v", clf.NumVectors(), report.Status, clf.Calibrated())
		}
	}
}

// TestCalibrateMemory measures a training with folds at the least budget that it accepts: the budget holds, with the
// folds' samples, the classifier that waits and the decisions.
func TestCalibrateMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds of training")
	}
	if !testutil.StoppedCollector(t) {
		return
	}
	for name, set := range map[string]*dataset.Set{"two": dataset.Ringnorm(2000, 1), "three": dataset.Waveform(2000, 1)} {
		for _, tr := range []learn.Trainer{svc.Trainer{}, lssvm.Dual{}} {
			o := sparsekm.Options{Trainer: tr, Scale: dataset.ScaleZ, Calibrate: 5, Threads: 1, Memory: 1 << 16}
			for {
				var err error
				used := testutil.PeakHeap(t, func() { _, _, err = sparsekm.Train(t.Context(), set, o) })
				t.Logf("%s, %s:", name, tr.Name())
				within(t, used, o.Memory)
				if err == nil {
					break
				}
				if budget := new(learn.BudgetError); !errors.As(err, &budget) {
					t.Fatal(err)
				}
				o.Memory *= 2
			}
		}
	}
}

// A method that knows probabilities gives them to the model, in every scheme; those that were asked for by
// cross-validation take their place, and a decision of 0 is one half.
func TestNativeProbabilities(t *testing.T) {
	set := ripley(t)
	o := sparsekm.Options{Trainer: trainer(t, "rvm-fast", nil), Kernel: gram.RBFSigma(0.5), Threads: 1}
	clf, report, err := sparsekm.Train(t.Context(), set, o)
	if err != nil || clf.Calibrated() != nil {
		t.Fatal(err, clf.Calibrated())
	}
	slope := *report.Submodels[0].Report.Slope
	if p := clf.Parts().Platt; len(p) != 1 || p[0].A != -slope || p[0].B != 0 || !(slope > 0) {
		t.Errorf("parameters %v for the slope %v", p, slope)
	}
	for i := range set.N {
		f, p := clf.Decide(set.Row(i)), clf.Probability(set.Row(i))
		testutil.Near(t, "probability", p, 1/(1+math.Exp(-slope*f)), 1e-15)
	}
	o.Calibrate = 3
	if clf, _, err = sparsekm.Train(t.Context(), set, o); err != nil || clf.Parts().Platt[0].B == 0 {
		t.Errorf("parameters %v after a cross-validation, error %v", clf.Parts().Platt, err)
	}
	o.Calibrate, o.Trainer = 0, trainer(t, "sc-svc", nil)
	if clf, _, err = sparsekm.Train(t.Context(), set, o); err != nil || clf.Calibrated() == nil {
		t.Errorf("sc-svc has the probabilities %v, error %v", clf.Parts().Platt, err)
	}
}
