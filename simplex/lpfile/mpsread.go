package lpfile

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/sparsekm/sparsekm/simplex"
)

// readMPS reads into a builder.
func readMPS(r io.Reader, b builder) (*Model, error) {
	p := newMPSReader(r, b)
	if err := p.read(); err != nil {
		return nil, located("MPS", p.line, err)
	}
	return p.model()
}

const maxLine = 1 << 20

type mpsReader struct {
	in      *textLines
	line    int
	text    string
	section string
	ended   bool

	builder
	a         simplex.Sparse
	objective mpsRow            // that of the objective; its kind is 0 before
	kinds     []mpsRow          // of the rows
	sets      map[string]string // section → its first set
	glpk      bool              // GLPK has written the file
	mpsFixed
	mpsBounds
	mpsColumn
}

// mpsFixed is what is known of the fixed format.
type mpsFixed struct {
	columnar bool // names have had blanks, so that fields stand in their columns
	stray    int  // column of a letter outside of the fields of the fixed format, 0 for none
}

// mpsBounds is what has been said of columns.
type mpsBounds struct {
	marks    []mpsMark
	negative []columnLine // columns with a negative UP bound and no lower one yet
	integer  bool         // columns are integer
}

// mpsRow is the type of a row, its right-hand side and its range, if it has them.
type mpsRow struct {
	kind             byte
	rhs, width       float64
	hasRHS, hasRange bool
}

// columnLine is a column and the line that names it.
type columnLine struct{ column, line int }

// mpsMark is what the file has said of a column.
type mpsMark uint8

const (
	hasLower mpsMark = 1 << iota
	hasUpper
	isInteger
	isUnit // an integer one without an upper bound as yet
)

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
	return &mpsReader{in: newTextLines(r), builder: b, sets: map[string]string{}}
}

func (p *mpsReader) fail(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if p.columnar && p.stray > 0 {
		text += fmt.Sprintf("; names with blanks need the columns of the fixed format, outside of which column %d is",
			p.stray)
	}
	return &Error{"MPS", p.line, 0, text}
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
		if p.line == 1 {
			line = strings.TrimPrefix(line, byteOrderMark)
		}
		p.text = strings.TrimRightFunc(line, unicode.IsSpace)
		if p.text == "" || p.text[0] == '*' {
			p.glpk = p.glpk || strings.HasPrefix(p.text, "* Problem:")
			continue
		}
		f := p.in.fields(p.text)
		switch blank := p.text[0] == ' ' || p.text[0] == '\t'; {
		case blank:
			err = p.data(f)
		case p.isHeader(f):
			err = p.header(f)
		default:
			p.warn(p.line, "data begin in the first column")
			err = p.data(f)
		}
		if err != nil || p.ended {
			return err
		}
	}
}

// isHeader reports whether a line from the first column on begins a section. Free files may have data there too.
func (p *mpsReader) isHeader(f []string) bool {
	switch strings.ToUpper(f[0]) {
	case "NAME":
		return p.section == "" || len(f) < 3
	case "OBJSENSE", "QUADOBJ", "QSECTION", "QMATRIX", "QCMATRIX":
		return len(f) < 3
	case "SOS", "SOS1", "SOS2", "SETS", "CSECTION", "INDICATORS", "LAZYCONS", "USERCUTS", "GENCONS", "PWLOBJ", "BRANCH":
		return true
	case "ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS", "ENDATA":
		return len(p.uncommented(f)) == 1
	}
	return p.section == "" || len(f) == 1 && p.section != "OBJSENSE"
}

// uncommented leaves a comment out: a field after the first that begins with $, unless it is the name of a row or, in
// sections that name columns, of a column.
func (p *mpsReader) uncommented(f []string) []string {
	for k, s := range f {
		if k == 0 || s[0] != '$' {
			continue
		}
		known := k == 1
		switch p.section {
		case "COLUMNS", "RHS", "RANGES":
			known = p.hasRow(s)
		case "BOUNDS", "QUADOBJ", "QMATRIX", "QSECTION":
			known = known || p.hasColumn(s)
		}
		if !known {
			return f[:k]
		}
	}
	return f
}

// header begins a section.
func (p *mpsReader) header(f []string) error {
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
		if p.objective.kind == 0 {
			p.warn(p.line, "there is no objective (an N row): it is 0")
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

func (p *mpsReader) data(f []string) error {
	if p.stray = 0; strings.IndexByte(p.text, '$') >= 0 {
		f = p.uncommented(f)
	}
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

// fixed takes the line apart at the columns of the fixed format: 2-3, 5-12, 15-22, 25-36, 40-47 and 50-61, of which
// the third and fifth may begin a comment. Trailing fields that are empty are left out. There are none where
// something stands in other columns, which stray notes.
func (p *mpsReader) fixed() (f []string) {
	text, end := p.text, 0
	for k, c := range [...][2]int{{1, 3}, {4, 12}, {14, 22}, {24, 36}, {39, 47}, {49, 61}, {len(text), len(text)}} {
		pos := min(max(end, c[0]), len(text))
		gap := strings.TrimLeft(text[end:pos], " ")
		if end = min(c[1], len(text)); gap != "" {
			p.stray = pos - len(gap) + 1
			return nil
		}
		field := text[pos:max(pos, end)]
		if (k == 2 || k == 4) && strings.HasPrefix(field, "$") {
			break
		}
		f = append(f, strings.TrimSpace(field))
	}
	for len(f) > 0 && f[len(f)-1] == "" {
		f = f[:len(f)-1]
	}
	return f
}

// misfit is the mistake of a line that has other fields than its section wants.
func (p *mpsReader) misfit(f []string, want string) error {
	p.columnar = true // which fail may say
	return p.fail("%d fields, want %s", len(f), want)
}

// blanks returns the fields of a line in fixed format if they make sense as pairs
// of row and value after one name, and f, whose pairs start at from, does not.
func (p *mpsReader) blanks(f []string, from int) []string {
	if !p.columnar && p.pairs(f[from:]) {
		return f
	}
	if x := p.fixed(); len(x) > 2 && p.pairs(x[2:]) {
		p.columnar = true
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

// number parses a value; only what becomes a bound may be infinite.
func (p *mpsReader) number(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && strings.ContainsAny(s, "dD") { // Fortran's exponents
		v, err = strconv.ParseFloat(strings.Replace(strings.ToLower(s), "d", "e", 1), 64)
	}
	if math.IsNaN(v) || (math.IsInf(v, 0) && (p.section == "COLUMNS" || p.section[0] == 'Q')) {
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
	for i, row := range p.kinds {
		lo, up := row.bounds()
		if m.RowLo[i], m.RowUp[i] = infinite(lo), infinite(up); !validBounds(m.RowLo[i], m.RowUp[i]) {
			return nil, p.fail("row %q: no number is within its bounds [%v, %v]", m.RowNames[i], lo, up)
		}
	}
	p.settleBounds()
	if mistake := p.finish(&p.a); mistake != "" {
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
