package cli

import (
	"cmp"
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
	Data string `arg:"" reads:"the samples" help:"Samples in LIBSVM text, CSV, ARFF or NumPy arrays (.npy, .npz), by gzip or bzip2 or neither; - for standard input."`

	trainingFlags
	SplitFlags splitFlags `embed:""`
}

func newLearner() learner { return learner{trainingFlags: newTrainingFlags()} }

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

// load reads the samples and settles the scaling and the splits.
func (l *learner) load(s *session.Session, o *request) (*dataset.Set, []dataset.Split, error) {
	memory := l.LimitFlags.Mem.Bytes()
	r := l.reading(o, memory)
	r.Group, r.narrow = l.SplitFlags.Group, l.narrow(o)
	r.judgedBy(l.metric)
	set, err := loadTargeted(s, l.Data, r, o.method)
	if err != nil {
		return nil, nil, err
	}
	if l.turned(set) {
		again, failed := l.request(s.Set)
		if failed != nil {
			return nil, nil, failed
		}
		again.Calibrate, again.Bound = o.Calibrate, o.Bound
		*o = *again
	}
	if _, err = l.settleTask(s, r, o, l.Data, set); err != nil {
		return nil, nil, err
	}
	if l.Scale == "auto" && o.KernelOf == nil {
		if o.Scale, _, err = dataset.AutoScale(s.Context, set); err != nil {
			return nil, nil, stopped(err)
		}
	}
	if err = l.loadCandidates(s, o, set, l.Data); err != nil {
		return nil, nil, err
	}
	o.ClassWeight = l.ClassWeight.of(set)
	splits, err := l.SplitFlags.of(s, set, l.flags.seed())
	return set, splits, err
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

// noteRuns says how many runs a ledger has after a search that ended with err, unless it is to be quiet.
func noteRuns(s *session.Session, quiet bool, err error, ledger string, runs, before int, more string) error {
	switch {
	case err != nil && s.Context.Err() == nil:
		return err
	case !quiet:
		s.Note("%s: %d runs, %d of them new%s", ledger, runs, runs-before, more)
	}
	if err != nil {
		return session.ErrLimit
	}
	return nil
}

// runs is how the runs are made.
func (l *learner) runs(set *dataset.Set) modelselect.Options {
	o := modelselect.Options{Threads: l.LimitFlags.Threads, Memory: max(1, l.LimitFlags.Mem.Bytes()-setBytes(set))}
	if l.SplitFlags.Splits == "" {
		o.Repeats = l.SplitFlags.Repeat
	}
	return o
}

// splitFlags say on what settings are judged.
type splitFlags struct {
	Folds  int `default:"10" placeholder:"K" group:"split" help:"Folds, stratified by classes, drawn by --seed. Default: 10."`
	Repeat int `default:"1" placeholder:"R" group:"split" help:"Draw the folds R times. Default: 1."`
	groupFlag
	Splits string `placeholder:"FILE" group:"split" reads:"" help:"Instead of folds: a line a split, the 0-based numbers of its training samples; the others are its test part."`

	whole bool // no splits: all samples train
}

// groupFlag keeps rows together.
type groupFlag struct {
	Group string `placeholder:"COLUMN" group:"split" help:"CSV: rows with the same word in this column, a patient or a document, are never on both sides of a split of ours. The column, by name or 0-based index, is no feature."`
}

func (f *splitFlags) validate() error {
	switch {
	case f.Group != "" && f.Splits != "":
		return usagef("--group: --splits says which samples are tested")
	case f.Folds < 2:
		return usagef("--folds: found %d, want at least 2", f.Folds)
	case f.Repeat < 1:
		return usagef("--repeat: found %d, want at least 1", f.Repeat)
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
	const most = 5
	var rare []string
	for c, n := range set.Counts() {
		if n == 1 || n == 2 {
			rare = append(rare, fmt.Sprintf("%s (%d)", set.Labels[c], n))
		}
	}
	if n := len(rare); n > most {
		rare = append(rare[:most], fmt.Sprintf("and %d more", n-most))
	}
	if len(rare) > 0 {
		s.Note("classes of one or two samples: %s; %s", strings.Join(rare, ", "), what)
	}
}

// seed is that of --seed, 1 without it.
func (f *flags) seed() uint64 {
	for i, name := range f.names {
		if v, ok := f.values.Elem().Field(i).Interface().(*uint64); ok && name == "seed" && v != nil {
			return cmp.Or(*v, 1)
		}
	}
	return 1
}
