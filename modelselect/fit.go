package modelselect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/reduce"
)

// FitOptions say what [Fit] may take and must keep. The zero value is a minute, and no constraint. Of its Options,
// Repeats, Ledger, shards and Decisions are its own affair.
type FitOptions struct {
	Options
	Time time.Duration // of everything together; 0 means a minute
	Seed uint64        // of folds and samples
	// MaxMicros is the most microseconds that a prediction of one point may take on this machine, 0 for no limit.
	MaxMicros float64
	// Calibrate fits probabilities to the decisions on held-out points; an error for real values.
	Calibrate bool
	// Beside are the settings that are compared with moved vectors, the first one a linear machine; nil means [Beside].
	Beside []Setting
	// Training is told how the first training goes; may be nil.
	Training func(learn.Event)
}

// Fitted is the outcome of [Fit].
type Fitted struct {
	Table      *Table // of the folds: the first setting is that of moved vectors
	Scores     []Score
	Chosen     int     // its place
	Why        string  // it is
	Plane      bool    // a linear machine was chosen, or its loss is not clearly larger
	Front      []Score // settings that no other beats in both metric and vectors, by ascending vectors
	Folds      int     // splits that judged; 0 where no time was left for one
	Points     int     // of the set that the folds are of: a stratified sample of a large one
	HeldOut    int     // of those, points that the splits have tested
	Trained    int     // points that the classifier was trained on
	Classifier *sparsekm.Classifier
	Report     *sparsekm.Report
}

const (
	// mostPoints is how many points are looked at, fewer of many features, but not below leastPoints. The error of a
	// setting on as many is known to half a point.
	mostPoints, leastPoints, features = 4000, 1000, 200_000

	pieces = 5    // folds
	chance = 0.01 // that another machine is taken, of which nothing but chance makes the loss smaller
	unsure = 0.16 // probability, of one standard error, from which on a difference may be chance
)

// Fit trains a few vectors that move, "direct" with its own choice of their number, C, γ and widths, and judges that
// training, its choices included, on five stratified folds of the points beside others ([Beside]), choices included
// too. A linear machine is taken where its mean loss is no larger, another one only where a t test of the differences,
// split by split, has it smaller (one-sided, 1 %). When time runs out, what is done decides. The set has labels or real
// values; of these the loss is squared, and the metric [RMSE] if none is named.
func Fit(ctx context.Context, set *dataset.Set, o FitOptions) (*Fitted, error) {
	if o.Time <= 0 {
		o.Time = time.Minute
	}
	f := &fitting{FitOptions: o, all: set, result: new(Fitted)}
	return f.run(ctx, min(mostPoints, max(leastPoints, features/max(1, set.D))))
}

// fitting is a [Fit] under way.
type fitting struct {
	FitOptions
	all    *dataset.Set
	set    *dataset.Set // that the folds are of
	direct Setting
	splits []dataset.Split
	result *Fitted
}

func (f *fitting) run(ctx context.Context, most int) (*Fitted, error) {
	end := time.Now().Add(f.Time)
	limited, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	if err := f.prepare(most); err != nil {
		return nil, err
	}
	if err := f.own(limited); err != nil {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case limited.Err() != nil:
			return nil, fmt.Errorf("modelselect: %w: no time for a training", ErrNoSetting)
		}
		return nil, err
	}
	folds, stop := context.WithDeadline(limited, end.Add(-f.Time/10)) // the rest is for a last training
	defer stop()
	if err := f.judge(folds); err != nil {
		return nil, err
	}
	return f.result, f.choose(limited)
}

// prepare makes the sample and the first setting.
func (f *fitting) prepare(most int) (err error) {
	if !f.all.Targeted() {
		return errors.New("modelselect: the points have neither labels nor values")
	}
	if f.set, err = sampleOf(f.all, most, f.Seed); err != nil {
		return err
	}
	if f.direct, err = moved(nil, f.real()); err != nil {
		return err
	}
	if f.Metric, err = f.Metric.settle(f.set, []Setting{f.direct}); err != nil {
		return err
	}
	if f.real() && f.Calibrate {
		return errors.New("modelselect: real values have no probabilities to fit")
	}
	f.weigh(&f.direct)
	f.result.Points = f.set.N
	return nil
}

// real reports whether the targets are values.
func (f *fitting) real() bool { return f.all.Targets != nil }

// weigh gives classes the same weight in the trainings where they have it in the metric.
func (f *fitting) weigh(s *Setting) {
	if f.Metric != Balanced {
		return
	}
	weight := sparsekm.Balanced(f.set)
	s.Options.ClassWeight = weight
	if s.Search != nil {
		q := *s.Search
		q.Settings = slices.Clone(q.Settings)
		for i := range q.Settings {
			q.Settings[i].Options.ClassWeight = weight
		}
		s.Search = &q
	}
}

// own trains moved vectors, and fewer of them until the constraints are kept. Of a large set a sample chooses their
// number, C, γ and widths.
func (f *fitting) own(ctx context.Context) error {
	r := f.result
	for {
		o := f.direct.Options
		o.Threads, o.Memory, o.Progress = f.Threads, f.Memory, f.Training
		var err error
		if r.Classifier, r.Report, err = sparsekm.Train(ctx, f.set, o); err != nil {
			return err
		}
		k := r.Classifier.NumVectors()
		fewer := k / 2
		if f.MaxVectors > 0 && k > f.MaxVectors {
			fewer = f.MaxVectors
		} else if took := f.tooSlow(r.Classifier); took == 0 {
			break
		} else if fewer < 1 {
			return fmt.Errorf("modelselect: %w: one vector takes %.3g µs a prediction, %.3g allowed", ErrNoSetting, took,
				f.MaxMicros)
		}
		if f.direct, err = moved(learn.Values{"max_sv": fewer}, f.real()); err != nil {
			return err
		}
		f.weigh(&f.direct)
	}
	if r.Trained = f.set.N; f.set == f.all {
		return nil
	}
	return f.large(ctx)
}

// large trains what a sample has chosen on all points. Where there is no time for it, the sample's machine stays.
func (f *fitting) large(ctx context.Context) error {
	r := f.result
	chosen, ok := r.Report.Submodels[0].Report.Figures.(learn.Chooser)
	if !ok || ctx.Err() != nil {
		return nil
	}
	values, gamma := chosen.Chosen()
	values["max_sv"] = r.Classifier.NumVectors()
	s, err := moved(values, f.real())
	if err != nil {
		return err
	}
	f.weigh(&s)
	o := s.Options
	o.Kernel.Gamma, o.Threads, o.Memory, o.Progress = gamma, f.Threads, f.Memory, f.Training
	clf, report, err := sparsekm.Train(ctx, f.all, o)
	if err != nil && ctx.Err() == nil {
		return err
	}
	if err == nil {
		r.Classifier, r.Report, r.Trained = clf, report, f.all.N
	}
	return nil
}

// tooSlow is how many microseconds a prediction takes if those are more than allowed, else 0.
func (f *fitting) tooSlow(clf *sparsekm.Classifier) float64 {
	if f.MaxMicros <= 0 {
		return 0
	}
	if took := reduce.Microseconds(clf); !(took <= f.MaxMicros) {
		return took
	}
	return 0
}

// mostFolds is the number of folds that there can be.
func mostFolds(set *dataset.Set) int {
	if set.Groups == nil {
		return set.N
	}
	groups := make(map[string]bool)
	for _, g := range set.Groups {
		groups[g] = true
	}
	return len(groups)
}

// sampleOf is a stratified sample of a large set.
func sampleOf(set *dataset.Set, most int, seed uint64) (*dataset.Set, error) {
	if set.N <= most {
		return set, nil
	}
	sp, err := set.Split(float64(most)/float64(set.N), seed)
	if err != nil {
		return nil, err
	}
	return set.Subset(sp.Train), nil
}
