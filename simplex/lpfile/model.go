// Package lpfile builds linear and quadratic programs by names, and reads and writes their files.
//
// A [Model] is a simplex.LP with names, and with the matrix Q of a quadratic objective, which package qp solves.
// [Read] takes MPS files, with QUADOBJ, QSECTION or QMATRIX, and LP files. A [Problem] builds a model column by column
// and row by row. [Model.Solution] tells a result by the names.
//
// A mistake in a file is an [*Error] with its place. A model that cannot be built or written is a simplex.ErrInvalid.
package lpfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/sparsekm/sparsekm/simplex"
)

// Model is a linear or quadratic program with names, as files hold it.
type Model struct {
	simplex.LP
	Q        simplex.Columns // n×n, of ½xᵀQx, symmetric; nil if the objective is linear
	Name     string
	ObjName  string
	RowNames []string
	ColNames []string
	Maximize bool     // the file maximises: C, Offset and Q have their signs changed
	Relaxed  bool     // the file wants integers in some columns, and LP does not
	Warnings []string // what readers of other programs take otherwise, and what is left out, by the lines of the file
}

// sign is −1 of a model that maximises, 1 of others.
func (m *Model) sign() float64 {
	if m.Maximize {
		return -1
	}
	return 1
}

// Objective returns the value of a result in the file's own sense.
func (m *Model) Objective(r *simplex.Result) float64 { return m.sign() * r.Objective }

// Limits say what [Read] takes.
type Limits struct {
	// Bytes is the most memory of the program, with the copies that a simplex.Solver makes of it; 0 means 8 GiB. The
	// memory of the solver's basis comes in addition.
	Bytes int64
	// Linear refuses quadratic objectives.
	Linear bool
}

// Read reads a program in LP format where the file begins with a comment or an objective of that format, and in MPS
// format otherwise. Bounds and right-hand sides from 1e20 on are infinite. Bounds that cross make a program that is
// infeasible. Integer columns are read as continuous ones, which Warnings say. A mistake at a place is an [*Error],
// and so is what takes more memory than the limit.
//
// MPS files are free or fixed: fields are taken apart at blanks, and by the columns of the fixed format where only
// that makes sense (names with blanks). The first N row is the objective, later ones are free rows. A right-hand side
// of the objective is minus its constant. Integer columns without bounds have [0, 1] after INTORG. A field that begins
// with $ after the first pair, and is no name, begins a comment. Q stands in a section QUADOBJ or QSECTION, where an
// entry stands for itself and the one across the diagonal, or in a section QMATRIX, which has both.
//
// What readers of other programs take in several ways is in Warnings: of several sets of right-hand sides, ranges or
// bounds the first one counts; so does the first of two entries or right-hand sides of a row, and the last of two
// bounds; a negative UP bound without a lower one takes the lower bound 0 away; columns that only BOUNDS or QUADOBJ
// name are empty ones.
//
// LP files are those of CPLEX: minimize or maximize, subject to, bounds, end, by all their names, in letters of either
// case. Comments go from a backslash to the end of the line. The rows may be missing. Terms of one column add up,
// constants stand anywhere, and a row can be a range (-1 <= x + y <= 5). Columns are in the order in which the file
// first names them, with bounds 0 and +∞; rows without a name are R1, R2, … by their place, and an objective is obj.
// Binary columns are within [0, 1]. The objective may have [ terms ] / 2, such as 3 x^2 and -4 x * y, which are xᵀQx.
// Semi-continuous columns, sets and lazy rows are refused.
func Read(r io.Reader, limits Limits) (*Model, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	head, err := in.Peek(1 << 16)
	if err != nil && len(head) == 0 && err != io.EOF {
		return nil, err
	}
	b := newBuilder(limits.Bytes)
	if !limits.Linear {
		b.quadratic = &quadratic{entries: map[[2]int]float64{}}
	}
	if beginsLP(head) {
		return readLP(in, b)
	}
	return readMPS(in, b)
}

// beginsLP reports whether the first word of a file, but for lines that an MPS file has for comments, is one of
// an LP file.
func beginsLP(head []byte) bool {
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte(byteOrderMark))) {
		words := strings.Fields(string(line))
		if len(words) == 0 || words[0][0] == '*' {
			continue
		}
		first := strings.ToLower(words[0])
		section := sections[strings.TrimSuffix(first, ":")] // as lp_solve writes it, which gets a sentence of its own
		return first[0] == '\\' || first[0] == '/' || section == "minimize" || section == "maximize"
	}
	return false
}

// Error is a mistake at a place of a file.
type Error struct {
	Format       string // MPS or LP
	Line, Column int    // from 1; the column in bytes, 0 in an MPS file
	Text         string
}

// Error implements error.
func (e *Error) Error() string {
	if e.Column == 0 {
		return fmt.Sprintf("lpfile: %s line %d: %s", e.Format, e.Line, e.Text)
	}
	return fmt.Sprintf("lpfile: %s line %d, column %d: %s", e.Format, e.Line, e.Column, e.Text)
}

// located returns the error of reading a line: the mistake in the file that it is, or else with the line.
func located(format string, line int, err error) error {
	if mistake := new(Error); errors.As(err, &mistake) {
		return mistake
	}
	return fmt.Errorf("lpfile: %s line %d: %w", format, line, err)
}

// refusal is the error of a model that cannot be built or written.
type refusal string

func (e refusal) Error() string        { return "lpfile: " + string(e) }
func (e refusal) Is(target error) bool { return target == simplex.ErrInvalid }

func invalid(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

var inf = math.Inf(1)

// endless is the size from which on a bound is infinite.
const endless = 1e20

// infinite returns v, infinite from endless on.
func infinite(v float64) float64 {
	if math.Abs(v) >= endless {
		return math.Copysign(inf, v)
	}
	return v
}

// validBounds reports whether bounds are numbers, and none of them alone keeps all numbers out.
func validBounds(lo, up float64) bool { return lo < endless && up > -endless }

// builder is a model under construction, and the numbers that its names stand for.
type builder struct {
	m          Model
	cols, rows map[string]int // objectiveRow is the row of the objective

	warnings []warning
	integers int // columns that the file wants to be integer

	bytes, maxBytes int64      // memory of the rows, columns and entries, and its limit
	quadratic       *quadratic // of the objective; nil where that has to be linear
}

const objectiveRow = -2

// warning is one of a kind, with the number of others.
type warning struct {
	kind, text   string
	line, others int
}

// warn notes what a line, if it is one, has that not all readers take alike.
func (b *builder) warn(line int, format string, args ...any) {
	for k := range b.warnings {
		if b.warnings[k].kind == format {
			b.warnings[k].others++
			return
		}
	}
	b.warnings = append(b.warnings, warning{format, fmt.Sprintf(format, args...), line, 0})
}

// list returns the warnings as text.
func (b *builder) list() (text []string) {
	if b.integers > 0 {
		b.m.Relaxed = true
		b.warn(0, "integer columns: %d. Their integrality is dropped, nothing else", b.integers)
	}
	for _, w := range b.warnings {
		where := ""
		switch {
		case w.others > 0:
			where = fmt.Sprintf("line %d and %d more: ", w.line, w.others)
		case w.line > 0:
			where = fmt.Sprintf("line %d: ", w.line)
		}
		text = append(text, where+w.text)
	}
	return text
}

// byteOrderMark begins some files in UTF-8.
const byteOrderMark = "\ufeff"

// Bytes of a row or column in addition to its name, with its share of the builder's maps and the solver's vectors, and
// of an entry by columns, by rows and scaled. Programs of 300,000 rows, columns and a million entries take 350, 280 and
// 34 bytes, and more while lists grow.
const (
	lineBytes  = 400
	entryBytes = 48
)

// tooLarge is the mistake of a file whose program does not fit.
const tooLarge = "the program takes more than %d bytes of memory"

func newBuilder(maxBytes int64) builder {
	if maxBytes == 0 {
		maxBytes = 8 << 30
	}
	return builder{cols: map[string]int{}, rows: map[string]int{}, maxBytes: maxBytes}
}

// fits counts bytes that a part of the program needs, and reports whether they are within the limit.
func (b *builder) fits(bytes int) bool {
	b.bytes += int64(bytes)
	return b.bytes <= b.maxBytes
}

// hasRow reports whether a row or the objective has that name.
func (b *builder) hasRow(name string) bool { _, ok := b.rows[name]; return ok }

// hasColumn reports whether a column has that name.
func (b *builder) hasColumn(name string) bool { _, ok := b.cols[name]; return ok }

// addColumn returns the number of a new column.
func (b *builder) addColumn(name string, cost, lo, up float64) int {
	m, j := &b.m, len(b.m.ColNames)
	b.cols[name] = j
	m.ColNames = append(m.ColNames, name)
	m.C = append(m.C, cost)
	m.Lo = append(m.Lo, lo)
	m.Up = append(m.Up, up)
	return j
}

// addRow adds a row, which may have no name.
func (b *builder) addRow(name string, lo, up float64) {
	m := &b.m
	if name != "" {
		b.rows[name] = len(m.RowNames)
	}
	m.RowNames = append(m.RowNames, name)
	m.RowLo = append(m.RowLo, lo)
	m.RowUp = append(m.RowUp, up)
}

// denseBytes is at most what a solver takes for a dense copy of a, which it makes if so many entries are nonzero, more
// than for the entries.
func denseBytes(a *simplex.Sparse) int {
	const share, copies, counted = 0.3, 16, 20
	m, n := a.Dims()
	if float64(len(a.Value)) < share*float64(m)*float64(n) {
		return 0
	}
	return max(0, copies*m*n-counted*len(a.Value))
}

// finish completes a model that minimises. It returns what is wrong with it.
func (b *builder) finish(a *simplex.Sparse) (mistake string) {
	m := &b.m
	m.A, m.Warnings = a, b.list()
	if m.Maximize {
		for j := range m.C {
			m.C[j] = -m.C[j]
		}
		m.Offset = -m.Offset
	}
	m.Q = b.quadratic.matrix(len(m.C), m.sign())
	if !b.fits(denseBytes(a)) {
		return fmt.Sprintf(tooLarge, b.maxBytes)
	}
	if err := m.Validate(); err != nil {
		return strings.TrimPrefix(err.Error(), "simplex: ")
	}
	return ""
}
