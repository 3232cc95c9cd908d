package lpfile

import (
	"math"
	"strings"
)

// row reads a line of ROWS.
func (p *mpsReader) row(f []string) {
	if len(f) != 2 {
		x := p.fixed()
		if len(x) != 2 || x[0] == "" {
			p.misfit(f, "a row's type and name")
			return
		}
		f, p.columnar = x, true
	}
	kind := strings.ToUpper(f[0])
	if len(kind) != 1 || !strings.Contains("NLGE", kind) {
		p.fail("row type %q, want N, L, G or E", f[0])
		return
	}
	name := strings.Clone(f[1]) // not a part of the line, which may be long
	if p.hasRow(name) {
		p.fail("row %q appears twice", name)
	}
	if kind == "N" && p.objective.kind == 0 {
		p.objective.kind, p.m.ObjName = 'N', name
		p.rows[name] = objectiveRow
		return
	}
	p.take(lineBytes + len(name))
	p.addRow(name, 0, 0)
	p.kinds = append(p.kinds, mpsRow{kind: kind[0]})
}

// entries reads "column row value [row value]".
func (p *mpsReader) entries(f []string) {
	if len(f) >= 3 && strings.EqualFold(strings.Trim(f[1], "'"), "MARKER") {
		switch name := strings.ToUpper(strings.Trim(f[2], "'")); name {
		case "INTORG", "INTEND":
			p.integer = name == "INTORG"
		default:
			p.fail("marker %s, want 'INTORG' or 'INTEND'", f[2])
		}
		return
	}
	if len(f) == 3 && !p.columnar { // most lines
		if i, v, ok := p.pair(f[1], f[2]); ok {
			p.startColumn(f[0])
			p.put(i, v)
			return
		}
	}
	f = p.blanks(f, 1)
	if len(f) != 3 && len(f) != 5 {
		p.misfit(f, "a column's name and one or two pairs of row and value")
		return
	}
	p.startColumn(f[0])
	for ; len(f) >= 3; f = f[2:] {
		i, v := p.knownRow(f[1]), p.number(f[2])
		p.put(i, v)
	}
}

func (p *mpsReader) startColumn(name string) {
	if p.column >= 0 && p.m.ColNames[p.column] == name {
		return
	}
	if p.hasColumn(name) {
		p.fail("column %q appears twice, its entries are not together", name)
	}
	p.flush()
	p.column = p.newColumn(name)
	if p.integer {
		p.marks[p.column] = isInteger | isUnit
		p.m.Up[p.column] = 1
	}
}

// newColumn adds one with bounds 0 and +∞.
func (p *mpsReader) newColumn(name string) int {
	p.take(lineBytes + len(name))
	p.marks = append(p.marks, 0)
	return p.addColumn(strings.Clone(name), 0, 0, inf)
}

// lateColumn returns the number of a column that a section after COLUMNS names, a new one if there is none.
func (p *mpsReader) lateColumn(name string) int {
	j, known := p.cols[name]
	if known {
		return j
	}
	p.warn(p.line, "column %q is not in COLUMNS: it has no entries", name)
	p.a.Append(nil, nil)
	return p.newColumn(name)
}

// flush ends the column whose entries were being gathered.
func (p *mpsReader) flush() {
	if p.column >= 0 {
		p.a.Append(p.index, p.value)
		p.index, p.value, p.column = p.index[:0], p.value[:0], -1
	}
}

// put adds an entry to the column that is being read.
func (p *mpsReader) put(i int, v float64) {
	if p.err != nil {
		return
	}
	pos := i + 1
	if i == objectiveRow {
		pos = 0
	}
	for len(p.last) <= pos {
		p.last = append(p.last, 0)
	}
	if p.last[pos] == p.column+1 {
		p.warn(p.line, "column %q has a second entry in row %q, which is ignored", p.m.ColNames[p.column], p.rowName(i))
		return
	}
	p.take(entryBytes)
	p.last[pos] = p.column + 1
	switch {
	case i == objectiveRow:
		p.m.C[p.column] = v
	case v != 0:
		p.index = append(p.index, int32(i))
		p.value = append(p.value, v)
	}
}

// rowName is the name of a row or the objective.
func (p *mpsReader) rowName(i int) string {
	if i == objectiveRow {
		return p.m.ObjName
	}
	return p.m.RowNames[i]
}

// counts reports whether what a line of RHS, RANGES or BOUNDS says counts: it names no set or the section's first.
func (p *mpsReader) counts(set string) bool {
	first := p.sets[p.section]
	switch {
	case set == "" || set == first:
		return true
	case first == "":
		p.sets[p.section] = strings.Clone(set)
		return true
	}
	p.warn(p.line, "set %q of "+p.section+" is ignored, the first one, %q, counts", set, first)
	return false
}

// vector reads "[set] row value [row value]" of RHS and RANGES.
func (p *mpsReader) vector(f []string) {
	f = p.blanks(f, len(f)%2)
	if len(f) < 2 || len(f) > 5 {
		p.misfit(f, "one or two pairs of row and value")
		return
	}
	if len(f)%2 == 1 {
		if !p.counts(f[0]) {
			return
		}
		f = f[1:]
	}
	for ; len(f) >= 2; f = f[2:] {
		i, v := p.knownRow(f[0]), p.number(f[1])
		if p.err != nil {
			return
		}
		row := &p.objective
		if i != objectiveRow {
			row = &p.kinds[i]
		}
		switch {
		case p.section == "RHS" && row.hasRHS, p.section == "RANGES" && row.hasRange:
			p.warn(p.line, "row %q is in "+p.section+" twice, the first value counts", f[0])
		case p.section == "RHS" && i == objectiveRow && math.IsInf(v, 0):
			p.fail("the objective's constant %q is not finite", f[1])
		case p.section == "RHS":
			row.rhs, row.hasRHS = v, true
		case row.kind == 'N':
			p.warn(p.line, "the range of the free row %q is ignored", f[0])
		default:
			row.width, row.hasRange = v, true
		}
	}
}

// boundKinds are the types of bounds, and what they set.
var boundKinds = map[string]mpsMark{"LO": hasLower, "LI": hasLower | isInteger, "UP": hasUpper, "UI": hasUpper | isInteger,
	"FX": hasLower | hasUpper, "FR": hasLower | hasUpper, "MI": hasLower, "PL": hasUpper,
	"BV": hasLower | hasUpper | isInteger}

// bound reads "type [set] column [value]".
func (p *mpsReader) bound(f []string) {
	kind := strings.ToUpper(f[0])
	sets, known := boundKinds[kind]
	if !known {
		p.fail("bound type %q, want LO, UP, FX, FR, MI, PL, BV, LI or UI", f[0])
		return
	}
	alone := kind == "FR" || kind == "MI" || kind == "PL" || kind == "BV"
	f = p.boundFields(f, alone)
	if len(f) != 4 {
		p.misfit(f, "a type, a set, a column and a value, of bounds "+kind)
		return
	}
	if !p.counts(f[1]) {
		return
	}
	v := 0.0
	if !alone {
		v = infinite(p.number(f[3]))
		if sets&hasLower != 0 && v == inf || sets&hasUpper != 0 && v == -inf {
			p.fail("bound %s %v, which no number meets", kind, v)
		}
	}
	p.setBound(kind, sets, p.lateColumn(f[2]), v)
}

// boundFields returns type, set, column and value of a bound, which has a value that says nothing if it is to stand
// alone.
func (p *mpsReader) boundFields(f []string, alone bool) []string {
	named := func(f []string) bool { return len(f) == 4 && p.hasColumn(f[2]) }
	var free []string
	switch {
	case !alone && len(f) == 3, alone && len(f) == 2: // no set
		free = append([]string{f[0], ""}, f[1:]...)
	case alone && len(f) == 3 && !p.hasColumn(f[2]) && p.hasColumn(f[1]):
		free = []string{f[0], "", f[1], ""}
	default:
		free = f
	}
	if alone && len(free) == 3 {
		free = append(free, "")
	}
	if named(free) && !p.columnar {
		return free
	}
	x := p.fixed()
	if alone && len(x) == 3 {
		x = append(x, "")
	}
	if named(x) {
		p.columnar = true
		return x
	}
	return free
}

// setBound gives column j a bound of a type, which sets what boundKinds says.
func (p *mpsReader) setBound(kind string, sets mpsMark, j int, v float64) {
	lo, up, mark := &p.m.Lo[j], &p.m.Up[j], &p.marks[j]
	if sets&hasUpper != 0 {
		*mark &^= isUnit
	} else if *mark&isUnit != 0 {
		*up = inf
	}
	before := [2]float64{*lo, *up}
	switch kind {
	case "LO", "LI":
		*lo = v
	case "UP", "UI":
		*up = v
		if v < 0 && *mark&hasLower == 0 {
			p.negative = append(p.negative, columnLine{j, p.line})
		}
	case "FX":
		*lo, *up = v, v
	case "FR":
		*lo, *up = -inf, inf
	case "MI":
		*lo = -inf
	case "PL":
		*up = inf
	case "BV":
		*lo, *up = 0, 1
	}
	if sets&*mark&hasLower != 0 && before[0] != *lo || sets&*mark&hasUpper != 0 && before[1] != *up {
		p.warn(p.line, "column %q has this bound twice, the last one counts", p.m.ColNames[j])
	}
	*mark |= sets
}

// settleBounds ends what only the whole file says of the columns.
func (p *mpsReader) settleBounds() {
	for _, negative := range p.negative {
		if p.marks[negative.column]&hasLower == 0 {
			p.m.Lo[negative.column] = -inf
			p.warn(negative.line, "column %q has a negative upper bound and no lower one: that is -infinity, as for CPLEX and "+
				"Gurobi; HiGHS, GLPK and SCIP take 0", p.m.ColNames[negative.column])
		}
	}
	for j, mark := range p.marks {
		if mark&isUnit != 0 && mark&hasLower != 0 {
			p.warn(0, "integer column %q has a lower bound and no upper one, which is infinite; GLPK takes 1", p.m.ColNames[j])
		}
		if mark&isInteger != 0 {
			p.integers++
		}
	}
	if p.glpk && p.objective.rhs != 0 {
		p.warn(0, "the objective's constant is %v, minus its right-hand side; GLPK, which wrote the file, means %v",
			-p.objective.rhs, p.objective.rhs)
	}
	p.m.Offset = -p.objective.rhs
}
