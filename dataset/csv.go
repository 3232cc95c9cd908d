package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// ReadCSV reads a table with a column for each feature and, unless
// o.Unlabelled, one for the label. Cells may be quoted (RFC 4180). An empty cell
// or one that is not a finite number is an error. File is the name that errors show.
func ReadCSV(r io.Reader, file string, o Options) (*Set, error) {
	limit := &rowLimit{r: r, most: o.maxLine()}
	b := bufio.NewReaderSize(limit, 64<<10)
	first, _ := b.Peek(64 << 10)
	if bytes.HasPrefix(first, []byte("\ufeff")) {
		b.Discard(len("\ufeff"))
		first, _ = b.Peek(64<<10 - len("\ufeff"))
	}
	c := csv.NewReader(b)
	c.Comma, c.ReuseRecord = o.Delimiter, true
	if c.Comma == 0 {
		c.Comma = sniffDelimiter(first)
	}
	p := csvParser{Options: o, file: file, r: c, label: -1}
	for at := int64(0); ; {
		rec, err := c.Read()
		limit.n = 0
		if end := c.InputOffset(); end-at > int64(o.maxLine()) {
			err = errLongRow
		} else {
			at = end
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, p.wrap(err)
		}
		if p.columns == 0 {
			skip, err := p.begin(rec)
			if err != nil {
				return nil, err
			}
			if skip {
				continue
			}
		}
		if err := p.row(rec); err != nil {
			return nil, err
		}
	}
	return p.set()
}

type csvParser struct {
	Options
	file    string
	r       *csv.Reader
	columns int // cells a line
	label   int // label column, −1 for none
	out     Set
	x       pieces[float64]
	y       pieces[int]
	classes classes
}

func (p *csvParser) fail(cell int, found, want string) error {
	line, col := p.r.FieldPos(cell)
	return &Error{File: p.file, Line: line, Col: col, Found: found, Want: want}
}

// wrap gives an error of encoding/csv our form.
func (p *csvParser) wrap(err error) error {
	if errors.Is(err, errLongRow) {
		return &Error{File: p.file, Found: fmt.Sprintf("a row of more than %d bytes, or as many without a row", p.maxLine()),
			Want: "a shorter one"}
	}
	var pe *csv.ParseError
	if errors.As(err, &pe) {
		if errors.Is(err, csv.ErrFieldCount) {
			return &Error{File: p.file, Line: pe.Line, Found: "another number of cells than in the first line",
				Want: fmt.Sprint(p.columns)}
		}
		return &Error{File: p.file, Line: pe.Line, Col: pe.Column, Found: "a misplaced quote",
			Want: `cells like 1.5 or "1.5"`}
	}
	return fmt.Errorf("%s: %w", p.file, err)
}

// begin looks at the first record: which column is the label, and is it a header?
func (p *csvParser) begin(rec []string) (header bool, err error) {
	p.columns = len(rec)
	named := false
	if !p.Unlabelled {
		if p.label, named, err = p.labelColumn(rec); err != nil {
			return false, err
		}
	}
	header = p.Header == HeaderYes || p.Header == HeaderAuto && (named || looksLikeHeader(rec, p.label))
	p.out.D = p.columns
	if p.label >= 0 {
		p.out.D--
	}
	switch d := p.out.D; {
	case d == 0:
		return false, p.fail(0, "a label column only", "at least one feature column")
	case p.Features > 0 && d != p.Features:
		return false, p.fail(0, fmt.Sprintf("%d feature columns", d), fmt.Sprint(p.Features))
	}
	if header {
		for j, name := range rec {
			if j != p.label {
				p.out.Features = append(p.out.Features, strings.Clone(strings.TrimSpace(name)))
			}
		}
	}
	return header, nil
}

// labelColumn resolves the option against the first record; named says that it is a column's name.
func (p *csvParser) labelColumn(rec []string) (column int, named bool, err error) {
	if p.LabelColumn == "" {
		return len(rec) - 1, false, nil
	}
	j, err := strconv.Atoi(p.LabelColumn)
	if err != nil {
		if j = indexTrimmed(rec, p.LabelColumn); j < 0 || p.Header == HeaderNo {
			return 0, false, p.fail(0, fmt.Sprintf("no column named %q", p.LabelColumn),
				"the label column's name or index")
		}
		return j, true, nil
	}
	if j < 0 {
		j += len(rec)
	}
	if j < 0 || j >= len(rec) {
		return 0, false, p.fail(0, fmt.Sprintf("%d columns", len(rec)), "a label column "+p.LabelColumn)
	}
	return j, false, nil
}

func indexTrimmed(rec []string, name string) int {
	return slices.IndexFunc(rec, func(s string) bool { return strings.TrimSpace(s) == name })
}

// looksLikeHeader reports whether no feature cell is a number or missing.
func looksLikeHeader(rec []string, label int) bool {
	names := false
	for j, cell := range rec {
		cell = strings.ToLower(strings.TrimSpace(cell))
		if j == label {
			continue
		}
		if _, err := strconv.ParseFloat(cell, 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return false
		}
		switch cell {
		case "", "?", "na", "n/a", "null", "none", "-":
			return false
		}
		names = true
	}
	return names
}

// row reads one record.
func (p *csvParser) row(rec []string) error {
	for j, cell := range rec {
		tok := bytes.TrimSpace([]byte(cell))
		if j == p.label {
			label, found := parseLabel(tok, p.labelKind(nameLabel))
			if found != "" {
				return p.fail(j, found, "a label, an integer or a name")
			}
			p.y.add(p.classes.of(label))
			continue
		}
		v, found := parseFloat(tok)
		if found != "" {
			return p.fail(j, found, "a finite number")
		}
		p.x.add(v)
	}
	p.out.N++
	if 2*8*int64(p.x.room+p.y.room) > p.maxBytes() { // once while they are read, once in one piece
		return p.fail(0, "more points than fit", fmt.Sprintf("a memory budget of more than %d bytes", p.maxBytes()))
	}
	return nil
}

func (p *csvParser) set() (*Set, error) {
	s := p.out
	if s.N == 0 {
		return nil, &Error{File: p.file, Found: "no points", Want: "at least one line of numbers"}
	}
	s.X, s.Y = p.x.join(), p.y.join()
	s.Labels = p.classes.finish(s.Y)
	return &s, nil
}

// sniffDelimiter returns the most frequent delimiter outside quotes in the first line.
func sniffDelimiter(b []byte) rune {
	var comma, semicolon, tab int
	quoted := false
	for _, c := range b {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ',':
			comma++
		case c == ';':
			semicolon++
		case c == '\t':
			tab++
		}
		if c == '\n' && !quoted && comma+semicolon+tab > 0 {
			break
		}
	}
	switch {
	case semicolon > comma && semicolon >= tab:
		return ';'
	case tab > comma:
		return '\t'
	}
	return ','
}

var errLongRow = errors.New("a long row")

// rowLimit refuses to read on when a row, whose quoted cells may have many lines, or what comes
// before it gets longer than most bytes.
type rowLimit struct {
	r    io.Reader
	most int
	n    int // bytes read since the last row
}

func (l *rowLimit) Read(p []byte) (int, error) {
	if l.n > l.most {
		return 0, errLongRow
	}
	n, err := l.r.Read(p)
	l.n += n
	return n, err
}
