package simplex

import "strings"

// builder is a model under construction, and the numbers that its names stand for.
type builder struct {
	m          Model
	cols, rows map[string]int // objectiveRow is the row of the objective

	held, maxBytes int64 // memory of the rows, columns and entries, and its limit
}

const objectiveRow = -2

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
	if b.m.Maximize {
		b.m.turn()
	}
	if err := b.m.Validate(); err != nil {
		return strings.TrimPrefix(err.Error(), "simplex: ")
	}
	return ""
}
