package modelselect

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/status"
)

// rings are two classes, one around the other, with some noise.
func rings(n int) *dataset.Set {
	rng := dataset.NewRand(1)
	set := &dataset.Set{N: n, D: 2, Labels: []string{"in", "out"}}
	for i := range n {
		r, a := 1+0.25*rng.NormFloat64()+1.1*float64(i%2), 2*math.Pi*rng.Float64()
		set.X = append(set.X, r*math.Cos(a), 3*r*math.Sin(a))
		set.Y = append(set.Y, i%2)
	}
	return set
}

// band is labelled by whether the first of its features lies between two values: steps are its best units.
func band(n int) *dataset.Set {
	rng := dataset.NewRand(1)
	set := &dataset.Set{N: n, D: 4, Labels: []string{"in", "out"}}
	for range n {
		for range set.D {
			set.X = append(set.X, rng.NormFloat64())
		}
		set.Y = append(set.Y, 0)
		if x := set.X[len(set.X)-set.D]; x < -0.6 || x > 0.5 {
			set.Y[len(set.Y)-1] = 1
		}
	}
	return set
}

// quickBaselines are the first settings of [Baselines], a linear model and an SVM, which take milliseconds.
func quickBaselines(t *testing.T) []Setting {
	t.Helper()
	return quickBaselinesOf(t, false)
}

func quickBaselinesOf(t *testing.T, real bool) []Setting {
	t.Helper()
	all, err := Baselines(3, 1, real)
	if err != nil {
		t.Fatal(err)
	}
	return all[:2]
}

func fit(t *testing.T, set *dataset.Set, change func(*FitOptions)) *Fitted {
	t.Helper()
	o := FitOptions{Seed: 1, Time: time.Hour, Baselines: quickBaselines(t)}
	if change != nil {
		change(&o)
	}
	f, err := Fit(t.Context(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFit takes trained centres where a plane will not do, compares them on every sample once, and keeps to
// constraints.
func TestFit(t *testing.T) {
	set := rings(60)
	f := fit(t, set, nil)
	if f.Chosen != 0 || f.Report.Method != "direct" || f.Trained != set.N || f.Samples != set.N || f.Folds != 10 {
		t.Errorf("%+v", f)
	}
	if len(f.Scores) != 3 || !slices.IsSortedFunc(f.Front, func(a, b Score) int { return int(a.Vectors - b.Vectors) }) {
		t.Errorf("%d rows, front %v", len(f.Scores), f.Front)
	}
	if f.HeldOut != set.N {
		t.Errorf("%d samples are held out once", f.HeldOut)
	}
	testutil.AtMost(t, "trained centres and a plane", f.Scores[0].Mean, f.Scores[1].Mean-0.1)
	small := fit(t, set, func(o *FitOptions) { o.MaxVectors, o.Calibrate = 1, true })
	if small.Classifier.NumVectors() > 1 || f.Classifier.NumVectors() <= 1 || small.Classifier.Calibrated() != nil {
		t.Errorf("%d vectors of %d, one wanted, %v", small.Classifier.NumVectors(), f.Classifier.NumVectors(),
			small.Classifier.Calibrated())
	}
	_, err := Fit(t.Context(), set, FitOptions{MaxMicros: 1e-9})
	if !errors.Is(err, ErrNoSetting) || !strings.Contains(err.Error(), "one vector takes") {
		t.Errorf("error %v, want that no model is as fast", err)
	}
}

// TestFitLinear: where a plane is right, it is taken, as one vector whose decisions are those of the SVM.
func TestFitLinear(t *testing.T) {
	rng := dataset.NewRand(2)
	set := &dataset.Set{N: 50, D: 2, Labels: []string{"a", "b"}}
	for range set.N {
		x, z := rng.NormFloat64(), rng.NormFloat64()
		set.X = append(set.X, x, z)
		set.Y = append(set.Y, 0)
		if x+z+0.5*rng.NormFloat64() > 0 {
			set.Y[len(set.Y)-1] = 1
		}
	}
	part := &fitting{FitOptions: FitOptions{Time: time.Hour, Baselines: quickBaselines(t)[:1]}, all: set, result: new(Fitted)}
	if r, err := part.run(t.Context(), 40); err != nil || r.Samples != 40 || r.Trained != 50 {
		t.Errorf("%+v, %v", r, err)
	}
	high := quickBaselines(t)[0] // whose search chooses beyond its grid
	high.Search = &Search{Folds: 2, Seed: 1, Grow: true}
	var err error
	high.Search.Settings, err = Grid(quickBaselines(t)[0].Search.Settings[0].Options, Param("c", 10, 20))
	if err != nil {
		t.Fatal(err)
	}
	part = &fitting{FitOptions: FitOptions{Time: time.Hour, Baselines: []Setting{high}}, all: set, result: new(Fitted)}
	r, err := part.run(t.Context(), 40)
	if err != nil {
		t.Fatal(err)
	}
	c := r.Classifier.Parts().Params["c"] // of all samples, whose parameters are those of the 40
	if r.Chosen != 1 || r.Trained != 50 || c >= 10 || (c == 2.5) != (len(r.Edges) == 1) {
		t.Errorf("%d chosen, trained on %d, C = %v, edges %v", r.Chosen, r.Trained, c, r.Edges)
	}
	f := fit(t, set, nil)
	if f.Chosen != 1 || f.Classifier.NumVectors() != 1 || f.Classifier.Kernel().Kind != gram.KindLinear ||
		!strings.Contains(f.Why, "plain linear model") {
		t.Fatalf("setting %d, %d vectors, %s", f.Chosen, f.Classifier.NumVectors(), f.Why)
	}
	svm := f.Report.Submodels[0].Report
	clf, _, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Kernel: gram.Linear(), Scale: dataset.ScaleZ,
		Trainer: svc.Trainer{C: 1}})
	if err != nil || clf.NumVectors() < 5 || svm.Objective <= 0 {
		t.Fatal(err, clf.NumVectors())
	}
	for i := range set.N {
		x := set.X[2*i : 2*i+2]
		a, b := f.Classifier.Decide(x), clf.Decide(x)
		if sure := !(math.Abs(b) <= 1); sure && !(a*b > 0) {
			t.Errorf("sample %d: %v and %v", i, a, b)
		}
	}
}

// TestFitScale: features in other units make the same model.
func TestFitScale(t *testing.T) {
	if testing.Short() {
		t.Skip("searches take seconds")
	}
	set := rings(40)
	large := *set
	large.X = slices.Clone(set.X)
	for i := range large.X {
		large.X[i] *= 1e4
	}
	a, b := fit(t, set, nil), fit(t, &large, nil)
	if d := cmp.Diff(a.Classifier.Parts().Vectors, b.Classifier.Parts().Vectors); d != "" || a.Chosen != b.Chosen {
		t.Error(d)
	}
	for i := range a.Scores {
		if a.Scores[i].Mean != b.Scores[i].Mean || a.Scores[i].Vectors != b.Scores[i].Vectors {
			t.Errorf("%+v and %+v", a.Scores[i], b.Scores[i])
		}
	}
}

// TestFitLimits: no time for a training is an error that says so, and so is a context that has ended; one that ends in
// between leaves the first training, and what has been compared by then.
func TestFitLimits(t *testing.T) {
	set := rings(40)
	if _, err := Fit(t.Context(), set, FitOptions{Time: time.Nanosecond}); !errors.Is(err, ErrNoSetting) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := FitOptions{Time: time.Hour, Baselines: quickBaselines(t), Calibrate: true, Options: Options{Threads: 2}}
	o.Progress = func(done, _ int, _ *Run) {
		if done == 1 {
			cancel()
		}
	}
	f, err := Fit(ctx, set, o)
	if err != nil || f.Classifier.NumUnits() == 0 || f.Folds > 2 || f.Folds == 0 &&
		(f.Chosen != 0 || !strings.Contains(f.Why, "no time") || f.Classifier.Calibrated() == nil) {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := Fit(ctx, set, FitOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	one := set.Subset([]int{0, 1, 2, 3})
	one.Y = []int{0, 0, 0, 0}
	if _, err := Fit(t.Context(), one, FitOptions{}); err == nil {
		t.Error("one class")
	}
}

// TestFitBudget: the processor time ends a search, and wall time in which others have the processor when it is three
// times as long. The result says how far it came. However early the end, the error and its interval are known.
func TestFitBudget(t *testing.T) {
	set := rings(60)
	ended := func(metric Metric, change func(f *fitting, used, now *float64)) *Fitted {
		t.Helper()
		f := &fitting{FitOptions: FitOptions{Time: time.Minute, Seed: 1, Baselines: quickBaselines(t)[:1]}, all: set,
			result: new(Fitted)}
		var used, now float64
		f.Threads, f.Metric = 1, metric
		f.clock = cpu.Clock{Seconds: func() float64 { return used },
			Now:   func() time.Time { return time.Unix(0, int64(now*1e9)) },
			After: func(time.Duration, func()) func() { return func() {} }}
		change(f, &used, &now)
		r, err := f.run(t.Context(), maxFoldSamples)
		if err != nil {
			t.Fatal(err)
		}
		if i := r.Interval; r.HeldOut == 0 || r.Scores[r.Chosen].Failed != "" || i == nil ||
			!(i.Low <= r.ChoiceError && r.ChoiceError < i.High) {
			t.Errorf("%d samples held out, error %v, interval %+v", r.HeldOut, r.ChoiceError, i)
		}
		return r
	}
	whole := ended(Error, func(*fitting, *float64, *float64) {})
	if whole.Ended != status.Optimal || whole.Done != 20 || whole.Planned != 20 || whole.HeldOut != set.N {
		t.Errorf("%v, %d of %d", whole.Ended, whole.Done, whole.Planned)
	}
	for what, at := range map[string]func(done int, used, now *float64){
		"processor": func(done int, used, _ *float64) { *used = 20 * float64(done) },
		"both":      func(done int, used, now *float64) { *used, *now = 20*float64(done), 20*float64(done) },
		"waiting":   func(done int, _, now *float64) { *now = 60 * float64(done) },
	} {
		r := ended(Error, func(f *fitting, used, now *float64) {
			f.Progress = func(done, _ int, _ *Run) { at(done, used, now) }
		})
		want := map[string]time.Duration{"processor": time.Minute, "both": 2 * time.Minute, "waiting": 3 * time.Minute}[what]
		if r.Ended != status.TimeLimit || r.Done != 3 || r.Planned != 20 || r.Wall+r.Processor != want {
			t.Errorf("%s: %v, %d of %d, used %v and %v", what, r.Ended, r.Done, r.Planned, r.Wall, r.Processor)
		}
	}
	for _, metric := range []Metric{Error, LogLoss} {
		steps := metric == Error // units without vectors
		r := ended(metric, func(f *fitting, used, _ *float64) {
			if steps {
				f.all = band(60)
			}
			f.clock.Seconds = func() float64 {
				if f.result.Classifier != nil { // right after the first training
					*used = 100
				}
				return *used
			}
		})
		if r.Ended != status.TimeLimit || r.Done != 0 || r.HeldOut != 12 || r.Chosen != 0 ||
			!strings.Contains(r.Why, "no time") {
			t.Errorf("%v: %v, %d done, %d samples held out, %s", metric, r.Ended, r.Done, r.HeldOut, r.Why)
		}
		if n := r.Classifier.NumVectors(); steps && n > 0 {
			t.Errorf("%d vectors, where steps are wanted", n)
		}
	}
}

// TestFitLarge: a sample chooses, and all samples are trained on.
func TestFitLarge(t *testing.T) {
	set := rings(200)
	f := &fitting{FitOptions: FitOptions{Time: time.Hour, Baselines: quickBaselines(t)[:1]}, all: set, result: new(Fitted)}
	r, err := f.run(t.Context(), 60)
	if err != nil {
		t.Fatal(err)
	}
	if r.Samples != 60 || r.Trained != 200 || r.Report.N != 200 || r.Chosen != 0 {
		t.Errorf("%d samples, trained on %d, %d", r.Samples, r.Trained, r.Report.N)
	}
	sample := r.Table.Runs[0][0]
	if sample.Trained+sample.Tested != 60 {
		t.Errorf("folds of %d samples", sample.Trained+sample.Tested)
	}
}

// TestFitBalanced: where the metric weighs classes alike, so do the trainings.
func TestFitBalanced(t *testing.T) {
	if testing.Short() {
		t.Skip("a second of trainings")
	}
	rng := dataset.NewRand(4)
	set := &dataset.Set{N: 64, D: 1, Labels: []string{"a", "b"}}
	for i := range set.N {
		class := 0
		if i%8 == 0 {
			class = 1
		}
		set.X = append(set.X, rng.NormFloat64()+float64(class))
		set.Y = append(set.Y, class)
	}
	rare := func(f *Fitted) (points int) {
		for i := range set.N {
			if f.Classifier.Decide(set.X[i:i+1]) > 0 {
				points++
			}
		}
		return points
	}
	plain, balanced := fit(t, set, nil), fit(t, set, func(o *FitOptions) { o.Metric = Balanced })
	if a, b := rare(plain), rare(balanced); !(b > a+5) {
		t.Errorf("%d samples of the rare class, balanced %d", a, b)
	}
}

// TestFitValues takes trained centres for a wave and a plane for a line, and compares them in the targets' own units.
func TestFitValues(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of trainings")
	}
	wave := dataset.Sinc(24, 0.05, 1)
	small := fit(t, wave, func(o *FitOptions) { o.Baselines = quickBaselinesOf(t, true) })
	if small.Chosen != 0 || small.Plane || small.Table.Metric != RMSE || small.HeldOut != 24 {
		t.Errorf("%+v", small)
	}
	testutil.AtMost(t, "RMSE on held-out samples, the noise being 0.05", small.Scores[0].Mean, 0.15)
	testutil.AtMost(t, "half of the noise", 0.025, small.Scores[0].Mean)
	testutil.AtMost(t, "that and a plane's", small.Scores[0].Mean, 0.7*small.Scores[1].Mean)
	line := &dataset.Set{N: 15, D: 1}
	rng := dataset.NewRand(3)
	for range line.N {
		x := rng.NormFloat64()
		line.X = append(line.X, x)
		line.Targets = append(line.Targets, 300*x+10*rng.NormFloat64())
	}
	f := fit(t, line, func(o *FitOptions) { o.Baselines, o.Metric = quickBaselinesOf(t, true), MAE })
	if f.Chosen != 1 || f.Classifier.NumVectors() != 1 || f.Table.Metric != MAE || !f.Plane {
		t.Errorf("%+v", f)
	}
	testutil.AtMost(t, "mean absolute error, the noise being 10", f.Scores[1].Mean, 15)
	testutil.AtMost(t, "half of the noise's", 4, f.Scores[1].Mean)
	for _, refused := range []FitOptions{{Calibrate: true}, {Options: Options{Metric: AUC}}} {
		if _, err := Fit(t.Context(), line, refused); err == nil {
			t.Errorf("no error of %+v", refused)
		}
	}
	if _, err := Fit(t.Context(), &dataset.Set{N: 2, D: 1, X: []float64{1, 2}}, FitOptions{}); err == nil {
		t.Error("samples without targets")
	}
}
