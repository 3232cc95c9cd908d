package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/pprof"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
)

// dataFlags say how to read files of points.
type dataFlags struct {
	Format      string `enum:"auto,libsvm,csv" default:"auto" group:"data" help:"Text format: ${enum}."`
	LabelColumn string `placeholder:"NAME|INDEX" group:"data" help:"CSV: the label's column, by name or 0-based index, negative from the end. Default: the last."`
	ZeroBased   bool   `group:"data" help:"LIBSVM: feature indices start at 0, as those of a precomputed kernel do."`
	Features    int    `placeholder:"N" group:"data" help:"LIBSVM: the number of features. Default: the largest index in the file."`
	Unlabelled  bool   `group:"data" help:"The points have no labels."`
	TextLabels  bool   `group:"data" help:"Take every label as text."`

	maxBytes int64 // of the points while they are read; 0 means half of what there is
}

func (f *dataFlags) validate() error {
	if f.Features < 0 {
		return usagef("--features: found %d, want at least 1", f.Features)
	}
	return nil
}

var errInterrupted = errors.New("interrupted before there was a result")

// load reads a file of points, or standard input for "-". An interrupt or the time limit
// ends the wait, even for somebody who types.
func (s *session) load(name string, f *dataFlags) (*dataset.Set, error) {
	return beside(s, func() (set *dataset.Set, err error) {
		pprof.Do(s.ctx, pprof.Labels("phase", "load"), func(context.Context) {
			if name == "-" {
				set, err = dataset.Read(s.stdin, "standard input", f.options())
			} else {
				set, err = dataset.ReadFile(name, f.options())
			}
		})
		return set, err
	})
}

// loadClassifier reads a model, perhaps from a pipe that nobody writes to.
func (s *session) loadClassifier(name string) (*sparsekm.Classifier, error) {
	return beside(s, func() (*sparsekm.Classifier, error) { return sparsekm.Load(name) })
}

func (f *dataFlags) options() dataset.Options {
	o := dataset.Options{
		MaxBytes:    byteSize(f.maxBytes).memory(),
		Features:    f.Features,
		ZeroBased:   f.ZeroBased,
		TextLabels:  f.TextLabels,
		Unlabelled:  f.Unlabelled,
		LabelColumn: f.LabelColumn,
	}
	switch f.Format {
	case "libsvm":
		o.Format = dataset.LIBSVM
	case "csv":
		o.Format = dataset.CSV
	}
	return o
}

// note tells a person something that is not a result.
func (s *session) note(format string, args ...any) {
	fmt.Fprintf(s.stderr, "sparsekm: "+format+"\n", args...)
}

// loadFor reads points for a classifier: as many features as it has. A LIBSVM
// file may leave out trailing zeros, which shows in rows that end at different
// features. A LIBSVM model may have left them out too; it gets wider then.
func (s *session) loadFor(clf *sparsekm.Classifier, name string, f *dataFlags) (*dataset.Set, *sparsekm.Classifier,
	error) {
	f.ZeroBased = f.ZeroBased || clf.Kernel().Indexed()
	set, err := s.load(name, f)
	if err != nil {
		return nil, nil, err
	}
	want := clf.NumFeatures()
	switch {
	case set.D < want && set.Ragged:
		set = set.Widen(want)
	case set.D > want && clf.Parts().Features == 0:
		if clf, err = clf.WithFeatures(set.D); err != nil {
			return nil, nil, err
		}
	case set.D != want:
		return nil, nil, featuresError(name, set.D, want, "the model")
	}
	return set, clf, nil
}

// loadWith reads points that must have d features, as many as whose has.
func (s *session) loadWith(d int, name string, f *dataFlags, whose string) (*dataset.Set, error) {
	set, err := s.load(name, f)
	switch {
	case err != nil:
		return nil, err
	case set.D < d && set.Ragged:
		return set.Widen(d), nil
	case set.D != d:
		return nil, featuresError(name, set.D, d, whose)
	}
	return set, nil
}

func featuresError(name string, found, want int, whose string) error {
	err := fmt.Errorf("%s: found %d features, want %d, as many as %s has", name, found, want, whose)
	if found < want {
		err = fmt.Errorf("%w (--features %d if the file leaves out trailing zeros)", err, want)
	}
	return err
}
