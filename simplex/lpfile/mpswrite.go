package lpfile

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/simplex/prove"
)

// WriteMPS writes m in free MPS format, every number so that it reads back to the same float64. Missing names are C1,
// C2, … and R1, R2, …; blanks in names become underscores. A missing objective is COST, or COST_, COST__, … where a
// row has that name. A range whose length rounds may move its upper end by one ulp.
// Q stands in a section QUADOBJ.
func (m *Model) WriteMPS(w io.Writer) error {
	if err := m.Validate(); err != nil {
		return err
	}
	p := newWriter(w, m)
	for i, lo := range p.lp.RowLo {
		if lo > p.lp.RowUp[i] {
			return invalid("row %q: MPS has no bounds that cross, [%v, %v]", p.rows[i], lo, p.lp.RowUp[i])
		}
	}
	p.kinds()
	p.columns()
	p.vectors()
	p.bounds()
	if m.Q != nil {
		if err := p.quadratic(); err != nil {
			return err
		}
	}
	fmt.Fprintln(p, "ENDATA")
	return p.Flush()
}

func newWriter(w io.Writer, m *Model) *mpsWriter {
	p := &mpsWriter{Writer: bufio.NewWriter(w), m: m, lp: filled(m.LP), sign: m.sign()}
	p.rows, p.cols = prove.Names(m.RowNames, len(p.lp.RowLo), "R"), prove.Names(m.ColNames, len(p.lp.Lo), "C")
	p.obj = p.objective()
	return p
}

// filled returns lp with every nil vector replaced by its default, and bounds from 1e20 on by infinite ones.
func filled(lp simplex.LP) simplex.LP {
	m, n := lp.A.Dims()
	fill := func(v []float64, count int, otherwise float64) []float64 {
		if v == nil {
			return slices.Repeat([]float64{otherwise}, count)
		}
		v = slices.Clone(v)
		for i, e := range v {
			v[i] = infinite(e)
		}
		return v
	}
	if lp.C == nil {
		lp.C = make([]float64, n)
	}
	lp.Lo, lp.Up = fill(lp.Lo, n, 0), fill(lp.Up, n, inf)
	lp.RowLo, lp.RowUp = fill(lp.RowLo, m, -inf), fill(lp.RowUp, m, inf)
	return lp
}

type mpsWriter struct {
	*bufio.Writer
	m          *Model
	lp         simplex.LP
	sign       float64
	rows, cols []string
	obj        string // name of the objective
}

// objective is the name of the objective: its own, or one that no row has.
func (p *mpsWriter) objective() string {
	if p.m.ObjName != "" {
		return prove.Word(p.m.ObjName)
	}
	name := "COST"
	for slices.Contains(p.rows, name) {
		name += "_"
	}
	return name
}

// format writes v so that it reads back to the same float64.
func format(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// encode returns the row type, right-hand side and range of [lo, up]; 0 is no range.
func encode(lo, up float64) (kind byte, rhs, r float64) {
	noLo, noUp := math.IsInf(lo, -1), math.IsInf(up, 1)
	switch {
	case noLo && noUp:
		return 'N', 0, 0
	case noLo:
		return 'L', up, 0
	case noUp:
		return 'G', lo, 0
	case lo == up:
		return 'E', lo, 0
	}
	for _, r := range []float64{up - lo, math.Nextafter(up-lo, 0), math.Nextafter(up-lo, math.Inf(1))} {
		switch {
		case up-r == lo:
			return 'L', up, r
		case lo+r == up:
			return 'G', lo, r
		}
	}
	return 'G', lo, up - lo
}

func (p *mpsWriter) kinds() {
	fmt.Fprintf(p, "NAME          %s\n", prove.Word(p.m.Name))
	if p.m.Maximize {
		fmt.Fprintln(p, "OBJSENSE\n    MAX")
	}
	fmt.Fprintf(p, "ROWS\n N  %s\n", p.obj)
	for i := range p.lp.RowLo {
		kind, _, _ := encode(p.lp.RowLo[i], p.lp.RowUp[i])
		fmt.Fprintf(p, " %c  %s\n", kind, p.rows[i])
	}
}

func (p *mpsWriter) columns() {
	fmt.Fprintln(p, "COLUMNS")
	m, n := p.lp.A.Dims()
	col := make([]float64, m)
	for j := range n {
		name := p.cols[j]
		p.lp.A.Column(col, j)
		empty := true
		if c := p.lp.C[j]; c != 0 {
			p.entry(name, p.obj, p.sign*c)
			empty = false
		}
		for i, v := range col {
			if v != 0 {
				p.entry(name, p.rows[i], v)
				empty = false
			}
		}
		if empty {
			p.entry(name, p.obj, 0)
		}
	}
}

// quadratic writes the lower triangle of Q.
func (p *mpsWriter) quadratic() error {
	n := len(p.cols)
	if rows, cols := p.m.Q.Dims(); rows != n || cols != n {
		return invalid("Q is %d×%d for %d columns", rows, cols, n)
	}
	fmt.Fprintln(p, "QUADOBJ")
	q := simplex.NewSparse(p.m.Q)
	across := q.Transpose()
	for j, name := range p.cols {
		index, value := q.Entries(j)
		rows, values := across.Entries(j)
		if !slices.Equal(index, rows) || !slices.EqualFunc(value, values, nearlyEqual) {
			return invalid("Q is not symmetric, in the row and the column of %q", name)
		}
		for t, i := range index {
			if int(i) >= j {
				p.entry(name, p.cols[i], p.sign*value[t])
			}
		}
	}
	return nil
}

// nearlyEqual reports whether entries across the diagonal are the same but for rounding.
func nearlyEqual(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(math.Abs(a), math.Abs(b)) }

// entry writes a pair on a line of its own. Fields start where the fixed format
// wants them as long as names have at most eight letters: some readers count columns.
func (p *mpsWriter) entry(set, name string, v float64) {
	p.WriteString("    ")
	p.field(set)
	p.field(name)
	p.WriteString(format(v))
	p.WriteByte('\n')
}

func (p *mpsWriter) field(s string) {
	p.WriteString(s)
	p.WriteString("          "[min(len(s), 8):])
}

// bound writes a line of BOUNDS; value is empty for types that have none.
func (p *mpsWriter) bound(kind, name, value string) {
	fmt.Fprintf(p, " %s BND       %-8s  %s\n", kind, name, value)
}

func (p *mpsWriter) vectors() {
	fmt.Fprintln(p, "RHS")
	if p.lp.Offset != 0 {
		p.entry("RHS", p.obj, -p.sign*p.lp.Offset)
	}
	for i := range p.lp.RowLo {
		if _, rhs, _ := encode(p.lp.RowLo[i], p.lp.RowUp[i]); rhs != 0 {
			p.entry("RHS", p.rows[i], rhs)
		}
	}
	fmt.Fprintln(p, "RANGES")
	for i := range p.lp.RowLo {
		if _, _, r := encode(p.lp.RowLo[i], p.lp.RowUp[i]); r != 0 {
			p.entry("RNG", p.rows[i], r)
		}
	}
}

func (p *mpsWriter) bounds() {
	fmt.Fprintln(p, "BOUNDS")
	for j := range p.lp.Lo {
		lo, up, name := p.lp.Lo[j], p.lp.Up[j], p.cols[j]
		noLo, noUp := math.IsInf(lo, -1), math.IsInf(up, 1)
		switch {
		case noLo && noUp:
			p.bound("FR", name, "")
			continue
		case lo == up:
			p.bound("FX", name, format(lo))
			continue
		case noLo:
			p.bound("MI", name, "")
		case lo != 0 || up < 0:
			p.bound("LO", name, format(lo))
		}
		if !noUp {
			p.bound("UP", name, format(up))
		}
	}
}
