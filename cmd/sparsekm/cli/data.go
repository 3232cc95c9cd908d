package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/predict"
	"github.com/sparsekm/sparsekm/internal/trees"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// dataFlags say how to read files of samples. They are what was typed, and do not change; [reading] has the rest.
type dataFlags struct {
	Format         string      `enum:"auto,libsvm,csv,arff,comma,semicolon,tab,bar,blanks" group:"data" help:"Text format; CSV by a mark between cells."`
	LabelColumn    string      `placeholder:"COLUMN" group:"data" help:"The label's column, by name or index from 0, negative from the end. Default: the last."`
	ZeroBased      bool        `group:"data" help:"LIBSVM: indices start at 0 although no row has index 0."`
	Features       int         `min:"1" placeholder:"N" group:"data" help:"LIBSVM: the number of features. Default: the largest index."`
	Unlabelled     bool        `group:"data" help:"The samples have no labels."`
	TextLabels     bool        `rare:"" group:"data" help:"Take every label as text."`
	Header         string      `rare:"" enum:"auto,yes,no" group:"data" help:"CSV: whether the first line has the columns' names; auto asks where that is unclear."`
	Drop           []string    `placeholder:"COLUMN,..." group:"data" help:"Leave out these columns, by name or index from 0."`
	DropUnlabelled bool        `rare:"" group:"data" help:"Leave out the rows without a label."`
	Strict         bool        `rare:"" group:"data" help:"Words that the training did not have, and missing cells without a feature, are errors."`
	Decimal        decimalMark `rare:"" placeholder:"MARK" group:"data" help:"CSV: the decimal mark, a point or a comma."`
}

// decimalMark is a point or a comma; 0 stands for the point.
type decimalMark rune

// UnmarshalText implements [encoding.TextUnmarshaler].
func (m *decimalMark) UnmarshalText(text []byte) error {
	switch string(text) {
	case ".":
		*m = 0
	case ",":
		*m = ','
	default:
		return fmt.Errorf("found %q, want . or ,", text)
	}
	return nil
}

// missingRule is a rule for missing cells, auto if none is given, and words that stand for them.
type missingRule struct {
	rule  dataset.Missing
	given bool
	words []string
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (m *missingRule) UnmarshalText(text []byte) (err error) {
	words := strings.Split(string(text), ",")
	if *m = (missingRule{words: words[1:]}); words[0] == "auto" {
		return nil
	}
	m.given = true
	m.rule, err = dataset.ParseMissing(words[0])
	return err
}

// columnFlags say what a training makes of the columns of a CSV file. The model keeps it.
type columnFlags struct {
	Select      []string    `placeholder:"COLUMN,..." group:"data" help:"Take only these columns, and the label's."`
	Columns     columnsRule `rare:"" placeholder:"RULE,weight=COLUMN" group:"data" help:"auto, the default, finds what each column is; strict takes numbers, and what flags say. The samples' weights are in the column behind weight=."`
	Categorical []string    `placeholder:"COLUMN,..." group:"data" help:"Columns of which every word becomes a feature of 0 and 1."`
	Missing     missingRule `placeholder:"RULE,WORD,..." group:"data" help:"Missing cells: error, drop (rows), mean, median, mark, or auto, which marks; then more words or numbers that stand for them."`
}

// reading is how a file of samples is read: what the flags ask for, and what the program decides about this file. A
// file that is read in another way has a copy.
type reading struct {
	dataset.Options
	fromOne bool // the indices of LIBSVM text begin at 1, as in the training file

	narrow *gram.Kernel // for which even samples of few features may stay sparse; nil for none
	column string       // the first flag of columnFlags that was used
	weighs bool         // a file of weights may belong to it

	classifier string // the method that --method names, if it learns classes only
}

// reading returns how a file is read that nothing is known of, within so many bytes.
func (f *dataFlags) reading(memory int64) reading {
	o := dataset.Options{MaxBytes: max(1, memory), Features: f.Features, ZeroBased: f.ZeroBased,
		TextLabels: f.TextLabels, Unlabelled: f.Unlabelled, LabelColumn: f.LabelColumn, Drop: f.Drop,
		DropUnlabelled: f.DropUnlabelled, Strict: f.Strict, Decimal: rune(f.Decimal)}
	o.Header = map[string]dataset.Header{"yes": dataset.HeaderYes, "no": dataset.HeaderNo}[f.Header]
	o.Format = map[string]dataset.Format{"libsvm": dataset.LIBSVM, "csv": dataset.CSV, "arff": dataset.ARFF}[f.Format]
	o.Delimiter = map[string]rune{"comma": ',', "semicolon": ';', "tab": '\t', "bar": '|', "blanks": ' '}[f.Format]
	if o.Delimiter != 0 {
		o.Format = dataset.CSV
	}
	return reading{Options: o}
}

// choose puts what a training makes of the columns into a reading.
func (f *columnFlags) choose(r *reading) {
	r.Select, r.Categorical, r.Guess = f.Select, f.Categorical, !f.Columns.strict
	r.Weight, r.weighs = f.Columns.weight, true
	if r.Weight != "" {
		r.column = "--columns"
	}
	r.MissingWords = f.Missing.words
	if len(r.MissingWords) > 0 {
		r.column = "--missing"
	}
	switch {
	case f.Missing.given:
		r.Missing, r.column = f.Missing.rule, "--missing"
	case r.Guess:
		r.Missing = dataset.MissingMark
	default:
		r.column = "--columns"
	}
}

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

// ignored is the first flag for CSV files that was used, of which other files know nothing.
func (f *reading) ignored() string {
	for _, flag := range []struct {
		name string
		used bool
	}{
		{"--label-column", f.LabelColumn != ""}, {"--header", f.Header != dataset.HeaderAuto}, {"--group", f.Group != ""},
		{"--drop", len(f.Drop) > 0}, {"--decimal", f.Decimal == ','}, {"--select", len(f.Select) > 0},
		{"--categorical", len(f.Categorical) > 0}, {"--drop-unlabelled", f.DropUnlabelled}, {"--strict", f.Strict},
		{f.column, f.column != ""},
	} {
		if flag.used {
			return flag.name
		}
	}
	return ""
}

// load reads a file of samples, or standard input for "-". An interrupt or the time limit
// ends the wait, even for somebody who types.
func load(s *session.Session, name string, f reading) (*dataset.Set, error) {
	f.KeepNarrow = f.narrow != nil
	set, err := session.InBackground(s, func() (set *dataset.Set, err error) {
		pprof.Do(s.Context, pprof.Labels("phase", "load"), func(context.Context) {
			if name == "-" {
				set, err = dataset.Read(s.Stdin, "standard input", f.Options)
			} else {
				set, err = dataset.ReadFile(name, f.Options)
			}
		})
		return set, err
	})
	if err != nil {
		return nil, advised(err, f.otherMethod())
	}
	if err = f.misplaced(s.Set, name, set); err != nil {
		return nil, err
	}
	if f.fromOne && set.ZeroBased {
		return nil, zeroError(name, errors.New("found index 0, want indices from 1, as the training file has"))
	}
	if err = f.weigh(s, name, set); err != nil {
		return nil, advised(err)
	}
	set = f.stored(set)
	noteColumns(s, inputName(name), set.Notes)
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
	full, err := set.Dense(f.MaxBytes / 2)
	if err != nil {
		return set
	}
	return full
}

// advised adds the flags that help to an error of a CSV file.
func advised(err error, regress ...string) error {
	if errors.Is(err, model.ErrMemory) || errors.Is(err, trees.ErrMemory) {
		return fmt.Errorf("%w (--mem gives more)", err)
	}
	if faults, ok := errors.AsType[dataset.Faults](err); ok {
		return advisedAll(faults, "--task regress"+strings.Join(regress, ""))
	}
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
		return fmt.Errorf("%w (--task regress%s takes labels as real numbers)", err, strings.Join(regress, ""))
	case e.NoColumn:
		return fmt.Errorf("%w (--label-column names it)", err)
	case e.NoLabel:
		return fmt.Errorf("%w (--drop-unlabelled leaves such rows out, --unlabelled looks at no label)", err)
	case e.Many:
		return fmt.Errorf("%w (--drop %s leaves it out)", err, column)
	case e.Unknown:
		return fmt.Errorf("%w (--drop COLUMN leaves one out)", err)
	case e.Missing && e.Later:
		return fmt.Errorf("%w (--strict refuses it, or the model is of an earlier version: trained again it fills it)", err)
	case e.Missing:
		return fmt.Errorf("%w (train has --missing drop, mean and median; --drop %s leaves the column out)", err, column)
	case e.Text:
		return fmt.Errorf("%w (--categorical %s if it is text, --decimal , for decimal commas, --drop %s to leave it out)",
			err, column, column)
	}
	return err
}

// loadClassifier reads a model and its format within so many bytes, perhaps from a pipe that nobody writes to.
func loadClassifier(s *session.Session, name string, memory int64) (*sparsekm.Classifier, model.Format, error) {
	var format model.Format
	clf, err := session.InBackground(s, func() (clf *sparsekm.Classifier, err error) {
		clf, format, err = model.LoadWithin(name, memory)
		return clf, err
	})
	return clf, format, advised(err)
}

// loadFor reads samples for a classifier: as many features as it has. A LIBSVM
// file may leave out trailing zeros, which shows in rows that end at different
// features. A LIBSVM model may have left them out too; it gets wider then.
func loadFor(s *session.Session, clf *sparsekm.Classifier, name string, f reading) (*dataset.Set,
	*sparsekm.Classifier, error) {
	f.ZeroBased = f.ZeroBased || clf.ZeroBased()
	f.Columns = clf.Columns()
	expectOf(&f.Options, clf)
	set, err := load(s, name, f)
	if err != nil {
		return nil, nil, err
	}
	if clf, err = f.indexed(clf, name, set); err != nil {
		return nil, nil, err
	}
	want := clf.NumFeatures()
	switch {
	case set.D < want && (set.Ragged || set.Columns == nil && set.D >= minFeatures(clf)):
		set = predict.Widened(set, want)
	case set.D > want && clf.TrainedFeatures() == 0:
		if clf, err = clf.WithFeatures(set.D); err != nil {
			return nil, nil, err
		}
	case set.D != want:
		return nil, nil, featuresError(name, set.D, want, "the model")
	}
	return set, clf, nil
}

// indexed returns the classifier for samples whose LIBSVM text has index 0 without a flag: what a file of LIBSVM has no
// such feature of gets it.
func (f *reading) indexed(clf *sparsekm.Classifier, name string, set *dataset.Set) (*sparsekm.Classifier, error) {
	if f.ZeroBased || !set.ZeroBased {
		return clf, nil
	}
	clf, err := clf.FromZero()
	if err != nil {
		err = zeroError(name, err)
	}
	return clf, err
}

// zeroError is the error for an index 0.
func zeroError(name string, err error) error {
	return fmt.Errorf("%s: %w (train --zero-based if feature 0 is absent there)", inputName(name), err)
}

// minFeatures is how many features a row needs that leaves out the last ones, on which no decision depends.
func minFeatures(clf *sparsekm.Classifier) int {
	needs, _ := clf.Needs()
	if len(needs) == 0 {
		return clf.NumFeatures()
	}
	return needs[len(needs)-1] + 1
}

// expectOf says what labels of samples for a classifier are.
func expectOf(o *dataset.Options, clf *sparsekm.Classifier) {
	o.Targets = targetsOf(clf)
	fractions(o, clf.Labels())
}

// fractions has labels read as text if some are fractions, or words that stand for a missing label otherwise.
func fractions(o *dataset.Options, labels []string) {
	for _, label := range labels {
		v, err := strconv.ParseFloat(label, 64)
		missing := slices.Contains([]string{"?", "na", "n/a", "nan", "null"}, strings.ToLower(label))
		o.TextLabels = o.TextLabels || missing || err == nil && v != math.Trunc(v)
	}
}

// targetsOf says whether labels of samples for a classifier are classes.
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
	}
	return widened(set, d, name, whose)
}

// widened returns the samples with d features, as many as whose has.
func widened(set *dataset.Set, d int, name, whose string) (*dataset.Set, error) {
	switch {
	case set.D == d:
		return set, nil
	case set.D < d && set.Ragged:
		return set.Widen(d), nil
	}
	return nil, featuresError(name, set.D, d, whose)
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
