package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/pprof"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// dataFlags say how to read files of samples. They are what was typed, and do not change; [reading] has the rest.
type dataFlags struct {
	Format      string `enum:"auto,libsvm,csv,arff" default:"auto" group:"data" help:"Text format: ${enum}."`
	LabelColumn string `placeholder:"NAME|INDEX" group:"data" help:"CSV, ARFF: the label's column, by name or 0-based index, negative from the end. Default: the last."`
	ZeroBased   bool   `group:"data" help:"LIBSVM: feature indices start at 0, as those of a precomputed kernel do."`
	Features    int    `placeholder:"N" group:"data" help:"LIBSVM: the number of features. Default: the largest index in the file."`
	Unlabelled  bool   `group:"data" help:"The samples have no labels."`
	TextLabels  bool   `group:"data" help:"Take every label as text."`

	Header  string   `enum:"auto,yes,no" default:"auto" group:"data" help:"CSV: whether the first line has the columns' names. auto: yes if it has no numbers, or a name over labels that are numbers; asks where that is unclear: ${enum}."`
	Drop    []string `placeholder:"COLUMN,..." group:"data" help:"CSV, ARFF: leave out these columns, by name or 0-based index."`
	Decimal string   `default:"." placeholder:"MARK" group:"data" help:"CSV: the decimal mark, a point or a comma."`
}

// columnFlags say what a training makes of the columns of a CSV file. The model keeps it.
type columnFlags struct {
	Select      []string `placeholder:"COLUMN,..." group:"data" help:"CSV, ARFF: take only these columns, and the label's, as features."`
	Categorical []string `placeholder:"COLUMN,..." group:"data" help:"CSV, ARFF: columns of text, of which every word becomes a feature of 0 and 1; a word that the training did not have is an error later."`
	Missing     string   `enum:"error,drop,mean,median" default:"error" group:"data" help:"CSV, ARFF: what becomes of missing cells: an error, their rows left out, or the column's mean or median, which the model keeps: ${enum}."`
}

func (f *dataFlags) validate() error {
	if f.Features < 0 {
		return usagef("--features: found %d, want at least 1", f.Features)
	}
	if f.Decimal != "." && f.Decimal != "," {
		return usagef("--decimal: found %q, want . or ,", f.Decimal)
	}
	return nil
}

// reading is how a file of samples is read: the flags, and what the program decides about this file. A file that is
// read in another way has a copy.
type reading struct {
	*dataFlags
	choose    columnFlags        // of a training
	group     string             // column of --group
	maxBytes  int64              // of the samples while they are read; 0 means half of what there is
	columns   dataset.Columns    // of the training's CSV file, nil before or without it
	sparse    bool               // samples may stay sparse
	narrow    *gram.Kernel       // for which even samples of few features may; nil for none
	targets   dataset.TargetKind // what labels are
	width     int                // features of a precomputed kernel's rows, 0 for as many as there are
	zeroBased bool               // feature indices start at 0, also without the flag
	asText    bool               // labels are text, also without the flag
}

// reading returns how a file is read that nothing is known of.
func (f *dataFlags) reading() reading { return reading{dataFlags: f} }

// misplaced fails for a flag that files of the set's format know nothing of.
func (f *reading) misplaced(g session.SetFlags, name string, set *dataset.Set) error {
	if flag := f.ignored(); flag != "" && set.Columns == nil {
		return usagef("%s: %s is no CSV file", flag, name)
	}
	if flag := g.First("zero-based", "features"); flag != "" && set.Columns != nil {
		return usagef("--%s: %s is no LIBSVM file", flag, name)
	}
	return nil
}

// ignored is the first flag for CSV files that was given, of which other files know nothing.
func (f *reading) ignored() string {
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"--label-column", f.LabelColumn != ""}, {"--header", f.Header == "yes" || f.Header == "no"},
		{"--group", f.group != ""}, {"--drop", len(f.Drop) > 0}, {"--decimal", f.Decimal == ","}, {"--select", len(f.choose.Select) > 0},
		{"--categorical", len(f.choose.Categorical) > 0},
		{"--missing", f.choose.Missing != "" && f.choose.Missing != "error"},
	} {
		if flag.given {
			return flag.name
		}
	}
	return ""
}

// load reads a file of samples, or standard input for "-". An interrupt or the time limit
// ends the wait, even for somebody who types.
func load(s *session.Session, name string, f reading) (*dataset.Set, error) {
	if err := f.validate(); err != nil {
		return nil, err
	}
	set, err := session.InBackground(s, func() (set *dataset.Set, err error) {
		pprof.Do(s.Context, pprof.Labels("phase", "load"), func(context.Context) {
			if name == "-" {
				set, err = dataset.Read(s.Stdin, "standard input", f.options())
			} else {
				set, err = dataset.ReadFile(name, f.options())
			}
		})
		return set, err
	})
	if err != nil {
		return nil, advised(err)
	}
	if err = f.misplaced(s.Set, name, set); err != nil {
		return nil, err
	}
	set = f.stored(set)
	if set.Skipped > 0 {
		s.Note("%s: %d rows with missing cells are left out", name, set.Skipped)
	}
	return set, nil
}

// stored stores every zero of samples of few features that are kept as bytes then, which are faster than lists of those
// that are not 0, in half of the room that there is.
func (f *reading) stored(set *dataset.Set) *dataset.Set {
	if f.narrow == nil || set.Sparse == nil || !set.Narrow() || f.narrow.Additive() || !f.narrow.Bytes(set.Sparse) {
		return set
	}
	full, err := set.Dense(session.ByteSize(f.maxBytes).Bytes() / 2)
	if err != nil {
		return set
	}
	return full
}

// advised adds the flags that help to an error of a CSV file.
func advised(err error) error {
	e, ok := errors.AsType[*dataset.Error](err)
	if !ok {
		return err
	}
	column := e.Column
	if column == "" {
		column = "COLUMN"
	}
	switch {
	case e.Header:
		return fmt.Errorf("%w; say --header yes or --header no", err)
	case e.Label:
		return fmt.Errorf("%w (--task regress takes labels as real numbers)", err)
	case e.Unknown:
		return fmt.Errorf("%w (--drop COLUMN leaves one out)", err)
	case e.Missing:
		return fmt.Errorf("%w (train has --missing drop, mean and median; --drop %s leaves the column out)", err, column)
	case e.Text:
		return fmt.Errorf("%w (--categorical %s if it is text, --decimal , for decimal commas, --drop %s to leave it out)",
			err, column, column)
	}
	return err
}

// loadClassifier reads a model, perhaps from a pipe that nobody writes to.
func loadClassifier(s *session.Session, name string) (*sparsekm.Classifier, error) {
	return session.InBackground(s, func() (*sparsekm.Classifier, error) { return sparsekm.Load(name) })
}

func (f *reading) options() dataset.Options {
	o := dataset.Options{
		MaxBytes:    session.ByteSize(f.maxBytes).Bytes(),
		Features:    f.Features,
		ZeroBased:   f.ZeroBased || f.zeroBased,
		TextLabels:  f.TextLabels || f.asText,
		Unlabelled:  f.Unlabelled,
		LabelColumn: f.LabelColumn,
		Columns:     f.columns,
		Targets:     f.targets,
		Drop:        f.Drop,
		Group:       f.group,
		Select:      f.choose.Select,
		Categorical: f.choose.Categorical,
		KeepSparse:  f.sparse,
		KeepNarrow:  f.narrow != nil,
		Width:       f.width,
	}
	o.Missing, _ = dataset.ParseMissing(f.choose.Missing) // the command line has checked it; "" is an error
	switch f.Header {
	case "yes":
		o.Header = dataset.HeaderYes
	case "no":
		o.Header = dataset.HeaderNo
	}
	if f.Decimal == "," {
		o.Decimal = ','
	}
	switch f.Format {
	case "libsvm":
		o.Format = dataset.LIBSVM
	case "csv":
		o.Format = dataset.CSV
	case "arff":
		o.Format = dataset.ARFF
	}
	return o
}

// loadFor reads samples for a classifier: as many features as it has. A LIBSVM
// file may leave out trailing zeros, which shows in rows that end at different
// features. A LIBSVM model may have left them out too; it gets wider then.
func loadFor(s *session.Session, clf *sparsekm.Classifier, name string, f reading) (*dataset.Set,
	*sparsekm.Classifier, error) {
	f.zeroBased = clf.Kernel().Indexed()
	f.columns, f.targets = clf.Columns(), targetsOf(clf)
	set, err := load(s, name, f)
	if err != nil {
		return nil, nil, err
	}
	want := clf.NumFeatures()
	switch {
	case set.D < want && (set.Ragged || set.Columns == nil && set.D >= leastFeatures(clf)):
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

// leastFeatures is how many features a row needs that leaves out the last ones, on which no decision depends.
func leastFeatures(clf *sparsekm.Classifier) int {
	needs := clf.Needs()
	if len(needs) == 0 {
		return clf.NumFeatures()
	}
	return needs[len(needs)-1] + 1
}

// targetsOf says what labels of samples for a classifier are.
func targetsOf(clf *sparsekm.Classifier) dataset.TargetKind {
	if clf.Task() == learn.Regress {
		return dataset.TargetValues
	}
	if clf.Task() == learn.Density {
		return dataset.TargetGuess // they are not looked at
	}
	return dataset.TargetClasses
}

// loadWith reads samples that must have d features, as many as whose has.
func loadWith(s *session.Session, d int, name string, f reading, whose string) (*dataset.Set, error) {
	set, err := load(s, name, f)
	switch {
	case err != nil:
		return nil, err
	case !set.Targeted() && !f.Unlabelled:
		return nil, unlabelled(name, whose)
	case set.D < d && set.Ragged:
		return set.Widen(d), nil
	case set.D != d:
		return nil, featuresError(name, set.D, d, whose)
	}
	return set, nil
}

// unlabelled is a file without the column of labels that another one has.
func unlabelled(name, whose string) error {
	return fmt.Errorf("%s: found no column of labels, want that of %s", name, whose)
}

// inputName is a file's name in a sentence.
func inputName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

func featuresError(name string, found, want int, whose string) error {
	name = inputName(name)
	err := fmt.Errorf("%s: found %d features, want %d, as many as %s has", name, found, want, whose)
	if found < want {
		err = fmt.Errorf("%w (--features %d if the file leaves out trailing zeros)", err, want)
	}
	return err
}

// setBytes is what the samples of sets take in memory; nil sets take nothing.
func setBytes(sets ...*dataset.Set) (n int64) {
	for _, s := range sets {
		if s != nil {
			n += s.Bytes()
		}
	}
	return n
}
