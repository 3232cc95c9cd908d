package simplex

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Model is a linear program with names, as MPS files hold it.
type Model struct {
	LP
	Name     string
	ObjName  string
	RowNames []string
	ColNames []string
	Maximize bool     // the file maximises: C and Offset have their signs changed
	Relaxed  bool     // the file wants integers in some columns, and LP does not
	Warnings []string // what readers of other programs take otherwise, and what is left out, by the lines of the file
}

// Objective returns the value of a result in the file's own sense.
func (m *Model) Objective(r *Result) float64 {
	if m.Maximize {
		return -r.Objective
	}
	return r.Objective
}

// ReadModelWithin reads a program in LP format where the file begins with a comment or an objective of that format,
// and in MPS format otherwise: see [ReadLPWithin] and [ReadMPSWithin].
func ReadModelWithin(r io.Reader, maxBytes int64) (*Model, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	head, err := in.Peek(1 << 16)
	if err != nil && len(head) == 0 && err != io.EOF {
		return nil, err
	}
	return readEither(in, head, newBuilder(maxBytes))
}

// readEither reads the format that the head of a file shows.
func readEither(in io.Reader, head []byte, b builder) (*Model, error) {
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

// builder is a model under construction, and the numbers that its names stand for.
type builder struct {
	m          Model
	cols, rows map[string]int // objectiveRow is the row of the objective

	warnings []warning
	integers int // columns that the file wants to be integer

	held, maxBytes int64      // memory of the rows, columns and entries, and its limit
	quadratic      *quadratic // of the objective; nil where that has to be linear
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
	return builder{cols: map[string]int{}, rows: map[string]int{}, maxBytes: maxBytes}
}

// fits counts bytes that a part of the program needs, and reports whether they are within the limit.
func (b *builder) fits(bytes int) bool {
	b.held += int64(bytes)
	return b.held <= b.maxBytes
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

// finish makes a complete model that maximises one that minimises. It returns what is wrong with it.
func (b *builder) finish() (mistake string) {
	b.m.Warnings = b.list()
	if b.m.Maximize {
		b.m.turn()
		b.quadratic.turn()
	}
	if a, ok := b.m.A.(*Sparse); ok && !b.fits(a.fullBytes()) {
		return fmt.Sprintf(tooLarge, b.maxBytes)
	}
	if err := b.m.Validate(); err != nil {
		return strings.TrimPrefix(err.Error(), "simplex: ")
	}
	return ""
}
