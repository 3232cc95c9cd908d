package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ReadCSV reads a table with a column for each feature and, unless o.Unlabelled, one for the label. Cells may be quoted
// (RFC 4180); spaces around a cell or a name are ignored. A cell that is not a finite number is an error unless o has a
// rule for it. Errors name the file.
//
// The first line is a header if o.Header says so. With [HeaderAuto] it is a header if none of its features' cells is a
// number or missing, or if its label is text and the labels below are numbers. The reader asks for o.Header, by an
// error, if the first line has numbers and also a name above numbers, or if its label does not occur again while all
// others do. Two columns of one name are an error.
func ReadCSV(r io.Reader, file string, o Options) (*Set, error) {
	if o.Guess && o.Columns == nil {
		return readGuessed(r, file, o, ofCSV)
	}
	return readAll(newCSVParser(r, file, o, csvHead))
}

// csvParser makes a set of a file's records, in phases:
//
//	csvheader.go   the first record: delimiter, and whether it is a header
//	csvcolumns.go  then the columns get their roles, by the options or by the columns of an earlier file
//	csv.go         every record: its cells become numbers in x
//	csvahead.go    on several cores, those of records to come
//	csvfinish.go   the end: labels and categories sorted, missing cells filled, features of categories
//	guess.go       in between, on request: kinds.go finds what each column is
//
// While it reads, a row of x has one value for each column with features; a category's value is its number in the order
// of appearance. csvscan.go splits the text into records and cells.
type csvParser struct {
	Options
	csvColumns
	file       string
	scan       *csvScanner
	target     label  // of the row that is read
	member     string // group of the row that is read
	weight     float64
	textBytes  int64  // memory of groups and words so far
	hollow     bool   // x has NaN for missing cells
	guess      *guess // nil unless the kinds of columns are to be found
	unlabelled int    // rows without a label, left out
	out        Set
	x          pieces[float64]
	targets    targets
	ahead      csvAhead
}

// csvColumns says what the columns of a file are.
type csvColumns struct {
	soleColumns
	declared
	columns Columns     // of the file
	layout  Columns     // the set's columns: Options.Columns, else the file's
	from    []int       // column → column of the layout, −1 for none; nil if they are the same
	places  []int       // column of the layout → position of its value in a row of x, −1 for none
	place   []int       // column → position of its value in a row of x, −1 for the label and what is left out
	plainAt []int       // the same for numbers, −1 for categories too
	seen    []*classes  // column → categories in the rows so far; nil if they are given, or without categories
	known   []*classes  // column → categories of Options.Columns
	written []*notation // column → how its numbers are written by Options.Columns; nil for plainly
	labelAs *notation   // how labels are written by Options.Columns; nil for plainly
	filled  []int       // column of Options.Columns → missing cells
	values  int         // values in a row of x
}

// soleColumns are the columns of labels, of groups and of weights; −1 for none.
type soleColumns struct{ label, group, weighs int }

// declared is what an ARFF file declares.
type declared struct {
	attributes []attribute
	empty      []ColumnNote // attributes without values
}

// newCSVParser makes a parser that reads at least head bytes before it decides about delimiter and header.
func newCSVParser(r io.Reader, file string, o Options, head int) *csvParser {
	return &csvParser{Options: o, file: file, csvColumns: csvColumns{soleColumns: soleColumns{-1, -1, -1}},
		scan: newCSVScanner(r, o.maxLine(), head), targets: newTargets(o.Targets)}
}

func (p *csvParser) read(each func(n, d int) error) error {
	if err := p.delimiter(); err != nil {
		return err
	}
	for range p.scan.layout.titles {
		_, _ = p.scan.next() // they were read before
	}
	for {
		rec, err := p.scan.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			if err = p.kept(p.wrap(err)); err == nil {
				err = p.guess.err()
			}
			return err
		}
		if p.columns == nil {
			header, failed := p.begin(rec)
			if failed != nil {
				return failed
			}
			if each == nil && p.Decimal != ',' && !p.scan.layout.changes() {
				p.ahead.begin(&p.scan.window, &p.Options)
			}
			if header {
				continue
			}
		}
		p.readAhead()
		if p.isComment(rec) {
			continue
		}
		if err = p.row(rec); err != nil {
			return err
		}
		if each != nil {
			if err = each(p.out.N, p.values); err != nil {
				return err
			}
		}
	}
}

// isComment reports whether a record begins with # and has another number of cells than rows.
func (p *csvParser) isComment(rec []byte) bool {
	if rec[0] != '#' || p.ahead.found {
		return false
	}
	fields, err := p.scan.split(rec)
	return err != nil || len(fields) != len(p.columns)
}

// kept adds an error of a row to the faults where kinds are guessed, and returns nil then.
func (p *csvParser) kept(err error) error {
	e, ok := errors.AsType[*Error](err)
	if p.guess == nil || !ok {
		return err
	}
	p.noteFault(-1, e)
	return nil
}

func (p *csvParser) rows() int { return p.out.N }

func (p *csvParser) forget() {
	p.out, p.x, p.hollow, p.unlabelled = Set{}, pieces[float64]{}, false, 0
	p.targets.forget()
	clear(p.filled)
}

func (p *csvParser) fail(f csvField, column int, found, want string) *Error {
	return p.fault(f, column, Error{Found: found, Want: want})
}

// fault adds file, position and column to an error; -1 is no column.
func (p *csvParser) fault(f csvField, column int, e Error) *Error {
	if e.File, e.Line, e.Col = p.file, f.line, f.col; column >= 0 && column < len(p.columns) {
		e.Column = p.columns[column].Name
	}
	return &e
}

// wrap adds the file's name to an error of the scanner.
func (p *csvParser) wrap(err error) error {
	if errors.Is(err, errLongRow) {
		return &Error{File: p.file, Found: fmt.Sprintf("a row of more than %d bytes, or as many without a row", p.maxLine()),
			Want: "a shorter one"}
	}
	return fmt.Errorf("%s: %w", p.file, err)
}

// start is the position of the current record.
func (p *csvParser) start() csvField { return csvField{line: p.scan.line, col: 1} }

// split splits a record into cells.
func (p *csvParser) split(rec []byte) ([]csvField, error) {
	fields, err := p.scan.split(rec)
	var q *quoteError
	if errors.As(err, &q) {
		return nil, &Error{File: p.file, Line: q.line, Col: q.col, Found: q.Error(), Want: `cells like 1.5 or "1.5"`}
	}
	if err == nil && p.columns != nil && len(fields) != len(p.columns) {
		return nil, &Error{File: p.file, Line: p.scan.line, Found: "another number of cells than in the first line",
			Want: fmt.Sprint(len(p.columns))}
	}
	return fields, err
}

// row reads one record.
func (p *csvParser) row(rec []byte) error {
	if r, cells := p.ahead.take(); r != nil {
		p.x.adopt(r.x)
		if r.class >= 0 && !p.targets.real {
			p.target, cells = label{class: r.class}, cells[:len(cells)-1]
		}
		return p.take(p.cells(rec, cells, r.x))
	}
	x := p.x.next(p.values)
	if p.scan.quoted || p.Decimal == ',' {
		fields, err := p.split(rec)
		if err != nil {
			return p.take(false, err)
		}
		return p.take(p.fields(fields, x))
	}
	return p.take(p.plain(rec, x))
}

// take adds the last row to the set, or drops it.
func (p *csvParser) take(keep bool, err error) error {
	if err != nil || !keep {
		p.x.back(p.values)
	}
	switch {
	case err != nil:
		return p.kept(err)
	case !keep && p.target.absent:
		p.unlabelled++
		return nil
	case !keep:
		p.out.Skipped++
		return nil
	}
	if p.label >= 0 {
		p.targets.add(p.target)
		if p.target.absent {
			p.unlabelled++
		}
	}
	if p.group >= 0 {
		p.out.Groups = append(p.out.Groups, p.member)
		p.textBytes += int64(len(p.member)) + 32
	}
	if p.weighs >= 0 {
		p.out.Weights = append(p.out.Weights, p.weight)
		p.textBytes += 8
	}
	p.out.N++
	return p.budget(2*(8*int64(p.x.room)+p.targets.room()) + p.textBytes) // join copies them
}

func (p *csvParser) budget(bytes int64) error {
	if bytes > p.maxBytes() {
		return p.fail(p.start(), -1, "more samples than fit", larger(p.maxBytes()))
	}
	return nil
}

// plain reads a record without quotes to x. False drops the row.
func (p *csvParser) plain(rec []byte, x []float64) (keep bool, err error) {
	cells, whole := p.numbers(rec, p.scan.comma, x, p.ahead.cells[:0])
	if p.ahead.cells = cells; !whole {
		_, err = p.split(rec) // too few cells, or too many
		return false, err
	}
	return p.cells(rec, cells, x)
}

// cells reads cells of a record to x. False drops the row.
func (p *csvParser) cells(rec []byte, cells []csvCell, x []float64) (keep bool, err error) {
	keep = true
	for _, c := range cells {
		ok, bad := p.cell(c.column, csvField{rec[c.from:c.to], p.scan.line, c.from + 1}, x)
		if bad != nil {
			return false, bad
		}
		keep = keep && ok
	}
	return keep, nil
}

// fields reads the cells of a row to x.
func (p *csvParser) fields(fields []csvField, x []float64) (keep bool, err error) {
	keep = true
	for j, f := range fields {
		if p.matters(j) {
			ok, bad := p.cell(j, f, x)
			if bad != nil {
				return false, bad
			}
			keep = keep && ok
		}
	}
	return keep, nil
}

// cell reads the cell of column j; false drops the row.
func (p *csvParser) cell(j int, f csvField, x []float64) (keep bool, bad error) {
	if keep, bad = p.value(j, f, x); bad != nil && p.guess != nil {
		return true, p.guessCell(j, bad, x)
	}
	return keep, bad
}

// value reads the cell of column j by what the column is.
func (p *csvParser) value(j int, f csvField, x []float64) (keep bool, bad error) {
	tok := bytes.TrimSpace(f.tok)
	switch k := p.place[j]; {
	case j == p.label:
		return p.labelCell(tok, f)
	case j == p.weighs:
		w, found := p.number(tok)
		if found != "" || w < 0 {
			return false, p.fail(f, j, quote(tok), "a weight, a finite number >= 0")
		}
		p.weight = w
		return true, nil
	case j == p.group:
		if len(tok) == 0 {
			return false, p.fail(f, j, "nothing", "the name of a group")
		}
		p.member = string(tok)
		return true, nil
	case p.seen[j] != nil || p.known[j] != nil:
		return p.category(j, tok, f, x)
	case p.columns[j].Role == RoleDate:
		return p.dateCell(j, tok, f, x)
	case isMissing(tok) || p.isAbsent(j, tok):
		return p.missing(j, tok, f, x)
	case p.written[j] != nil:
		v, ok := p.written[j].read(string(tok))
		if !ok && isMissingWord(string(tok)) {
			return p.missing(j, tok, f, x)
		}
		if !ok {
			return false, p.fail(f, j, quote(tok), "a number like "+p.layout[p.of(j)].Form)
		}
		x[k] = v
		return true, nil
	default:
		v, found := p.number(tok)
		switch {
		case found == "":
			x[k] = v
			return true, nil
		case (p.filled != nil || p.attributes != nil) && isMissingWord(string(tok)):
			return p.missing(j, tok, f, x)
		}
		return false, p.fault(f, j, Error{Found: found, Want: "a finite number", Text: true})
	}
}

// isAbsent reports whether a cell of column j has one of the words that stand for a missing cell there.
func (p *csvParser) isAbsent(j int, tok []byte) bool {
	words := p.layout[p.of(j)].Absent
	return len(words) > 0 && slices.Contains(words, string(tok))
}

// number is parseFloat with the file's decimal mark.
func (p *csvParser) number(tok []byte) (float64, string) {
	if p.Decimal != ',' || bytes.IndexByte(tok, ',') < 0 {
		return parseFloat(tok)
	}
	if bytes.Count(tok, []byte{','}) > 1 || bytes.IndexByte(tok, '.') >= 0 {
		return 0, quote(tok)
	}
	v, found := parseFloat(bytes.Replace(tok, []byte{','}, []byte{'.'}, 1))
	if found != "" {
		found = quote(tok)
	}
	return v, found
}

func (p *csvParser) labelCell(tok []byte, f csvField) (keep bool, bad error) {
	if p.noLabel(tok) {
		return p.withoutLabel(tok, f)
	}
	if len(tok) == 0 && p.Missing == MissingDrop {
		return false, nil
	}
	if p.labelAs != nil && p.targets.real {
		v, ok := p.labelAs.read(string(tok))
		if p.target = (label{value: v}); !ok {
			return false, p.fail(f, p.label, quote(tok), "a number like "+p.labelAs.form())
		}
		return true, nil
	}
	l, found, want := p.targets.read(tok, p.labelKind(nameLabel), p.Decimal == ',')
	if found != "" {
		return false, p.fault(f, p.label, Error{Found: found, Want: want, Label: isNumber(tok), NoLabel: len(tok) == 0})
	}
	p.target = l
	return true, nil
}

// noLabel reports whether a label is missing, where it makes a difference.
func (p *csvParser) noLabel(tok []byte) bool {
	if p.guess == nil && !p.DropUnlabelled && p.Options.Columns == nil {
		return false
	}
	word := string(tok)
	if v, err := strconv.ParseFloat(word, 64); err == nil && math.IsInf(v, 0) && p.targets.guess {
		return true
	}
	if word == "" || word == "?" && p.attributes != nil {
		return true
	}
	return isMissing(tok) && !p.TextLabels && word != "-" && !strings.EqualFold(word, "none")
}

// withoutLabel drops or keeps a row without a label if the options say so.
func (p *csvParser) withoutLabel(tok []byte, f csvField) (keep bool, bad error) {
	lenient := (p.guess != nil || p.Options.Columns != nil) && !p.Strict && p.Missing != MissingDrop
	if lenient && p.KeepUnlabelled && !p.DropUnlabelled {
		p.target = label{class: -1, value: math.NaN(), absent: true}
		return true, nil
	}
	p.target = label{absent: p.DropUnlabelled || lenient}
	if p.target.absent || p.Missing == MissingDrop {
		return false, nil
	}
	e := p.noValue(p.label, tok, f)
	e.Want, e.Missing, e.NoLabel = "a label", false, true
	return false, e
}

// noValue is the error of a missing cell.
func (p *csvParser) noValue(j int, tok []byte, f csvField) *Error {
	found := "nothing"
	if len(tok) > 0 {
		found = quote(tok)
	}
	want := "a finite number"
	if p.columns[j].words() {
		want = "a category"
	}
	return p.fault(f, j, Error{Found: found, Want: want, Missing: true, Later: p.filled != nil})
}

// isMissing reports whether a cell in a column of numbers is missing.
func isMissing(tok []byte) bool {
	if len(tok) > 4 {
		return false
	}
	switch strings.ToLower(string(tok)) {
	case "", "?", "na", "n/a", "nan", "null", "none", "-":
		return true
	}
	return false
}

// missing reads a missing cell by the given columns or by the rule.
func (p *csvParser) missing(j int, tok []byte, f csvField, x []float64) (keep bool, bad error) {
	k := p.place[j]
	switch c := &p.layout[p.of(j)]; {
	case p.filled != nil && (c.Filled || c.words() && p.Missing != MissingDrop) && (c.Marked || !p.Strict):
		p.filled[p.of(j)]++
		if x[k] = c.Fill; c.Marked {
			x[k] = math.NaN()
		} else if !c.Filled {
			x[k] = -1 // none of the words
		}
		return true, nil
	case p.guess != nil:
		p.absent(j, tok, f, x)
		return true, nil
	case p.Missing == MissingDrop:
		return false, nil
	case p.Missing == MissingError || p.Options.Columns != nil:
		return false, p.noValue(j, tok, f)
	}
	x[k], p.hollow = math.NaN(), true
	return true, nil
}

// category reads text; "" and "?" are missing, other words are names of categories.
func (p *csvParser) category(j int, tok []byte, f csvField, x []float64) (keep bool, bad error) {
	if len(tok) == 0 || string(tok) == "?" || p.isAbsent(j, tok) {
		return p.missing(j, tok, f, x)
	}
	if given := p.known[j]; given != nil {
		i, ok := given.index[string(tok)]
		if !ok && p.layout[p.of(j)].Form == otherWords {
			i = -1
		} else if !ok {
			i = -1
			if bad = p.unknown(p.fail(f, j, "the unknown category "+quote(tok), "one of "+list(given.names))); bad != nil {
				return false, bad
			}
		}
		x[p.place[j]] = float64(i)
		return true, nil
	}
	seen := p.seen[j]
	i, ok := seen.index[string(tok)]
	if !ok {
		i = seen.of(string(tok))
		if p.guess != nil {
			p.newWord(j, tok, f)
		}
		if i == maxCategories && (p.guess == nil || p.columns[j].Role == RoleCategory) {
			return false, p.fault(f, j, Error{Found: fmt.Sprintf("more than %d categories", maxCategories),
				Want: "a column of few different words", Many: true})
		}
	}
	x[p.place[j]] = float64(i)
	return true, nil
}

// unknown counts a cell of a category that the training did not have, unless it is an error.
func (p *csvParser) unknown(e *Error) error {
	if p.Strict || p.Options.Columns == nil {
		return e
	}
	n := p.notes()
	if n.Unknown++; n.First == nil {
		n.First = e
	}
	return nil
}

// notes are the set's.
func (p *csvParser) notes() *Notes {
	if p.out.Notes == nil {
		p.out.Notes = &Notes{}
	}
	return p.out.Notes
}

// maxCategories bounds the features of one column.
const maxCategories = 1000
