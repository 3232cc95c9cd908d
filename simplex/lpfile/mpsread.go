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
	if p.read(); p.err == nil {
		p.model()
	}
	if p.err != nil {
		return nil, located("MPS", p.line, p.err)
	}
	return &p.m, nil
}

const maxLine = 1 << 20

// mpsReader reads line by line, up to ENDATA or the first mistake. What a line says after a mistake is void.
type mpsReader struct {
	in      *textLines
	line    int
	text    string
	section string
	each    func(p *mpsReader, f []string) // reads a line of the section; nil if it has none
	err     error                          // the first mistake

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
func (p *mpsReader) take(bytes int) {
	if !p.fits(bytes) {
		p.fail(tooLarge, p.maxBytes)
	}
}

func newMPSReader(r io.Reader, b builder) *mpsReader {
	return &mpsReader{in: newTextLines(r), builder: b, sets: map[string]string{}}
}

// fail notes a mistake in the line, unless there is one already.
func (p *mpsReader) fail(format string, args ...any) {
	if p.err != nil {
		return
	}
	text := fmt.Sprintf(format, args...)
	if p.columnar && p.stray > 0 {
		text += fmt.Sprintf("; names with blanks need the columns of the fixed format, outside of which column %d is",
			p.stray)
	}
	p.err = &Error{"MPS", p.line, 0, text}
}

func (p *mpsReader) read() {
	p.column = -1
	for p.err == nil && p.section != "ENDATA" {
		line, err := p.in.next()
		p.line++
		switch {
		case err == io.EOF:
			p.line--
			p.fail("the file ends without ENDATA")
		case err == bufio.ErrTooLong:
			p.fail("more than %d bytes in a line", maxLine)
		default:
			p.err = err
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
			p.data(f)
		case p.isHeader(f):
			p.header(f)
		default:
			p.warn(p.line, "data begin in the first column")
			p.data(f)
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
func (p *mpsReader) header(f []string) {
	p.flush()
	p.section = strings.ToUpper(f[0])
	p.each = mpsData[p.section]
	switch p.section {
	case "NAME":
		p.m.Name = strings.Clone(strings.TrimSpace(p.text[len(f[0]):]))
	case "OBJSENSE":
		if len(f) > 1 {
			p.sense(f[1:])
		}
	case "ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS":
	case "ENDATA":
		if p.objective.kind == 0 {
			p.warn(p.line, "there is no objective (an N row): it is 0")
		}
	case "QUADOBJ", "QMATRIX", "QSECTION":
		switch {
		case p.quadratic == nil:
			p.fail("section %s: only linear programs are read; qp reads this one", p.section)
		case len(f) > 1 && f[1] != p.m.ObjName:
			p.fail("section %s of %q: only the objective %q can be quadratic", p.section, f[1], p.m.ObjName)
		}
	default:
		p.fail("unknown section %q", f[0])
	}
}

// mpsData has what reads a line of a section.
var mpsData = map[string]func(p *mpsReader, f []string){
	"OBJSENSE": (*mpsReader).sense, "ROWS": (*mpsReader).row, "COLUMNS": (*mpsReader).entries,
	"RHS": (*mpsReader).vector, "RANGES": (*mpsReader).vector, "BOUNDS": (*mpsReader).bound,
	"QUADOBJ": (*mpsReader).quadraticTerms, "QMATRIX": (*mpsReader).quadraticTerms, "QSECTION": (*mpsReader).quadraticTerms,
}

func (p *mpsReader) data(f []string) {
	if p.stray = 0; strings.IndexByte(p.text, '$') >= 0 {
		f = p.uncommented(f)
	}
	switch {
	case p.each != nil:
		p.each(p, f)
	case p.section == "":
		p.fail("data before the first section")
	default:
		p.fail("data in section %s", p.section)
	}
}

func (p *mpsReader) sense(f []string) {
	switch strings.ToUpper(f[0]) {
	case "MAX", "MAXIMIZE", "MAXIMISE":
		p.m.Maximize = true
	case "MIN", "MINIMIZE", "MINIMISE":
		p.m.Maximize = false
	default:
		p.fail("objective sense %q, want MAX or MIN", f[0])
	}
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
func (p *mpsReader) misfit(f []string, want string) {
	p.columnar = true // which fail may say
	p.fail("%d fields, want %s", len(f), want)
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
		if _, mistake := p.parse(f[1]); mistake != "" || !known {
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
	v, mistake := p.parse(value)
	return i, v, mistake == ""
}

// knownRow returns the number of a row that must be there.
func (p *mpsReader) knownRow(name string) int {
	i, ok := p.rowOf(name)
	if !ok {
		p.fail("unknown row %q", name)
	}
	return i
}

// number returns a value.
func (p *mpsReader) number(s string) float64 {
	v, mistake := p.parse(s)
	if mistake != "" {
		p.fail(mistake, s)
	}
	return v
}

// parse returns a value, or the format of the mistake that it is: only what becomes a bound may be infinite.
func (p *mpsReader) parse(s string) (v float64, mistake string) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && strings.ContainsAny(s, "dD") { // Fortran's exponents
		v, err = strconv.ParseFloat(strings.Replace(strings.ToLower(s), "d", "e", 1), 64)
	}
	if math.IsNaN(v) || (math.IsInf(v, 0) && (p.section == "COLUMNS" || p.section[0] == 'Q')) {
		return 0, "value %q is not finite"
	}
	if err != nil && !math.IsInf(v, 0) {
		return 0, "%q is not a number"
	}
	return v, ""
}

// model puts the parts together.
func (p *mpsReader) model() {
	m := &p.m
	p.a.Rows = len(p.kinds)
	if len(p.a.Start) == 0 {
		p.a.Start = []int{0}
	}
	for i, row := range p.kinds {
		lo, up := row.bounds()
		if m.RowLo[i], m.RowUp[i] = infinite(lo), infinite(up); !validBounds(m.RowLo[i], m.RowUp[i]) {
			p.fail("row %q: no number is within its bounds [%v, %v]", m.RowNames[i], lo, up)
		}
	}
	p.settleBounds()
	if mistake := p.finish(&p.a); mistake != "" {
		p.fail("%s", mistake)
	}
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
