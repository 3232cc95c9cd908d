package simplex

import (
	"maps"
	"math"
	"slices"
)

// Problem builds a linear program by names: first its columns, then its rows. The
// zero value is an empty problem that minimises. [Problem.Model] returns the first mistake made on the way.
type Problem struct {
	Name     string
	Maximize bool    // the costs are gains
	Offset   float64 // constant term of the objective

	builder
	byRow    Sparse // the matrix: its columns are the rows
	mistaken error
}

// Terms are the coefficients of a row by the names of its columns. A coefficient of 0 is left out.
type Terms map[string]float64

// Column adds a column with its cost (a gain if the problem maximises) and bounds lo ≤ x ≤ up, infinite from 1e20 on.
func (p *Problem) Column(name string, cost, lo, up float64) {
	p.begin()
	switch {
	case name == "":
		p.mistake("column %d has no name", len(p.cols)+1)
	case p.hasColumn(name):
		p.mistake("there are two columns %q", name)
	case math.IsNaN(cost) || math.IsInf(cost, 0):
		p.mistake("cost of column %q is %v", name, cost)
	case !validBounds(lo, up):
		p.mistake("bounds of column %q are [%v, %v]", name, lo, up)
	}
	p.addColumn(name, cost, infinite(lo), infinite(up))
}

// Row adds the row lo ≤ Σ terms ≤ up, whose bounds may be equal, or infinite from 1e20 on. Its columns must exist
// already.
func (p *Problem) Row(name string, lo, up float64, terms Terms) {
	p.begin()
	switch {
	case name == "":
		p.mistake("row %d has no name", len(p.rows)+1)
	case p.hasRow(name):
		p.mistake("there are two rows %q", name)
	case !validBounds(lo, up):
		p.mistake("bounds of row %q are [%v, %v]", name, lo, up)
	}
	var index []int32
	var value []float64
	for _, col := range slices.Sorted(maps.Keys(terms)) { // so that the same mistake is always the first
		j, known := p.cols[col]
		v := terms[col]
		switch {
		case !known:
			p.mistake("row %q: there is no column %q", name, col)
		case math.IsNaN(v) || math.IsInf(v, 0):
			p.mistake("row %q: coefficient of %q is %v", name, col, v)
		case v != 0:
			index = append(index, int32(j))
			value = append(value, v)
		}
	}
	p.byRow.Append(index, value)
	p.addRow(name, infinite(lo), infinite(up))
}

// begin makes a zero Problem ready for names.
func (p *Problem) begin() {
	if p.cols == nil {
		p.builder = newBuilder(0)
	}
}

// validBounds reports whether bounds are numbers, and none of them alone keeps all numbers out.
func validBounds(lo, up float64) bool { return lo < endless && up > -endless }

func (p *Problem) mistake(format string, args ...any) {
	if p.mistaken == nil {
		p.mistaken = invalid(format, args...)
	}
}

// Model returns the program with its names, as [ReadMPS] would, or the first mistake ([ErrInvalid]). The
// problem can grow afterwards without changing the model.
func (p *Problem) Model() (*Model, error) {
	if math.IsNaN(p.Offset) || math.IsInf(p.Offset, 0) {
		p.mistake("the objective's constant is %v", p.Offset)
	}
	if p.mistaken != nil {
		return nil, p.mistaken
	}
	from := &p.m
	m := &Model{Name: p.Name, Maximize: p.Maximize, RowNames: slices.Clone(from.RowNames), ColNames: slices.Clone(from.ColNames)}
	m.LP = LP{C: copied(from.C), Lo: copied(from.Lo), Up: copied(from.Up), RowLo: copied(from.RowLo), RowUp: copied(from.RowUp),
		A: transposed(len(m.ColNames), len(m.RowNames), p.byRow.Entries), Offset: p.Offset}
	if m.Maximize {
		m.turn()
	}
	return m, nil
}

// copied returns a copy of v that is not nil, which would stand for a default.
func copied(v []float64) []float64 { return append([]float64{}, v...) }

// turn changes the signs of the objective: a program that maximises is held as one that minimises.
func (m *Model) turn() {
	for j := range m.C {
		m.C[j] = -m.C[j]
	}
	m.Offset = -m.Offset
}
