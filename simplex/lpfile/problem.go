package lpfile

import (
	"maps"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/simplex"
)

// Problem builds a program by names: first its columns, then its rows and quadratic terms. The zero value is an empty
// problem that minimises. [Problem.Model] returns the first mistake made on the way.
type Problem struct {
	Name     string
	Maximize bool    // the costs are gains
	Offset   float64 // constant term of the objective

	builder
	byRow   simplex.Sparse // the matrix: its columns are the rows
	mistake error
}

// Terms are the coefficients of a row by the names of its columns. A coefficient of 0 is left out.
type Terms map[string]float64

// Column adds a column with its cost (a gain if the problem maximises) and bounds lo ≤ x ≤ up, infinite from 1e20 on.
func (p *Problem) Column(name string, cost, lo, up float64) {
	p.begin()
	switch {
	case name == "":
		p.fail("column %d has no name", len(p.cols)+1)
	case p.hasColumn(name):
		p.fail("there are two columns %q", name)
	case math.IsNaN(cost) || math.IsInf(cost, 0):
		p.fail("cost of column %q is %v", name, cost)
	case !validBounds(lo, up):
		p.fail("bounds of column %q are [%v, %v]", name, lo, up)
	}
	p.addColumn(name, cost, infinite(lo), infinite(up))
}

// Row adds the row lo ≤ Σ terms ≤ up, whose bounds may be equal, or infinite from 1e20 on. Its columns must exist
// already.
func (p *Problem) Row(name string, lo, up float64, terms Terms) {
	p.begin()
	switch {
	case name == "":
		p.fail("row %d has no name", len(p.rows)+1)
	case p.hasRow(name):
		p.fail("there are two rows %q", name)
	case !validBounds(lo, up):
		p.fail("bounds of row %q are [%v, %v]", name, lo, up)
	}
	var index []int32
	var value []float64
	for _, col := range slices.Sorted(maps.Keys(terms)) { // so that the same mistake is always the first
		j, known := p.cols[col]
		v := terms[col]
		switch {
		case !known:
			p.fail("row %q: there is no column %q", name, col)
		case math.IsNaN(v) || math.IsInf(v, 0):
			p.fail("row %q: coefficient of %q is %v", name, col, v)
		case v != 0:
			index = append(index, int32(j))
			value = append(value, v)
		}
	}
	p.byRow.Append(index, value)
	p.addRow(name, infinite(lo), infinite(up))
}

// Term adds factor·a·b to the objective, where a and b are columns, or one column twice.
func (p *Problem) Term(factor float64, a, b string) {
	p.begin()
	i, known := p.cols[a]
	j, alsoKnown := p.cols[b]
	switch {
	case !known:
		p.fail("quadratic term: there is no column %q", a)
	case !alsoKnown:
		p.fail("quadratic term: there is no column %q", b)
	case math.IsNaN(factor) || math.IsInf(factor, 0):
		p.fail("quadratic term of %q and %q: the factor is %v", a, b, factor)
	}
	p.quadratic.add(i, j, factor)
	p.quadratic.add(j, i, factor)
}

// begin makes a zero Problem ready for names.
func (p *Problem) begin() {
	if p.cols == nil {
		p.builder = newBuilder(math.MaxInt64)
		p.quadratic = &quadratic{entries: map[[2]int]float64{}}
	}
}

func (p *Problem) fail(format string, args ...any) {
	if p.mistake == nil {
		p.mistake = invalid(format, args...)
	}
}

// Model returns the program with its names, as [Read] would, or the first mistake. The problem can grow afterwards
// without changing the model.
func (p *Problem) Model() (*Model, error) {
	if math.IsNaN(p.Offset) || math.IsInf(p.Offset, 0) {
		p.fail("the objective's constant is %v", p.Offset)
	}
	if p.mistake != nil {
		return nil, p.mistake
	}
	p.begin()
	b, from := p.builder, &p.m
	b.m = Model{Name: p.Name, Maximize: p.Maximize, RowNames: slices.Clone(from.RowNames),
		ColNames: slices.Clone(from.ColNames)}
	b.m.LP = simplex.LP{C: copied(from.C), Lo: copied(from.Lo), Up: copied(from.Up), RowLo: copied(from.RowLo),
		RowUp: copied(from.RowUp), Offset: p.Offset}
	p.byRow.Rows = len(from.ColNames)
	if mistake := b.finish(p.byRow.Transpose()); mistake != "" {
		return nil, invalid("%s", mistake)
	}
	return &b.m, nil
}

// copied returns a copy of v that is not nil, which would stand for a default.
func copied(v []float64) []float64 { return append([]float64{}, v...) }
