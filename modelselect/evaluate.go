package modelselect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Options say how settings are judged.
type Options struct {
	Name   string // of the points, for runs to have
	Metric Metric // what is made small; 0 is [Error]
	// Repeats is how often the splits look at the same points, 0 for once: so often does each count for less in a
	// standard error.
	Repeats int
	// MaxVectors is the most support vectors that a setting may have in the mean over the splits; 0 is no limit.
	MaxVectors int
	// Threads is how many runs go side by side, each with one thread; 0 means GOMAXPROCS. The table does not depend
	// on it.
	Threads int
	Memory  int64 // budget in bytes of all runs together; 0 means [learn.DefaultMemory]
	// Ledger has runs of before and takes the new ones; nil keeps none.
	Ledger *Ledger
	// Shard of Shards takes one run in Shards, by its key; 0 of 0 is all of them.
	Shard, Shards int
	// Progress is called after every run, one call at a time; may be nil.
	Progress func(done, total int, r *Run)
}

// Run is what came of one setting on one split.
type Run struct {
	Set     string             `json:"set,omitempty"` // [Options.Name]
	Setting string             `json:"setting"`
	Varied  map[string]float64 `json:"params,omitempty"` // of a search: of the setting that it chose
	Split   int                `json:"split"`
	Trained int                `json:"trained"` // points in the training part
	Points  int                `json:"points"`  // in the test part
	Errors  int                `json:"errors"`  // of those
	// Losses are by metric; one that is not defined on the split, such as the area under the curve of one class, is
	// absent.
	Losses  map[string]float64 `json:"losses"`
	Vectors int                `json:"sv"`
	Status  string             `json:"status"`
	Seconds struct {
		Train   float64 `json:"train"`
		Predict float64 `json:"predict"`
	} `json:"seconds"`
	Failed string `json:"failed,omitempty"` // why there is no machine
	Key    string `json:"key"`              // hash of points, split and setting
}

// limited reports whether a limit or trouble ended the training; one without a machine has failed, and has no status.
func (r *Run) limited() bool {
	return r.Status != "" && r.Status != status.Optimal.String() && r.Status != status.SizeReached.String()
}

// Table is what came of every setting on every split.
type Table struct {
	Settings   []Setting
	Splits     int
	Metric     Metric
	MaxVectors int
	Repeats    int
	Runs       [][]*Run // by setting, by split; nil where there was no run
}

// Evaluate trains every setting on the training part of every split and judges it on the test part. A setting that
// cannot be trained on a split has a run that says why. When ctx ends, the error is its, and the table has the runs
// so far.
func Evaluate(ctx context.Context, set *dataset.Set, settings []Setting, splits []dataset.Split,
	o Options) (*Table, error) {
	if err := unique(settings); err != nil {
		return nil, err
	}
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
	workers := min(parallel.Workers(o.Threads), max(1, len(e.jobs)))
	e.memory = o.Memory
	if e.memory == 0 {
		e.memory = learn.DefaultMemory
	}
	e.memory /= int64(workers)
	parallel.For(workers, len(e.jobs), func(_, j int) { e.do(ctx, e.jobs[j]) })
	if e.failed != nil {
		return t, e.failed
	}
	return t, ctx.Err()
}

// unique reports settings of one name.
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
	jobs     []job

	mu     sync.Mutex
	done   int
	total  int
	failed error // of the ledger
}

type job struct {
	setting, split int
	key            string
}

// plan lists what the ledger does not have, split by split, so that an end on the way leaves whole splits.
func (e *evaluation) plan() {
	points := hashPoints(e.set)
	for f, sp := range e.splits {
		split := hashSplit(points, sp)
		for i := range e.settings {
			key := hashRun(split, &e.settings[i])
			if e.Shards > 0 && shardOf(key, e.Shards) != e.Shard {
				continue
			}
			e.total++
			if r := e.Ledger.find(key); r != nil {
				own := *r
				own.Set, own.Split = e.Name, f
				e.table.Runs[i][f] = &own
				e.done++
				continue
			}
			e.jobs = append(e.jobs, job{i, f, key})
		}
	}
}

// do makes one run.
func (e *evaluation) do(ctx context.Context, j job) {
	if ctx.Err() != nil {
		return
	}
	s, sp := &e.settings[j.setting], &e.splits[j.split]
	r := &Run{Set: e.Name, Setting: s.Name, Varied: s.Varied, Split: j.split, Trained: len(sp.Train), Points: len(sp.Test), Key: j.key}
	err := r.judge(ctx, e.set, sp, s, e.memory)
	if ctx.Err() != nil {
		return // what a stopped training left is not what the setting is worth
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
func (r *Run) judge(ctx context.Context, set *dataset.Set, sp *dataset.Split, s *Setting, memory int64) error {
	part := set.Subset(sp.Train)
	start := time.Now()
	clf, report, err := s.train(ctx, part, sp, memory, r)
	r.Seconds.Train = time.Since(start).Seconds()
	if err != nil {
		return err
	}
	r.Status, r.Vectors = report.Status.String(), clf.NumVectors()
	return r.count(clf, set.Subset(sp.Test))
}

// count fills in what the classifier makes of the test part.
func (r *Run) count(clf *sparsekm.Classifier, test *dataset.Set) error {
	start := time.Now()
	m := clf.NumMachines()
	decisions, class := make([]float64, test.N*m), make([]int, test.N)
	clf.DecideBatch(decisions, test.X, test.N, 1)
	clf.Classes(class, decisions, test.N)
	r.Seconds.Predict = time.Since(start).Seconds()
	for _, f := range decisions {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("modelselect: a decision is %v", f)
		}
	}
	e := sparsekm.NewEvaluation(clf)
	e.Add(test.ClassOf(clf.Labels()), class, decisions, 1)
	report := e.Report()
	r.Errors, r.Losses = report.Errors, losses(report)
	return nil
}

// train trains one setting with one thread.
func (s *Setting) train(ctx context.Context, part *dataset.Set, sp *dataset.Split, memory int64,
	r *Run) (*sparsekm.Classifier, *sparsekm.Report, error) {
	if s.Search != nil {
		t, err := s.Search.Run(ctx, part, Options{Threads: 1, Memory: memory})
		if err != nil {
			return nil, nil, err
		}
		r.Varied = t.Table.Settings[t.Chosen].Varied
		return t.Classifier, t.Report, nil
	}
	o := s.Options
	o.Threads, o.Memory, o.Progress = 1, memory, nil
	if s.Options.SampleWeight != nil {
		o.SampleWeight = make([]float64, len(sp.Train))
		for k, i := range sp.Train {
			o.SampleWeight[k] = s.Options.SampleWeight[i]
		}
	}
	return sparsekm.Train(ctx, part, o)
}
