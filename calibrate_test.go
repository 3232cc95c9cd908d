package sparsekm_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/lssvm"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/status"
)

// TestCalibrate fits to the decisions of a cross-validation that is written out here, without the points of
// weight 0; the machines are those of a training without it, for any number of threads.
func TestCalibrate(t *testing.T) {
	set, err := dataset.ReadFile(testutil.Testdata(t, "iris.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []model.Scheme{model.OneVsRest, model.OneVsOne} {
		checkCalibrate(t, set, 4, sparsekm.Options{Trainer: svc.Trainer{C: 2}, Kernel: gram.RBF(0.3),
			Scale: dataset.ScaleZ, Scheme: scheme, ClassWeight: map[string]float64{"2": 3}})
	}
	// What is learnt beside the machine is learnt without the fold's points, too.
	checkCalibrate(t, ripley(t), 2, sparsekm.Options{Trainer: ssvc.B{}, Scale: dataset.ScaleZ, LearnWidths: true, Refit: true})
}

func checkCalibrate(t *testing.T, set *dataset.Set, folds int, o sparsekm.Options) {
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
			class, decisions = append(class, present.Y[i]), append(decisions, f...)
		}
	}
	want, err := plain.CalibrateOn(t.Context(), class, decisions)
	if err != nil {
		t.Fatal(err)
	}
	o.Calibrate = folds
	for _, o.Threads = range []int{1, 3} {
		clf, report, err := sparsekm.Train(t.Context(), set, o)
		if err != nil || report.Status != status.Optimal {
			t.Fatal(err, report)
		}
		a, b := binary(t, want), binary(t, clf)
		if !slices.Equal(a, b) {
			t.Errorf("%s, %v, %d threads: another model than by hand", o.Trainer.Name(), o.Scheme, o.Threads)
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
		{set.Subset([]int{0, 1, 2, 3, 249, 248}), sparsekm.Options{Calibrate: 3}, "2 points of class 1"},
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
// folds' points, the classifier that waits and the decisions.
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
				o.Memory += o.Memory / 2
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
