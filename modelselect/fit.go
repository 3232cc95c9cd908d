package modelselect

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/assure"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/reduce"
	"github.com/sparsekm/sparsekm/status"
)

// FitOptions bound the time, the memory and the model of [Fit]. The zero value is one minute and no constraint. Fit
// sets Repeats, Ledger, Shard, Shards and Decisions itself.
type FitOptions struct {
	Options
	// Time is for everything; 0 means a minute. On a loaded host the processor time of one thread counts, but the search
	// takes three times as long at most; nor does the process use more processor time than Threads have in Time.
	Time time.Duration
	Seed uint64 // of folds and samples
	// MaxMicros is the most microseconds that a prediction of one sample may take on this model, 0 for no limit.
	MaxMicros float64
	// Calibrate fits probabilities to the decision values of held-out samples; an error for regression.
	Calibrate bool
	// Conformal fits prediction sets, or intervals for regression, to about a quarter of the samples, which are held out
	// before anything else. Folds is an error.
	Conformal sparsekm.Conformal
	// Baselines are compared with trained centres. The first one is a linear model, the second one a dense model that
	// those after it make sparse. Nil means [Baselines].
	Baselines []Setting
	// Training receives the progress of the first training; may be nil.
	Training func(learn.Event)
}

// Fitted is the outcome of [Fit].
type Fitted struct {
	Table   *Table // of the folds; the first setting is method "direct"
	Scores  []Score
	Chosen  int     // index of the chosen setting
	Why     string  // it was chosen
	Plane   bool    // a linear model was chosen, or its loss is not clearly larger
	Front   []Score // settings that no other beats in both metric and vectors, by ascending vectors
	Folds   int     // folds that were run; 0 if there was no time for one
	Samples int     // that the folds were made of: of a large set a stratified subset
	HeldOut int     // of those, samples that were held out once
	// ChoiceError is the metric of the choice itself: each fold judges the setting that the other folds choose. It is that
	// of the chosen setting where there is one fold, or where constraints chose. Interval is a 95 % interval as that of
	// [Table.ChoiceBy], nil where there is none.
	ChoiceError float64
	Interval    *metrics.Interval
	// Done of Planned trainings in folds were made. Ended is Optimal if all were, there was time for all samples, and the
	// classifier's training ended; else it says what came first.
	Done, Planned   int
	Ended           status.Status
	Wall, Processor time.Duration // used; Processor is negative on hosts that do not say
	Trained         int           // samples that the classifier was trained on
	Classifier      *sparsekm.Classifier
	Report          *sparsekm.Report
	Edges           []learn.Edge // of what was tried at which the choice of parameters lies
}

const (
	// Folds are made of at most maxFoldSamples samples, and of fewer if they have more than maxFoldFeatures features in
	// all, but not below minFoldSamples. That many samples give the error of a setting to half a percentage point.
	maxFoldSamples, minFoldSamples, maxFoldFeatures = 4000, 1000, 200_000

	foldCount    = 5
	lastTraining = 10   // the share of the time that is kept for a last training is 1/lastTraining
	replaceLevel = 0.01 // of the test by which another setting replaces trained centres
	tieLevel     = 0.16 // of one standard error, from which on a difference may be chance
)

// Fit fits a few trained centres: method "direct" with its own choice of their number, C, γ and widths. It compares
// that training with the baselines ([Baselines]) on five stratified folds; on both sides the choice of parameters is
// part of what is compared. Folds of at most 500 labelled samples are drawn twice. A linear model is chosen if its mean
// loss is no larger, and of values not because of one sample alone. Where a column has three categories or more,
// trained centres that learn a value for each category are compared too, and chosen in place of those that do not if
// their mean loss is no larger: they take fewer features. Another baseline is chosen only if its loss is smaller by a
// paired t test (one-sided, 1 %) over the samples, each one once, or over the folds where the metric is no mean over
// samples. Baselines race: after about 200 held-out samples, one falls out whose loss is no smaller, and after 500 one
// whose loss is not smaller by a standard error. Those after the second are tried only if its loss is smaller at the
// level 10 %. When time runs out, the folds run so far decide; if there is none, one fold judges a training with the
// model's parameters. The set has labels or regression targets; for targets the loss is the squared error, and the
// metric [RMSE] unless one is named.
func Fit(ctx context.Context, set *dataset.Set, o FitOptions) (*Fitted, error) {
	if o.Time <= 0 {
		o.Time = time.Minute
	}
	if q := o.Conformal; q != (sparsekm.Conformal{}) {
		o.Conformal = sparsekm.Conformal{}
		return fitCovering(ctx, set, o, q)
	}
	f := &fitting{FitOptions: o, all: set, result: new(Fitted)}
	return f.run(ctx, min(maxFoldSamples, max(minFoldSamples, maxFoldFeatures/max(1, set.D))))
}

// fitCovering is a Fit without the samples that prediction sets are fitted to. Rows of the model and its report are
// those of the whole set. If the context ends during the fit, the model has no prediction sets.
func fitCovering(ctx context.Context, set *dataset.Set, o FitOptions, q sparsekm.Conformal) (*Fitted, error) {
	if err := q.Validate(set); err != nil {
		return nil, err
	}
	if q.Folds != 0 {
		return nil, fmt.Errorf("modelselect: prediction sets of %d folds where samples are held out, want 0", q.Folds)
	}
	heldOut, train, err := q.HoldOut(set)
	if err != nil {
		return nil, err
	}
	f, err := Fit(ctx, set.Subset(train), o)
	if err != nil {
		return nil, err
	}
	r, rows := f.Report, prepare.Rows(train)
	if r.Held = heldOut; r.Support != nil {
		r.Support = rows.Original(r.Support)
		for i := range r.Submodels {
			r.Submodels[i].Support = rows.Original(r.Submodels[i].Support)
		}
		parts := f.Classifier.Parts()
		parts.Rows = rows.Original(parts.Rows)
		if f.Classifier, err = model.New(parts); err != nil {
			return nil, err
		}
	}
	f.Classifier, err = assure.Calibrate(ctx, &prepare.Folds{Set: set, Rest: heldOut}, q, f.Classifier, o.Threads, nil)
	if err == nil && f.Classifier.Covers() != nil && r.Status.Done() {
		r.Status = status.FromContext(ctx)
	}
	return f, err
}

// fitting is a [Fit] under way.
type fitting struct {
	FitOptions
	all    *dataset.Set
	set    *dataset.Set // that the folds are of
	direct Setting
	splits []dataset.Split
	result *Fitted
	clock  cpu.Clock
	budget *cpu.Budget // of all trainings
	brief  bool        // no time was left to compare settings
}

func (f *fitting) run(ctx context.Context, samples int) (*Fitted, error) {
	threads := time.Duration(parallel.Workers(f.Threads))
	f.budget = cpu.NewBudget(ctx, f.Time, f.Time*threads, f.clock)
	defer f.budget.Stop()
	if err := f.prepare(samples); err != nil {
		return nil, err
	}
	if err := f.trainDirect(f.budget); err != nil {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case f.budget.Err() != nil:
			return nil, fmt.Errorf("modelselect: %w: no time for a training", ErrNoSetting)
		}
		return nil, err
	}
	_, used := f.budget.Used()
	largest := f.Time - f.Time/lastTraining // the rest is for a last training
	folds := cpu.NewBudget(f.budget, largest-f.budget.Counted(), largest*threads-max(0, used), f.clock)
	defer folds.Stop()
	if err := f.judge(folds); err != nil {
		return nil, err
	}
	err := f.choose(f.budget)
	f.end(ctx)
	return f.result, err
}

// end says how the search ended.
func (f *fitting) end(ctx context.Context) {
	r := f.result
	r.Wall, r.Processor = f.budget.Used()
	switch {
	case r.Done == r.Planned && r.Trained == f.all.N && !r.Report.Status.Limit():
		r.Ended = status.Optimal
	case ctx.Err() != nil:
		r.Ended = status.FromContext(ctx)
	case r.Done == r.Planned && r.Report.Status == status.IterationLimit:
		r.Ended = status.IterationLimit
	default:
		r.Ended = status.TimeLimit
	}
}

// prepare draws the subset and makes the first setting.
func (f *fitting) prepare(limit int) (err error) {
	if !f.all.Targeted() {
		return errors.New("modelselect: the samples have neither labels nor targets")
	}
	if f.set, err = sampleOf(f.all, limit, f.Seed); err != nil {
		return err
	}
	if f.Metric == Bound {
		return errors.New("modelselect: fit compares models on held-out samples; a bound has none")
	}
	if f.direct, err = directSetting(nil, f.real()); err != nil {
		return err
	}
	if f.Metric, err = f.Metric.settle(f.set, []Setting{f.direct}); err != nil {
		return err
	}
	if f.direct, err = f.centres(nil); err != nil {
		return err
	}
	if f.real() && f.Calibrate {
		return errors.New("modelselect: a regression model has no probabilities to fit")
	}
	f.result.Samples = f.set.N
	return nil
}

// centres is the setting of trained centres with these parameters. Probabilities want the logistic loss: it has less
// log loss than the squared hinge with probabilities fitted to it.
func (f *fitting) centres(values learn.Values) (Setting, error) {
	all := learn.Values{}
	if f.Metric == LogLoss || f.Calibrate {
		all["loss"] = "logistic"
	}
	maps.Copy(all, values)
	s, err := directSetting(all, f.real())
	f.weigh(&s)
	return s, err
}

// real reports whether the targets are regression targets.
func (f *fitting) real() bool { return f.all.Targets != nil }

// weigh gives classes equal weight in training if the metric does.
func (f *fitting) weigh(s *Setting) {
	if f.Metric != Balanced {
		return
	}
	weight := sparsekm.Balanced(f.set)
	s.Options.ClassWeight = weight
	if s.Search != nil {
		s.Search = s.Search.with(func(o *sparsekm.Options) { o.ClassWeight = weight })
	}
}

// trainDirect fits trained centres, and fewer of them until the constraints hold. On a large set, a subset chooses
// their number, C, γ and widths.
func (f *fitting) trainDirect(ctx context.Context) error {
	r := f.result
	for {
		var err error
		if r.Classifier, r.Report, err = f.train(ctx, f.set, &f.direct); err != nil {
			return err
		}
		r.Edges = edgesOf(r.Report)
		k := r.Classifier.NumUnits()
		fewer := k / 2
		if f.MaxVectors > 0 && k > f.MaxVectors {
			fewer = f.MaxVectors
		} else if took := f.tooSlow(r.Classifier); took == 0 {
			break
		} else if fewer < 1 {
			return fmt.Errorf("modelselect: %w: one vector takes %.3g µs a prediction, %.3g allowed", ErrNoSetting, took,
				f.MaxMicros)
		}
		if f.direct, err = f.centres(learn.Values{"max_sv": fewer}); err != nil {
			return err
		}
	}
	if r.Trained = f.set.N; f.set == f.all {
		return nil
	}
	return f.large(ctx)
}

// train trains a setting of trained centres.
func (f *fitting) train(ctx context.Context, set *dataset.Set, s *Setting) (*sparsekm.Classifier,
	*sparsekm.Report, error) {
	o := s.Options
	o.Threads, o.Memory, o.Progress = f.Threads, f.Memory, f.Training
	return sparsekm.Train(ctx, set, o)
}

// large trains on all samples with the parameters that the subset has chosen. If time runs out, the subset's model
// stays.
func (f *fitting) large(ctx context.Context) error {
	r := f.result
	if _, ok := r.Report.Submodels[0].Report.Figures.(learn.Chooser); !ok || ctx.Err() != nil {
		return nil
	}
	s, err := f.again(learn.Values{"max_sv": r.Classifier.NumUnits()})
	if err != nil {
		return err
	}
	clf, report, err := f.train(ctx, f.all, &s)
	if err != nil && ctx.Err() == nil {
		return err
	}
	if err == nil {
		r.Classifier, r.Report, r.Trained = clf, report, f.all.N
	}
	return nil
}

// edgesOf are those of what a training has tried by itself.
func edgesOf(r *sparsekm.Report) (edges []learn.Edge) {
	if chosen, ok := r.Submodels[0].Report.Figures.(learn.Chooser); ok {
		_, _, edges = chosen.Chosen()
	}
	return edges
}

// again is the setting of trained centres with the parameters that a training has chosen, and others.
func (f *fitting) again(others learn.Values) (Setting, error) {
	values, gamma := learn.Values{"c": 1.0}, 0.0
	if chosen, ok := f.result.Report.Submodels[0].Report.Figures.(learn.Chooser); ok {
		values, gamma, _ = chosen.Chosen()
	}
	maps.Copy(values, others)
	s, err := f.centres(values)
	if err == nil {
		s.Options.Kernel.Gamma = gamma
	}
	return s, err
}

// tooSlow returns the microseconds of a prediction if they exceed the limit, else 0.
func (f *fitting) tooSlow(clf *sparsekm.Classifier) float64 {
	if f.MaxMicros <= 0 {
		return 0
	}
	if took := reduce.Microseconds(clf); !(took <= f.MaxMicros) {
		return took
	}
	return 0
}

// maxFolds is the number of folds that there can be.
func maxFolds(set *dataset.Set) int {
	if set.Groups == nil {
		return set.N
	}
	return len(deal.Distinct(set.Groups))
}

// sampleOf is a stratified subset of a large set.
func sampleOf(set *dataset.Set, limit int, seed uint64) (*dataset.Set, error) {
	if set.N <= limit {
		return set, nil
	}
	sp, err := set.Split(float64(limit)/float64(set.N), seed)
	if err != nil {
		return nil, err
	}
	return set.Subset(sp.Train), nil
}
