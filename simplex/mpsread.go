package simplex

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// ReadMPS reads a linear program in MPS format, free or fixed: fields are taken apart at blanks, and by the columns
// of the fixed format where only that makes sense (names with blanks). Sections: NAME, OBJSENSE, ROWS, COLUMNS, RHS,
// RANGES, BOUNDS, ENDATA.
//
// A right-hand side of the objective row is minus the objective's constant. A negative UP bound without a lower one
// takes the lower bound 0 away. The first N row is the objective, later ones are free rows. Integer columns are read
// as continuous ones with their bounds. A mistake in a line is an [*MPSError]. So is a line of more than a mebibyte,
// and the line at which the program takes more than 8 GiB.
func ReadMPS(r io.Reader) (*Model, error) { return ReadMPSWithin(r, 8<<30) }

// ReadMPSWithin is [ReadMPS] for a program that takes at most maxBytes, with the copies that a [Solver] makes of it.
// The memory of the solver's basis comes in addition.
func ReadMPSWithin(r io.Reader, maxBytes int64) (*Model, error) {
	return readMPS(r, newBuilder(maxBytes))
}

// readMPS reads into a builder.
func readMPS(r io.Reader, b builder) (*Model, error) {
	p := newMPSReader(r, b)
	err := p.read()
	var at *MPSError
	switch {
	case errors.As(err, &at):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("simplex: MPS line %d: %w", p.line, err)
	}
	return p.model()
}

// MPSError is a mistake in a line of an MPS file.
type MPSError struct {
	Line int // from 1
	Text string
}

// Error implements error.
func (e *MPSError) Error() string { return fmt.Sprintf("simplex: MPS line %d: %s", e.Line, e.Text) }

const maxLine = 1 << 20

type mpsReader struct {
	in      *textLines
	line    int
	text    string
	section string
	ended   bool

	builder
	a         Sparse
	objective int      // line of the objective's row, −1 before
	kinds     []mpsRow // of the rows
	hasLower  []bool   // of the columns
	mpsColumn
}

// mpsRow is the type of a row, its right-hand side and its range, if it has one.
type mpsRow struct {
	kind       byte
	rhs, width float64
	hasRange   bool
}

// mpsColumn is the column whose entries are being read.
type mpsColumn struct {
	column int
	next   int   // the row after that of the last entry
	last   []int // by row, after that of the objective: one more than the number of the last column with an entry
	index  []int32
	value  []float64
}

// take counts bytes that a part of the program needs.
func (p *mpsReader) take(bytes int) error {
	if !p.fits(bytes) {
		return p.fail(tooLarge, p.maxBytes)
	}
	return nil
}

func newMPSReader(r io.Reader, b builder) *mpsReader {
	return &mpsReader{in: newTextLines(r), builder: b, objective: -1}
}

func (p *mpsReader) fail(format string, args ...any) error {
	return &MPSError{p.line, fmt.Sprintf(format, args...)}
}

func (p *mpsReader) read() error {
	p.column = -1
	for {
		line, err := p.in.next()
		p.line++
		switch {
		case err == io.EOF:
			p.line--
			return p.fail("the file ends without ENDATA")
		case err == bufio.ErrTooLong:
			return p.fail("more than %d bytes in a line", maxLine)
		case err != nil:
			return err
		}
		p.text = strings.TrimRightFunc(line, unicode.IsSpace)
		if p.text == "" || p.text[0] == '*' {
			continue
		}
		if p.text[0] != ' ' && p.text[0] != '\t' {
			err = p.header()
		} else {
			err = p.data()
		}
		if err != nil || p.ended {
			return err
		}
	}
}

// header begins a section.
func (p *mpsReader) header() error {
	f := p.in.fields(p.text)
	p.flush()
	p.section = strings.ToUpper(f[0])
	switch p.section {
	case "NAME":
		p.m.Name = strings.Clone(strings.TrimSpace(p.text[len(f[0]):]))
	case "OBJSENSE":
		if len(f) > 1 {
			return p.sense(f[1])
		}
	case "ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS":
	case "ENDATA":
		p.ended = true
		if p.objective < 0 {
			return p.fail("there is no objective (an N row)")
		}
	case "QUADOBJ", "QMATRIX", "QSECTION":
		if p.quadratic == nil {
			return p.fail("section %s: only linear programs are read; qp reads this one", p.section)
		}
		if len(f) > 1 && f[1] != p.m.ObjName {
			return p.fail("section %s of %q: only the objective %q can be quadratic", p.section, f[1], p.m.ObjName)
		}
	default:
		return p.fail("unknown section %q", f[0])
	}
	return nil
}

func (p *mpsReader) data() error {
	f := p.in.fields(p.text)
	switch p.section {
	case "OBJSENSE":
		return p.sense(f[0])
	case "ROWS":
		return p.row(f)
	case "COLUMNS":
		return p.entries(f)
	case "RHS", "RANGES":
		return p.vector(f)
	case "BOUNDS":
		return p.bound(f)
	case "QUADOBJ", "QMATRIX", "QSECTION":
		return p.quadraticTerms(f)
	case "":
		return p.fail("data before the first section")
	}
	return p.fail("data in section %s", p.section)
}

func (p *mpsReader) sense(s string) error {
	switch strings.ToUpper(s) {
	case "MAX", "MAXIMIZE", "MAXIMISE":
		p.m.Maximize = true
	case "MIN", "MINIMIZE", "MINIMISE":
		p.m.Maximize = false
	default:
		return p.fail("objective sense %q, want MAX or MIN", s)
	}
	return nil
}

// fixed takes the line apart at the columns of the fixed format: 2-3, 5-12,
// 15-22, 25-36, 40-47 and 50-61. Trailing fields that are empty are left out.
func (p *mpsReader) fixed() []string {
	var f []string
	for _, c := range [...][2]int{{1, 3}, {4, 12}, {14, 22}, {24, 36}, {39, 47}, {49, 61}} {
		field := ""
		if c[0] < len(p.text) {
			field = strings.TrimSpace(p.text[c[0]:min(c[1], len(p.text))])
		}
		f = append(f, field)
	}
	for len(f) > 0 && f[len(f)-1] == "" {
		f = f[:len(f)-1]
	}
	return f
}

// blanks returns the fields of a line in fixed format if they make sense as pairs
// of row and value after one name, and f, whose pairs start at from, does not.
func (p *mpsReader) blanks(f []string, from int) []string {
	if p.pairs(f[from:]) {
		return f
	}
	if x := p.fixed(); len(x) > 2 && p.pairs(x[2:]) {
		return x[1:]
	}
	return f
}

// pairs reports whether f is one or two pairs of a known row and a number.
func (p *mpsReader) pairs(f []string) bool {
	if len(f) != 2 && len(f) != 4 {
		return false
	}
	for ; len(f) > 0; f = f[2:] {
		_, known := p.rows[f[0]]
		if _, err := p.number(f[1]); err != nil || !known {
			return false
		}
	}
	return true
}

// rowOf returns the number of a row. Most entries of a dense column follow those of the row before.
func (p *mpsReader) rowOf(name string) (i int, ok bool) {
	if i = p.next; i < len(p.m.RowNames) && p.m.RowNames[i] == name {
		ok = true
	} else {
		i, ok = p.rows[name]
	}
	p.next = max(0, i+1) // after the objective the first one
	return i, ok
}

// pair reads a row and a number. ok is false if it is none.
func (p *mpsReader) pair(row, value string) (i int, v float64, ok bool) {
	if i, ok = p.rowOf(row); !ok {
		return 0, 0, false
	}
	v, err := p.number(value)
	return i, v, err == nil
}

// number parses a value; only a bound may be infinite.
func (p *mpsReader) number(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && strings.ContainsAny(s, "dD") { // Fortran's exponents
		v, err = strconv.ParseFloat(strings.Replace(strings.ToLower(s), "d", "e", 1), 64)
	}
	if math.IsNaN(v) || (math.IsInf(v, 0) && p.section != "BOUNDS") {
		return 0, p.fail("value %q is not finite", s)
	}
	if err != nil && !math.IsInf(v, 0) {
		return 0, p.fail("%q is not a number", s)
	}
	return v, nil
}

// model puts the parts together.
func (p *mpsReader) model() (*Model, error) {
	m := &p.m
	p.a.Rows = len(p.kinds)
	if len(p.a.Start) == 0 {
		p.a.Start = []int{0}
	}
	m.A = &p.a
	for i, row := range p.kinds {
		m.RowLo[i], m.RowUp[i] = row.bounds()
	}
	for j := range m.Lo {
		if m.Lo[j] > m.Up[j] {
			return nil, p.fail("column %q: lower bound %v is above upper bound %v", m.ColNames[j], m.Lo[j], m.Up[j])
		}
	}
	if mistake := p.finish(); mistake != "" {
		return nil, p.fail("%s", mistake)
	}
	return m, nil
}

// bounds returns what the type, right-hand side and range mean.
func (r *mpsRow) bounds() (lo, up float64) {
	width := math.Abs(r.width)
	switch {
	case r.kind == 'N':
		return -inf, inf
	case r.kind == 'E' && !r.hasRange:
		return r.rhs, r.rhs
	case r.kind == 'L' && !r.hasRange:
		return -inf, r.rhs
	case r.kind == 'G' && !r.hasRange:
		return r.rhs, inf
	case r.kind == 'L', r.kind == 'E' && r.width < 0:
		return r.rhs - width, r.rhs
	}
	return r.rhs, r.rhs + width
}
