package dataset

import (
	"cmp"
	"fmt"
)

// Format names a text format of samples. Options for the columns of CSV files apply to ARFF files too.
type Format uint8

const (
	Auto Format = iota // by the file's name (.csv, .tsv, .arff, ...), else by its first lines

	// LIBSVM is the format of LIBSVM and SVMlight, lines
	//
	//	label [qid:n] index:value index:value ... [# comment]
	//
	// with ascending indices from 1, or from 0 if a row lists index 0. Features that a line leaves out are 0. Blank lines
	// and comments are skipped.
	LIBSVM

	CSV // a column for each feature and one for the label; see [ReadCSV]

	// ARFF is Weka's format: a header that declares an attribute for each column, and rows after @data. A row is a list
	// of values or, in braces, of indices and values of the non-zero ones (of a nominal attribute: other than its first
	// value). The label is the last attribute unless the options name another. A nominal attribute becomes a feature for
	// each declared value, as in [Options.Categorical]. Text and dates are errors unless they are left out or
	// categorical. A value ? is missing.
	ARFF
)

// Header says whether a CSV file starts with a line of column names.
type Header uint8

const (
	HeaderAuto Header = iota // by the rule of [ReadCSV]
	HeaderYes
	HeaderNo
)

// Options says how to read a file. The zero value reads LIBSVM files and CSV files with the label
// in the last column.
type Options struct {
	Format Format

	// Features fixes the number of features, so that samples of a later file fit a model: a LIBSVM row may leave out
	// trailing zeros, and a larger index is an error. 0 means the largest index in the file.
	Features int
	// IgnoreExtra drops LIBSVM features beyond Features instead of refusing them.
	IgnoreExtra bool
	// ZeroBased says that LIBSVM indices start at 0. Without it they do so if a row lists index 0 ([Set.ZeroBased]).
	ZeroBased bool

	// Targets says what the label of a row is; by default the name of a class.
	Targets TargetKind
	// TextLabels takes every label as text. Without it labels of LIBSVM files must be integers, and labels of CSV files
	// integers or text, but not fractions.
	TextLabels bool
	// Unlabelled reads samples without labels; a label at the start of a LIBSVM line is skipped.
	Unlabelled bool

	// Width is the number of features of the model that the samples are for, 0 for none. With it the reader recognizes
	// samples without labels: a LIBSVM file whose first row begins with index:value, and a CSV file of as many columns as
	// features, unless LabelColumn or Columns name a label.
	Width int

	// LabelColumn is the label column of a CSV file: an integer is its index from 0, or from
	// the end if negative, unless the header has that name; anything else is its name. Empty means the last column.
	LabelColumn string
	Header      Header
	// Columns are the columns of a model's training file ([Set.Columns]). This file becomes samples of the same features,
	// with the same values for missing cells. Select, Categorical and Missing are then ignored, except that MissingDrop
	// leaves out rows whose missing cells have no value. Nil without such a file.
	Columns Columns
	// Drop leaves out columns of a CSV file; Select leaves out all other columns except the label's. Both name columns as
	// LabelColumn does.
	Drop, Select []string
	// Group is the column of a CSV file, named as LabelColumn is, whose cells are the groups of the rows ([Set.Groups]);
	// it is no feature. Empty for none.
	Group string
	// Weight is the column of a CSV file, named as LabelColumn is, that has the weights of the rows ([Set.Weights]),
	// finite numbers >= 0; it is no feature. Empty for none.
	Weight string
	// Guess finds the kind of every column of a CSV file that no other option names, from the whole file, and reports all
	// faults at once, as [Faults]; see [Notes] for what it found. A column is
	//
	//	numbers     if every cell that is not missing is one, all in one form ([Column.Form])
	//	dates       if every cell that is not missing is one, all in one form: days, and month, weekday and hour if they
	//	            vary
	//	yes or no   if it has two words
	//	categories  if it has at most 100 words, each in two cells on average; of more words those in ten cells
	//	left out    if its cells are all the same, or other text; or whole numbers that count up by one from 0 or 1, or
	//	            that are all different in a column without a name or named id
	//
	// Text and dates of an ARFF file are treated so too. Rows whose labels are missing like numbers, but not none and -,
	// or infinite with [TargetGuess], are left out, but faults with Strict. NumPy files are read without it, and
	// [Batches] knows nothing of it.
	Guess bool
	// DropUnlabelled leaves out rows without a label.
	DropUnlabelled bool
	// KeepUnlabelled keeps them in a table: their label is "", their target NaN, and [Notes.Unlabelled] counts them.
	KeepUnlabelled bool
	// Strict makes a category that Columns does not have an error, and a missing cell that has no feature of its own
	// ([Column.Marked]). Without it such a cell is filled ([Notes.Filled]), and a new category is none: 0 in the
	// features of all others, 0.5 for a column of two ([Notes.Unknown]).
	Strict bool
	// Categorical are columns of text in a CSV file, each of which becomes a feature for every
	// word in it, 1 in the rows that have the word and else 0.
	Categorical []string
	// Missing says what to do with missing cells of a CSV file: numbers that are empty, ?, NA, N/A, NaN, null, none or -,
	// and text that is empty or ?. A missing label is an error unless rows with missing cells, or without labels, are
	// dropped.
	Missing Missing
	// MissingWords are words, or numbers such as -999, that stand for missing cells in all columns of features, besides
	// the usual ones.
	MissingWords []string
	// Decimal is the decimal mark of a CSV file, a point or a comma; 0 means a point.
	Decimal rune
	// Delimiter separates CSV columns, a blank for runs of blanks and tabs; 0 means that of comma, semicolon, tab, bar and
	// blanks that gives rows of one length, the most frequent one in the first line before others.
	Delimiter rune

	// KeepSparse keeps samples of a LIBSVM file sparse ([Set.Sparse]) if they have more than 4096 features and less than
	// 15 % of them are not 0. Without it every zero is stored.
	KeepSparse bool
	// KeepNarrow keeps samples of any number of features sparse, if less than 15 % of them are not 0.
	KeepNarrow bool

	// Threads is the number of goroutines that read numbers; 0 means GOMAXPROCS. The samples do not depend on it.
	Threads int
	// MaxBytes bounds the memory of the samples while they are read, in both forms together; 0 means 8 GiB.
	MaxBytes int64
	// MaxLine bounds the bytes of a row's text, and of the text between two rows; 0 means 64 MiB, or 1/32 of MaxBytes if
	// that is less, since a CSV cell in memory takes many times its text.
	MaxLine int
}

func (o Options) maxBytes() int64 { return cmp.Or(o.MaxBytes, 8<<30) }
func (o Options) maxLine() int {
	const smallest, largest = 64 << 10, 64 << 20
	return cmp.Or(o.MaxLine, int(min(max(smallest, o.maxBytes()/32), largest)))
}

// labelKind returns the kind of label that o allows in a format with the given usual kind.
func (o Options) labelKind(usual labelKind) labelKind {
	if o.TextLabels {
		return anyLabel
	}
	return usual
}

// Error is a fault of a file, with its position.
type Error struct {
	File      string
	Line, Col int    // from 1, in bytes; Col is 0 for a whole line, Line for a whole file
	Column    string // the name of a CSV file's column, if it is known
	Found     string
	Want      string

	Missing  bool // a CSV cell without a value
	Later    bool // of a file for the columns of another
	Text     bool // a CSV cell with text instead of a number
	Words    bool // text among few different numbers, which may be categories
	Many     bool // more categories than a column may have
	Unknown  bool // a CSV column that the training did not have
	Label    bool // a fractional label instead of a class
	NoLabel  bool // a missing label
	NoColumn bool // a column without any
	Comma    bool // a decimal comma
	Count    int  // of [Faults]: how many cells or rows are like this
	Header   bool // a first line of a CSV file that may be a header or a row

	Odd []string // with Text: all words of the column that are no numbers, if they are few
}

// Error returns "file:line:col: found this, want that".
func (e *Error) Error() string {
	where := e.File
	if e.Line > 0 {
		where += fmt.Sprintf(":%d", e.Line)
		if e.Col > 0 {
			where += fmt.Sprintf(":%d", e.Col)
		}
	}
	in := ""
	if e.Column != "" {
		in = " in column " + quote([]byte(e.Column))
	}
	more := ""
	if e.Count > 1 {
		more = fmt.Sprintf(" (%d of them)", e.Count)
	}
	return fmt.Sprintf("%s: found %s%s, want %s%s", where, e.Found, in, e.Want, more)
}

// quote quotes a token of a file, and truncates a long one.
func quote(tok []byte) string {
	const limit = 40
	if len(tok) > limit {
		return fmt.Sprintf("%q...", tok[:limit])
	}
	return fmt.Sprintf("%q", tok)
}
