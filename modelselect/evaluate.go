package modelselect

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/internal/predict"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/assure"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/status"
)

// Options say how [Evaluate] compares settings.
type Options struct {
	Name   string // of the set; runs repeat it
	Metric Metric // minimised; 0 is [Error], for regression [RMSE]
	// Repeats is how often the splits test each sample, 0 for once. A standard error counts each sample once.
	Repeats int
	// MaxVectors bounds the mean number of support vectors of a setting over the splits; 0 is no limit.
	MaxVectors int
	// Threads is the number of threads; 0 means GOMAXPROCS. A run has one, but where fewer runs than threads are left,
	// these share the threads. The table does not depend on it.
	Threads int
	Memory  int64 // budget in bytes for all runs together; 0 means [learn.DefaultMemory]
	// Ledger has earlier runs and takes the new ones; nil keeps none.
	Ledger *Ledger
	// Shard of Shards takes one run in Shards, by its key; 0 of 0 is all of them.
	Shard, Shards int
	// Progress is called after every run, one call at a time; may be nil.
	Progress func(done, total int, r *Run)
	// Decisions keeps the decision values of each run.
	Decisions bool
}

// Run is the result of one setting on one split.
type Run struct {
	Set     string             `json:"set,omitempty"` // [Options.Name]
	Setting string             `json:"setting"`
	Varied  map[string]float64 `json:"params,omitempty"` // of the setting; for a search, of the one it chose
	Split   int                `json:"split"`
	Trained int                `json:"trained"` // samples in the training part
	Tested  int                `json:"samples"` // in the test part; of a bound, samples that are no support vectors
	Errors  int                `json:"errors"`  // of those; 0 for regression
	// Losses are by metric. A metric that is not defined on the split, such as the area under the curve of one class,
	// is absent.
	Losses map[string]float64 `json:"losses"`
	// SE has the standard errors over the samples of the metrics that are means over them.
	SE map[string]float64 `json:"se,omitempty"`
	// Classes has the samples and the errors of each class.
	Classes [][2]int `json:"classes,omitempty"`
	Groups  *grouped `json:"groups,omitempty"` // nil without groups
	// Fitted is the mean loss over samples of the training part, 200 at most: errors, or squared ones of values.
	Fitted *float64 `json:"fitted,omitempty"`
	// Decisions are the decision values of the test part, if [Options.Decisions] asks for them: a row a sample. A
	// ledger's file does not have them.
	Decisions []float64 `json:"-"`
	// Samples are the losses of the test part's samples, kept with the decisions.
	Samples *sampleLosses `json:"-"`
	Vectors int           `json:"sv"`
	// Bound is the proven bound of the model's error, in runs for [Bound].
	Bound *assure.ErrorBound `json:"error_bound,omitempty"`
	// Constant says that all predictions are equal though the targets of the test part are not.
	Constant bool   `json:"constant,omitempty"`
	Status   string `json:"status"`
	Seconds  struct {
		Train   float64 `json:"train"`
		Predict float64 `json:"predict"`
	} `json:"seconds"`
	// Search counts the trainings in the folds of a setting that is a search.
	Search *searched        `json:"search,omitempty"`
	Failed string           `json:"failed,omitempty"` // why there is no model
	Key    string           `json:"key"`              // hash of samples, split and setting
	chosen sparsekm.Options // of a search
}

// sampleLosses are 1 for each wrong sample, or squared errors; units are the samples' numbers, or their groups'.
type sampleLosses struct {
	losses []float64
	units  []int
}

// searched counts trainings, and those that a limit or numerical trouble ended.
type searched struct {
	Trainings int `json:"trainings"`
	Limited   int `json:"limited"`
	// Edges are those of the grid that the choice lies at, after it has grown.
	Edges []learn.Edge `json:"edges,omitempty"`
}

// limited reports whether a limit or numerical trouble ended the training. A run without a model has no status.
func (r *Run) limited() bool {
	for s := status.Unknown; s <= status.FixedPoint; s++ {
		if s.Done() && s.String() == r.Status {
			return false
		}
	}
	return r.Status != ""
}

// loss returns the metric, and why there is none.
func (r *Run) loss(metric Metric) (loss float64, failed string) {
	loss, ok := r.Losses[metric.String()]
	if r.Failed == "" && !ok {
		return 0, metric.String() + " is not defined on a test part"
	}
	return loss, r.Failed
}

// Table has the runs of every setting on every split.
type Table struct {
	Settings   []Setting
	Splits     int
	Metric     Metric
	MaxVectors int
	Repeats    int
	Runs       [][]*Run // by setting, by split; nil where there was no run
	free       int      // settings, the first ones, that MaxVectors does not bound
	dropped    []string // why settings have no runs of some splits, "" for those that have all; nil for none
}

// Evaluate trains every setting on the training part of every split and tests it on the test part. A setting that
// cannot be trained on a split has a run that says why. When ctx ends, the table has the runs so far, and the error is
// the context's.
func Evaluate(ctx context.Context, set *dataset.Set, settings []Setting, splits []dataset.Split,
	o Options) (*Table, error) {
	if err := unique(settings); err != nil {
		return nil, err
	}
	var err error
	if o.Metric, err = o.Metric.settle(set, settings); err != nil {
		return nil, err
	}
	if o.Metric == Bound && (len(splits) != 1 || len(splits[0].Train) != set.N) {
		return nil, errors.New("modelselect: a bound takes all samples, want the split of Whole")
	}
	settings = o.Metric.prepared(settings)
	if o.Shards < 0 || o.Shard < 0 || o.Shards > 0 && o.Shard >= o.Shards {
		return nil, fmt.Errorf("modelselect: shard %d of %d, want 0 to %d", o.Shard, o.Shards, o.Shards-1)
	}
	t := &Table{Settings: settings, Splits: len(splits), Metric: o.Metric, MaxVectors: o.MaxVectors,
		Repeats: o.Repeats,
		Runs:    make([][]*Run, len(settings))}
	for i := range t.Runs {
		t.Runs[i] = make([]*Run, len(splits))
	}
	e := &evaluation{Options: o, set: set, settings: settings, splits: splits, table: t}
	e.plan()
	workers := min(parallel.Workers(o.Threads), max(1, len(e.groups)))
	e.memory = o.Memory
	if e.memory == 0 {
		e.memory = learn.DefaultMemory
	}
	if slices.ContainsFunc(settings, func(s Setting) bool { return s.decides(set) }) {
		e.shared, e.workers, e.views = e.memory/4, workers, make(map[viewKey]*view)
		e.memory -= e.shared
	}
	e.memory /= int64(workers)
	parallel.For(workers, len(e.groups), func(_, g int) {
		e.doAll(ctx, e.groups[g], threadsOf(g, len(e.groups), parallel.Workers(o.Threads)))
	})
	if e.failed != nil {
		return t, e.failed
	}
	return t, ctx.Err()
}

// threadsOf returns how many threads group g of several has: one, but groups left at the end for fewer than all threads
// share them.
func threadsOf(g, groups, threads int) int {
	if last := groups % threads; g >= groups-last {
		return threads / last
	}
	return 1
}

// unique refuses settings without a name of their own.
func unique(settings []Setting) error {
	seen := make(map[string]bool)
	for _, s := range settings {
		if s.Name == "" || seen[s.Name] {
			return fmt.Errorf("modelselect: two settings are called %q, want a name of its own for each", s.Name)
		}
		seen[s.Name] = true
	}
	return nil
}

// evaluation is a table being filled.
type evaluation struct {
	Options
	set      *dataset.Set
	settings []Setting
	splits   []dataset.Split
	table    *Table
	memory   int64 // of a run
	shared   int64 // bytes for what runs without a model share
	workers  int
	groups   [][]job // what is trained together

	mu     sync.Mutex
	views  map[viewKey]*view
	left   []int // runs of each split to come
	done   int
	total  int
	failed error // of the ledger
}

type job struct {
	setting, split int
	key            string
}

// plan lists the runs that the ledger does not have, split by split, so that an early end leaves whole splits.
func (e *evaluation) plan() {
	samples := hashSamples(e.set)
	e.left = make([]int, len(e.splits))
	for f, sp := range e.splits {
		split := hashSplit(samples, sp)
		var jobs []job
		for i := range e.settings {
			key := hashRun(split, &e.settings[i])
			if e.Shards > 0 && shardOf(key, e.Shards) != e.Shard {
				continue
			}
			e.total++
			if j := (job{i, f, key}); e.earlier(j) == nil {
				jobs = append(jobs, j)
			}
		}
		e.left[f] = len(jobs)
		e.groups = append(e.groups, e.grouped(jobs)...)
	}
}

// earlier takes a run from the ledger; it returns nil if there is none.
func (e *evaluation) earlier(j job) *Run {
	r := e.Ledger.find(j.key)
	if r == nil {
		return nil
	}
	here := *r
	here.Set, here.Split = e.Name, j.split
	e.mu.Lock()
	defer e.mu.Unlock()
	e.table.Runs[j.setting][j.split] = &here
	e.done++
	return &here
}

// do makes one run, with a trainer instead of the setting's unless it is nil.
func (e *evaluation) do(ctx context.Context, j job, threads int, as *seriesTrainer) {
	if ctx.Err() != nil {
		return
	}
	s, sp := &e.settings[j.setting], &e.splits[j.split]
	r := &Run{Set: e.Name, Setting: s.Name, Varied: s.Varied, Split: j.split, Trained: len(sp.Train),
		Tested: len(sp.Test), Key: j.key}
	err := r.judge(ctx, e, sp, s, room{threads, e.memory, sp.Train, as})
	if ctx.Err() != nil {
		return // a stopped training says nothing about the setting
	}
	if err != nil {
		r.Failed = err.Error()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done++
	e.table.Runs[j.setting][j.split] = r
	if err := e.Ledger.add(r); err != nil {
		e.failed = errors.Join(e.failed, err)
	}
	if e.Progress != nil {
		e.Progress(e.done, e.total, r)
	}
}

// judge trains on the training part and counts on the test part.
func (r *Run) judge(ctx context.Context, e *evaluation, sp *dataset.Split, s *Setting, in room) error {
	start := time.Now()
	if d := e.decide(ctx, r.Split, s); d != nil {
		r.Seconds.Train = time.Since(start).Seconds()
		return r.decided(e, sp, s, d)
	}
	part := e.set.Subset(sp.Train)
	clf, report, err := s.train(ctx, part, in, r)
	r.Seconds.Train = time.Since(start).Seconds() + in.as.shared()
	if err != nil {
		return err
	}
	r.Status, r.Vectors = report.Status.String(), clf.NumUnits()
	if e.Metric == Bound {
		return r.bounded(report)
	}
	if e.Options.Decisions {
		r.Samples = &sampleLosses{units: unitsOf(e.set, sp.Test)}
	}
	if err = r.count(ctx, clf, e.set.Subset(sp.Test), e.Options.Decisions); err == nil {
		r.fitted(ctx, clf, part)
	}
	return err
}

// fittedSamples is the most samples of a training part whose mean loss is taken.
const fittedSamples = 200

// fitted takes the mean loss over some of the training samples: it is much less than that over others where a model has
// many free parameters for its samples, and then models of other samples would differ much.
func (r *Run) fitted(ctx context.Context, clf *sparsekm.Classifier, part *dataset.Set) {
	if part = part.Subset(someOf(deal.All(part.N))); !part.Targeted() {
		return
	}
	if p, err := predict.Set(ctx, clf, part, 1, false); err == nil {
		clf.Predicted(p.Decisions)
		r.fit(part, p)
	}
}

// someOf are the rows for the mean loss of a training part.
func someOf(rows []int) (some []int) {
	for k := 0; k < len(rows); k += 1 + (len(rows)-1)/fittedSamples {
		some = append(some, rows[k])
	}
	return some
}

// fit takes the mean loss of predictions.
func (r *Run) fit(part *dataset.Set, p *predict.Predictions) {
	var losses []float64
	switch {
	case p.Classes != nil:
		losses = errorsOf(part.ClassOf(p.Model.Labels()), p.Classes)
	case part.Targets == nil:
		return
	default:
		losses = squaresOf(part.Targets, p.Decisions)
	}
	loss := dense.Sum(losses) / float64(len(losses))
	r.Fitted = &loss
}

// count fills in the results on the test part. The error may be the context's.
func (r *Run) count(ctx context.Context, clf *sparsekm.Classifier, test *dataset.Set, keep bool) error {
	start := time.Now()
	p, err := predict.Set(ctx, clf, test, 1, false)
	if err != nil {
		return err
	}
	r.Seconds.Predict = time.Since(start).Seconds()
	return r.counted(clf, test, p, keep)
}

// counted fills in the results of predictions on the test part.
func (r *Run) counted(clf *sparsekm.Classifier, test *dataset.Set, p *predict.Predictions, keep bool) error {
	clf.Predicted(p.Decisions)
	if err := p.Finite(0); err != nil {
		return fmt.Errorf("modelselect: %w", err)
	}
	e := predict.NewEvaluation(clf)
	if p.Classes == nil {
		e.AddValues(test.Targets, p.Decisions)
		r.measured(e.Report())
		r.Constant = test.Targets != nil && allEqual(p.Decisions) && !allEqual(test.Targets)
		if test.Targets != nil {
			r.lost(squaresOf(test.Targets, p.Decisions), test.Groups)
		}
		return nil
	}
	want := test.ClassOf(clf.Labels())
	e.Add(want, p.Classes, p.Decisions, 1)
	if keep {
		r.Decisions = p.Decisions
	}
	report := e.Report()
	r.measured(report)
	r.untrained(report, test)
	r.Errors = report.Errors
	r.lost(errorsOf(want, p.Classes), test.Groups)
	r.Constant = allEqual(p.Classes) && !allEqual(test.Y)
	return nil
}

// untrained counts classes of the test part that the training part lacks as classes of which none is found.
func (r *Run) untrained(report *metrics.Report, test *dataset.Set) {
	if report.Unknown == nil {
		return
	}
	recalls, all := 0.0, 0
	for _, c := range report.Classes {
		if c.Recall != nil {
			recalls += *c.Recall
		}
	}
	for _, n := range test.Counts() {
		all += min(n, 1)
	}
	r.Losses[Balanced.String()] = 1 - recalls/float64(all)
	r.Classes = nil // theirs are not among them
}

// lost takes the losses of the test part's samples.
func (r *Run) lost(losses []float64, groups []string) {
	if r.Groups = groupedLosses(losses, groups); r.Samples != nil {
		r.Samples.losses = losses
	}
}

func allEqual[T comparable](v []T) bool {
	return !slices.ContainsFunc(v, func(c T) bool { return c != v[0] })
}

// room is what a training may use.
type room struct {
	threads int
	memory  int64
	rows    []int          // of the samples in the weights; nil for all
	as      *seriesTrainer // instead of the trainer, or nil
}

// train trains one setting. r records what a search has chosen.
func (s *Setting) train(ctx context.Context, part *dataset.Set, in room, r *Run) (*sparsekm.Classifier,
	*sparsekm.Report, error) {
	part, s = s.present(part)
	if s.Search != nil {
		t, err := s.Search.Run(ctx, part, Options{Threads: in.threads, Memory: in.memory})
		if err != nil {
			return nil, nil, err
		}
		r.Varied, r.chosen = t.Table.Settings[t.Chosen].Varied, t.Table.Settings[t.Chosen].Options
		r.Search = &searched{Edges: t.Table.Edges(t.Scores, t.Chosen)}
		for i := range t.Scores {
			r.Search.Trainings += t.Scores[i].Splits
			r.Search.Limited += t.Scores[i].Limited
		}
		return s.finished(t.Classifier, t.Report)
	}
	o := s.Options
	o.Threads, o.Memory, o.Progress = in.threads, in.memory, nil
	if in.as != nil {
		o.Trainer = *in.as
	}
	if in.rows != nil {
		o.SampleWeight = deal.Pick(o.SampleWeight, in.rows)
	}
	clf, report, err := sparsekm.Train(ctx, part, o)
	if err != nil {
		return nil, nil, err
	}
	return s.finished(clf, report)
}

// present is a set without the classes that none of its samples has, and the setting without their weights: a method
// trains on classes that have samples.
func (s *Setting) present(set *dataset.Set) (*dataset.Set, *Setting) {
	counts := set.Counts()
	if !slices.Contains(counts, 0) {
		return set, s
	}
	some, setting := *set, *s
	some.Labels = nil
	for c, label := range set.Labels {
		if counts[c] > 0 {
			some.Labels = append(some.Labels, label)
		}
	}
	if len(some.Labels) < 2 {
		return set, s
	}
	some.Y = set.ClassOf(some.Labels)
	weigh := func(o *sparsekm.Options) {
		o.ClassWeight = maps.Clone(o.ClassWeight)
		maps.DeleteFunc(o.ClassWeight, func(l string, _ float64) bool { return !slices.Contains(some.Labels, l) })
	}
	if weigh(&setting.Options); s.Search != nil {
		setting.Search = s.Search.with(weigh)
	}
	return &some, &setting
}

func (s *Setting) finished(clf *sparsekm.Classifier, report *sparsekm.Report) (*sparsekm.Classifier,
	*sparsekm.Report, error) {
	if s.Finish == nil {
		return clf, report, nil
	}
	clf, err := s.Finish(clf)
	return clf, report, err
}
