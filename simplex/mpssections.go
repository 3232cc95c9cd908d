package simplex

import "strings"

// row reads a line of ROWS.
func (p *mpsReader) row(f []string) error {
	if len(f) != 2 {
		if x := p.fixed(); len(x) == 2 && x[0] != "" {
			f = x
		} else {
			return p.fail("%d fields, want a row's type and name", len(f))
		}
	}
	kind := strings.ToUpper(f[0])
	if len(kind) != 1 || !strings.Contains("NLGE", kind) {
		return p.fail("row type %q, want N, L, G or E", f[0])
	}
	name := strings.Clone(f[1]) // not a part of the line, which may be long
	if p.hasRow(name) {
		return p.fail("row %q appears twice", name)
	}
	if kind == "N" && p.objective < 0 {
		p.objective, p.m.ObjName = p.line, name
		p.rows[name] = objectiveRow
		return nil
	}
	if err := p.take(lineBytes + len(name)); err != nil {
		return err
	}
	p.addRow(name, 0, 0)
	p.kinds = append(p.kinds, mpsRow{kind: kind[0]})
	return nil
}

// entries reads "column row value [row value]".
func (p *mpsReader) entries(f []string) error {
	if len(f) >= 3 && strings.EqualFold(strings.Trim(f[1], "'"), "MARKER") {
		p.m.Relaxed = true // INTORG and INTEND
		return nil
	}
	if len(f) == 3 { // most lines
		if i, v, ok := p.pair(f[1], f[2]); ok {
			if err := p.startColumn(f[0]); err != nil {
				return err
			}
			return p.put(i, v)
		}
	}
	f = p.blanks(f, 1)
	if len(f) != 3 && len(f) != 5 {
		return p.fail("%d fields, want a column's name and one or two pairs of row and value", len(f))
	}
	if err := p.startColumn(f[0]); err != nil {
		return err
	}
	for ; len(f) >= 3; f = f[2:] {
		if err := p.entry(f[1], f[2]); err != nil {
			return err
		}
	}
	return nil
}

func (p *mpsReader) startColumn(name string) error {
	if p.column >= 0 && p.m.ColNames[p.column] == name {
		return nil
	}
	if p.hasColumn(name) {
		return p.fail("column %q appears twice, its entries are not together", name)
	}
	if err := p.take(lineBytes + len(name)); err != nil {
		return err
	}
	p.flush()
	p.column = p.addColumn(strings.Clone(name), 0, 0, inf)
	p.hasLower = append(p.hasLower, false)
	return nil
}

// flush ends the column whose entries were being gathered.
func (p *mpsReader) flush() {
	if p.column >= 0 {
		p.a.Append(p.index, p.value)
		p.index, p.value, p.column = p.index[:0], p.value[:0], -1
	}
}

func (p *mpsReader) entry(row, value string) error {
	i, ok := p.rowOf(row)
	if !ok {
		return p.fail("unknown row %q", row)
	}
	v, err := p.number(value)
	if err != nil {
		return err
	}
	return p.put(i, v)
}

// put adds an entry to the column that is being read.
func (p *mpsReader) put(i int, v float64) error {
	at := i + 1
	if i == objectiveRow {
		at = 0
	}
	for len(p.last) <= at {
		p.last = append(p.last, 0)
	}
	if p.last[at] == p.column+1 {
		name := p.m.ObjName
		if i != objectiveRow {
			name = p.m.RowNames[i]
		}
		return p.fail("column %q has two entries in row %q", p.m.ColNames[p.column], name)
	}
	if err := p.take(entryBytes); err != nil {
		return err
	}
	p.last[at] = p.column + 1
	switch {
	case i == objectiveRow:
		p.m.C[p.column] = v
	case v != 0:
		p.index = append(p.index, int32(i))
		p.value = append(p.value, v)
	}
	return nil
}

// vector reads "[set] row value [row value]" of RHS and RANGES.
func (p *mpsReader) vector(f []string) error {
	f = p.blanks(f, len(f)%2)
	if len(f) < 2 || len(f) > 5 {
		return p.fail("%d fields, want one or two pairs of row and value", len(f))
	}
	if len(f)%2 == 1 {
		f = f[1:]
	}
	for ; len(f) >= 2; f = f[2:] {
		i, ok := p.rowOf(f[0])
		if !ok {
			return p.fail("unknown row %q", f[0])
		}
		v, err := p.number(f[1])
		if err != nil {
			return err
		}
		switch {
		case p.section == "RHS" && i == objectiveRow:
			p.m.Offset = -v
		case p.section == "RHS":
			p.kinds[i].rhs = v
		case i == objectiveRow || p.kinds[i].kind == 'N':
			return p.fail("range for the free row %q", f[0])
		default:
			p.kinds[i].width, p.kinds[i].hasRange = v, true
		}
	}
	return nil
}

// bound reads "type [set] column [value]".
func (p *mpsReader) bound(f []string) error {
	kind := strings.ToUpper(f[0])
	want := 4
	switch kind {
	case "FR", "MI", "PL", "BV":
		want = 3
	case "LO", "UP", "FX", "LI", "UI":
	default:
		return p.fail("bound type %q, want LO, UP, FX, FR, MI, PL, BV, LI or UI", f[0])
	}
	if len(f) == want+1 && want == 3 {
		f = f[:3] // a value that means nothing
	}
	if len(f) == want-1 {
		f = append([]string{f[0], ""}, f[1:]...) // no set name
	}
	if x := p.fixed(); len(x) == want && (len(f) != want || !p.hasColumn(f[2])) && p.hasColumn(x[2]) {
		f = x
	}
	if len(f) != want {
		return p.fail("%d fields for a bound of type %s, want %d", len(f), kind, want)
	}
	j, ok := p.cols[f[2]]
	if !ok {
		return p.fail("unknown column %q", f[2])
	}
	var v float64
	if want == 4 {
		var err error
		if v, err = p.number(f[3]); err != nil {
			return err
		}
	}
	return p.setBound(kind, j, v)
}

func (p *mpsReader) setBound(kind string, j int, v float64) error {
	lo, up := &p.m.Lo[j], &p.m.Up[j]
	p.m.Relaxed = p.m.Relaxed || kind == "LI" || kind == "UI" || kind == "BV"
	switch kind {
	case "LO", "LI":
		*lo, p.hasLower[j] = v, true
	case "UP", "UI":
		*up = v
		if v < 0 && !p.hasLower[j] {
			*lo = -inf
		}
	case "FX":
		*lo, *up, p.hasLower[j] = v, v, true
	case "FR":
		*lo, *up, p.hasLower[j] = -inf, inf, true
	case "MI":
		*lo, p.hasLower[j] = -inf, true
	case "PL":
		*up = inf
	case "BV":
		*lo, *up, p.hasLower[j] = 0, 1, true
	}
	return nil
}
