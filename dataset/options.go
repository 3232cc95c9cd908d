package dataset

import (
	"cmp"
	"fmt"
)

// Format names a text format of labelled points.
type Format uint8

const (
	Auto   Format = iota // by the file's name (.csv, .tsv), else by its first lines
	LIBSVM               // label index:value ..., the format of LIBSVM and SVMlight
	CSV                  // one column a feature, one for the label
)

// Header says whether a CSV file starts with a line of column names.
type Header uint8

const (
	HeaderAuto Header = iota // yes if no cell of the first line is a number or missing
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

	// TextLabels takes every label as text. Without it labels of LIBSVM files must
	// be integers, and labels of CSV files integers or text but not fractions.
	TextLabels bool
	// Unlabelled reads points without labels; a label at the start of a LIBSVM line is skipped.
	Unlabelled bool

	// LabelColumn is the label column of a CSV file: an integer is its index from 0, or from
	// the end if negative; anything else is its name. Empty means the last column.
	LabelColumn string
	Header      Header
	// Delimiter separates CSV columns; 0 means the most frequent one of comma, semicolon and tab in the first line.
	Delimiter rune

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
	Line, Col int // from 1, in bytes; Col is 0 when the whole line is meant, Line when the whole file is
	Found     string
	Want      string
}

func (e *Error) Error() string {
	at := e.File
	if e.Line > 0 {
		at += fmt.Sprintf(":%d", e.Line)
		if e.Col > 0 {
			at += fmt.Sprintf(":%d", e.Col)
		}
	}
	return fmt.Sprintf("%s: found %s, want %s", at, e.Found, e.Want)
}

// quote shows a token from a file: quoted, and cut when it is long.
func quote(tok []byte) string {
	const most = 40
	if len(tok) > most {
		return fmt.Sprintf("%q...", tok[:most])
	}
	return fmt.Sprintf("%q", tok)
}
