package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/modelselect"
)

// learner is what cv and tune train with: a method, its kernel and the samples.
type learner struct {
	Data string `arg:"" reads:"the samples" help:"Samples: LIBSVM text, CSV, ARFF or NumPy arrays; - for standard input."`

	trainingFlags
	SplitFlags splitFlags `embed:""`
}

// request turns the flags into those of a training.
func (l *learner) request(g session.SetFlags) (*request, error) {
	o, err := l.trainingFlags.request(g)
	if err = errors.Join(err, l.SplitFlags.validate()); err != nil {
		return nil, err
	}
	if o.method.Takes(learn.OneClass) {
		return nil, errNoMetric
	}
	if o.Kernel.Indexed() {
		return nil, usagef("--kernel %v: its samples have the numbers of the others, which a split would break",
			o.Kernel.Kind)
	}
	return o, nil
}

// search is the runs of settings on the splits of one set.
type search struct {
	set    *dataset.Set
	splits []dataset.Split
	choice modelselect.Search
	modelselect.Options
}

// table makes the runs, and shows them as they come.
func (r *search) table(s *session.Session) (*modelselect.Table, error) {
	show, end := s.Watch()
	defer end()
	o := r.Options
	if show != nil {
		o.Progress = func(done, total int, r *modelselect.Run) {
			show(learn.Event{Phase: "runs", Done: float64(done) / float64(total), Step: done, Text: r.Setting})
		}
	}
	return r.choice.Evaluate(s.Context, r.set, r.splits, o)
}

// search reads the samples and settles the scaling and the splits. The settings are left to the caller.
func (l *learner) search(s *session.Session, o *request) (*search, error) {
	r := l.reading(o, s.Memory)
	r.Group, r.narrow = l.SplitFlags.Group, l.narrow(o)
	r.judgedBy(l.metric)
	set, err := loadTargeted(s, l.Data, r, o.method)
	if err != nil {
		return nil, err
	}
	if l.turned(set) {
		again, failed := l.request(s.Set)
		if failed != nil {
			return nil, failed
		}
		again.Calibrate, again.Bound = o.Calibrate, o.Bound
		*o = *again
	}
	if _, err = l.settle(s, r, o, l.Data, set); err != nil {
		return nil, err
	}
	runs := &search{set: set, Options: modelselect.Options{Threads: l.Threads, Memory: max(1, s.Memory-setBytes(set))}}
	if l.SplitFlags.Splits == "" {
		runs.Repeats = l.SplitFlags.Repeat
	}
	runs.splits, err = l.SplitFlags.of(s, set, l.seed())
	return runs, err
}

// loadTargeted reads samples for a method, which must have labels unless it learns a density.
func loadTargeted(s *session.Session, name string, r reading, method sparsekm.Method) (*dataset.Set, error) {
	set, err := load(s, name, r)
	if err != nil {
		return nil, err
	}
	if method.Takes(learn.Density) {
		return untargeted(set), nil
	}
	if !set.Targeted() {
		return nil, usagef("%s: the samples have no labels", name)
	}
	return set, nil
}

// noteRuns says how many runs a ledger has after a search that ended with err.
func noteRuns(s *session.Session, err error, ledger string, runs, before int, more string) error {
	switch {
	case err != nil && s.Context.Err() == nil:
		return err
	case !s.Quiet:
		s.Note("%s: %d runs, %d of them new%s", ledger, runs, runs-before, more)
	}
	if err != nil {
		return session.ErrLimit
	}
	return nil
}

// splitFlags say on what settings are judged.
type splitFlags struct {
	Folds  int `default:"10" min:"2" placeholder:"K" group:"split" help:"Folds, stratified by classes, drawn by --seed."`
	Repeat int `default:"1" min:"1" placeholder:"R" group:"split" help:"Draw the folds R times."`
	groupFlag
	Splits string `placeholder:"FILE" group:"split" reads:"" help:"Instead of folds: a line a split, the numbers (from 0) of its training samples."`

	whole bool // no splits: all samples train
}

// groupFlag keeps rows together.
type groupFlag struct {
	Group string `placeholder:"COLUMN" group:"split" help:"Rows with the same word in this column are never on both sides of a split."`
}

func (f *splitFlags) validate() error {
	if f.Group != "" && f.Splits != "" {
		return usagef("--group: --splits says which samples are tested")
	}
	return nil
}

// of returns the splits of the samples.
func (f *splitFlags) of(s *session.Session, set *dataset.Set, seed uint64) ([]dataset.Split, error) {
	if f.whole {
		return modelselect.Whole(set), nil
	}
	if f.Splits == "" {
		noteRare(s, set, onlyTrains)
		splits, err := modelselect.Folds(set, f.Folds, f.Repeat, seed)
		if err != nil {
			return nil, usagef("--folds: %s", strings.TrimPrefix(strings.TrimPrefix(err.Error(), "dataset: "), "modelselect: "))
		}
		return splits, nil
	}
	noteRare(s, set, "a sample whose class a training part lacks counts as an error")
	file, err := os.Open(f.Splits)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return dataset.ReadSplits(file, f.Splits, set.N)
}

const onlyTrains = "the only sample of a class always trains, and nothing tests it"

// noteRare names the classes of one or two samples, and says what happens to them.
func noteRare(s *session.Session, set *dataset.Set, what string) {
	const maxNamed = 5
	var rare []string
	for c, n := range set.Counts() {
		if n == 1 || n == 2 {
			rare = append(rare, fmt.Sprintf("%s (%d)", set.Labels[c], n))
		}
	}
	if n := len(rare); n > maxNamed {
		rare = append(rare[:maxNamed], fmt.Sprintf("and %d more", n-maxNamed))
	}
	if len(rare) > 0 {
		s.Note("classes of one or two samples: %s; %s", strings.Join(rare, ", "), what)
	}
}
