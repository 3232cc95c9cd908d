package dataset

import (
	"cmp"
	"fmt"
)

// Format names a text format of labelled points. What is said of the columns of CSV files holds for those of ARFF.
type Format uint8

const (
	Auto   Format = iota // by the file's name (.csv, .tsv), else by its first lines
	LIBSVM               // label index:value ..., the format of LIBSVM and SVMlight
	CSV                  // one column a feature, one for the label
	ARFF                 // Weka's: the same with its columns declared
)

// Header says whether a CSV file starts with a line of column names.
type Header uint8

const (
	HeaderAuto Header = iota // by the rule of [ReadCSV]
	HeaderYes
	HeaderNo
)

// Options says how to read a file. The zero value reads what most files are:
// LIBSVM with indices from 1, or CSV with the label in the last column.
type Options struct {
	Format Format

	// Features fixes the number of features, so that points of a later file fit an
	// earlier one's model: a LIBSVM row may leave out trailing zeros, and a larger
	// index is an error. 0 means the largest index in the file.
	Features int
	// IgnoreExtra drops LIBSVM features beyond Features instead of refusing them.
	IgnoreExtra bool
	// ZeroBased says that LIBSVM indices start at 0.
	ZeroBased bool

	// Targets says what the label of a row is: by default the name of a class.
	Targets TargetKind
	// TextLabels takes every label as text. Without it labels of LIBSVM files must
	// be integers, and labels of CSV files integers or text but not fractions.
	TextLabels bool
	// Unlabelled reads points without labels; a label at the start of a LIBSVM line is skipped.
	Unlabelled bool

	// Width is the number of features of the classifier that the points are for, 0 for none. Points without labels are
	// found out then: a LIBSVM file whose first row begins with index:value, and a CSV file of as many columns as
	// features, unless LabelColumn or Columns say what is the label.
	Width int

	// LabelColumn is the label column of a CSV file: an integer is its index from 0, or from
	// the end if negative, unless the header has that name; anything else is its name. Empty means the last column.
	LabelColumn string
	Header      Header
	// Columns are those of the file that a model was trained on ([Set.Columns]); this one becomes points of the same
	// features, with the same values for missing cells. Select, Categorical and Missing then do not count, but that
	// MissingDrop leaves out rows whose missing cells have no value. Nil for a file of its own.
	Columns Columns
	// Drop leaves out columns of a CSV file, Select all but these and the label's; both name columns as LabelColumn does.
	Drop, Select []string
	// Group is the column of a CSV file, named as LabelColumn is, whose cells say which rows belong together
	// ([Set.Groups]); it is no feature. Empty for none.
	Group string
	// Categorical are columns of text in a CSV file, each of which becomes a feature for every
	// word in it, 1 in the rows that have the word and else 0.
	Categorical []string
	// Missing says what becomes of cells of a CSV file that are empty, ?, NA, N/A, NaN, null, none or - (of text: that are
	// empty or ?). A missing label is an error unless rows with missing cells are dropped.
	Missing Missing
	// Decimal is the decimal mark of a CSV file, a point or a comma; 0 means a point.
	Decimal rune
	// Delimiter separates CSV columns; 0 means the most frequent one of comma, semicolon and tab in the first line.
	Delimiter rune

	// KeepSparse leaves points of a LIBSVM file as they are ([Set.Sparse]) where they have more than 4096 features of
	// which fewer than 15 % are not 0. Without it every 0 is stored.
	KeepSparse bool
	// KeepNarrow does so for any number of features, which pays where nothing needs features that are 0.
	// Where 15 % or more of what was read are not 0, the row with which the points have no room is an error, as else.
	KeepNarrow bool

	// MaxBytes bounds the memory of the points while they are read, in both forms together; 0 means 8 GiB.
	MaxBytes int64
	// MaxLine bounds the bytes of a row's text, and what comes between two rows; 0 means 64 MiB, or a
	// thirty-second of MaxBytes if that is less, for a cell of a CSV row takes many times its text.
	MaxLine int
}

func (o Options) maxBytes() int64 { return cmp.Or(o.MaxBytes, 8<<30) }
func (o Options) maxLine() int {
	const least, most = 64 << 10, 64 << 20
	return cmp.Or(o.MaxLine, int(min(max(least, o.maxBytes()/32), most)))
}

// labelKind is what a label may be in a format whose usual labels are of the given kind.
func (o Options) labelKind(usual labelKind) labelKind {
	if o.TextLabels {
		return anyLabel
	}
	return usual
}

// Error is what is wrong with a file, and where.
type Error struct {
	File      string
	Line, Col int    // from 1, in bytes; Col is 0 when the whole line is meant, Line when the whole file is
	Column    string // the name of a CSV file's column, where it is known
	Found     string
	Want      string

	Missing bool // a CSV cell without a value
	Text    bool // a CSV cell that is not missing and no number
	Unknown bool // a CSV column that the training did not have
	Label   bool // a label that is a number and no integer, where classes are wanted
	Header  bool // a first line of a CSV file that may be a header or not
}

func (e *Error) Error() string {
	at := e.File
	if e.Line > 0 {
		at += fmt.Sprintf(":%d", e.Line)
		if e.Col > 0 {
			at += fmt.Sprintf(":%d", e.Col)
		}
	}
	in := ""
	if e.Column != "" {
		in = " in column " + quote([]byte(e.Column))
	}
	return fmt.Sprintf("%s: found %s%s, want %s", at, e.Found, in, e.Want)
}

// quote shows a token from a file: quoted, and cut when it is long.
func quote(tok []byte) string {
	const most = 40
	if len(tok) > most {
		return fmt.Sprintf("%q...", tok[:most])
	}
	return fmt.Sprintf("%q", tok)
}
