package cli

import (
	"cmp"
	"errors"
	"os"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/modelselect"
)

// learner is what cv and tune train with: a method, its kernel and the points.
type learner struct {
	Data string `arg:"" help:"Points in LIBSVM text or CSV, gzipped or not; - for standard input."`

	trainingFlags
	SplitFlags splitFlags `embed:""`
}

func newLearner() learner { return learner{trainingFlags: newTrainingFlags()} }

// options turns the flags into those of a training.
func (l *learner) options(g givenFlags) (sparsekm.Options, error) {
	o, _, err := l.trainingFlags.options(g)
	if err = errors.Join(err, l.SplitFlags.validate()); err != nil {
		return o, err
	}
	if o.Kernel.Indexed() {
		return o, usagef("--kernel %v: its points have the numbers of the others, which a split would break", o.Kernel.Kind)
	}
	return o, nil
}

// load reads the points and settles the scaling and the splits.
func (l *learner) load(s *session, o *sparsekm.Options) (*dataset.Set, []dataset.Split, error) {
	memory := l.LimitFlags.Mem.memory()
	l.DataFlags.maxBytes, l.DataFlags.choose = memory, l.ColumnFlags
	set, err := s.load(l.Data, &l.DataFlags)
	if err != nil {
		return nil, nil, err
	}
	if set.Y == nil {
		return nil, nil, usagef("%s: the points have no labels", l.Data)
	}
	if l.Scale == "auto" && o.KernelOf == nil {
		if o.Scale, _, err = dataset.AutoScale(s.ctx, set); err != nil {
			return nil, nil, stopped(err)
		}
	}
	l.ClassWeight.settle(set)
	o.ClassWeight = l.ClassWeight.of
	splits, err := l.SplitFlags.of(set, l.flags.seed())
	return set, splits, err
}

// judging is how runs are made.
func (l *learner) judging(set *dataset.Set) modelselect.Options {
	o := modelselect.Options{Threads: l.LimitFlags.Threads, Memory: max(1, l.LimitFlags.Mem.memory()-setBytes(set))}
	if l.SplitFlags.Splits == "" {
		o.Repeats = l.SplitFlags.Repeat
	}
	return o
}

// splitFlags say on what settings are judged.
type splitFlags struct {
	Folds  int    `default:"10" placeholder:"K" group:"split" help:"Stratified folds, drawn by --seed. Default: 10."`
	Repeat int    `default:"1" placeholder:"R" group:"split" help:"Draw the folds R times. Default: 1."`
	Splits string `placeholder:"FILE" group:"split" help:"In the place of folds: a line a split, the 0-based numbers of its training points; the others are its test part."`
}

func (f *splitFlags) validate() error {
	switch {
	case f.Folds < 2:
		return usagef("--folds: found %d, want at least 2", f.Folds)
	case f.Repeat < 1:
		return usagef("--repeat: found %d, want at least 1", f.Repeat)
	}
	return nil
}

// of returns the splits of the points.
func (f *splitFlags) of(set *dataset.Set, seed uint64) ([]dataset.Split, error) {
	if f.Splits == "" {
		splits, err := modelselect.Folds(set, f.Folds, f.Repeat, seed)
		if err != nil {
			return nil, usagef("--folds: %s", strings.TrimPrefix(err.Error(), "dataset: "))
		}
		return splits, nil
	}
	file, err := os.Open(f.Splits)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return dataset.ReadSplits(file, f.Splits, set.N)
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
