package simplex

import "math"

// label reads a name before a colon, if there is one.
func (p *lpReader) label() (name string, err error) {
	if p.now.kind != lpName || p.then.text != ":" {
		return "", nil
	}
	name = p.now.text
	if err = p.advance(); err != nil {
		return "", err
	}
	return name, p.advance()
}

// signs reads + and −, as many as there are; found says whether there are any.
func (p *lpReader) signs() (sign float64, found bool, err error) {
	for sign = 1; p.now.kind == lpSymbol && p.now.text != ":"; found = true {
		if p.now.text == "-" {
			sign = -sign
		}
		if err = p.advance(); err != nil {
			return 0, false, err
		}
	}
	return sign, found, nil
}

// side is a sum of terms: how many of them have columns, how many none, and the sum of these.
type side struct {
	columns, constants int
	constant           float64
}

// sum reads terms until the next one has no sign, and adds those with a column by add.
func (p *lpReader) sum(add func(col int, v float64) error) (s side, err error) {
	for {
		sign, signed, err := p.signs()
		if err != nil {
			return s, err
		}
		begins := p.now.kind == lpNumber || p.now.kind == lpName && p.then.text != ":"
		switch {
		case !begins && signed:
			return s, p.unexpected("a number or a column after the sign")
		case !begins || !signed && s.columns+s.constants > 0:
			return s, nil
		}
		if err := p.term(sign, &s, add); err != nil {
			return s, err
		}
	}
}

// term reads a number, a column, or a number and a column.
func (p *lpReader) term(v float64, s *side, add func(col int, v float64) error) error {
	if p.now.kind == lpNumber {
		at := p.now
		v *= at.value
		if err := p.advance(); err != nil {
			return err
		}
		if p.now.kind != lpName || p.then.text == ":" {
			s.constants++
			s.constant += v
			return nil
		}
		if math.IsInf(v, 0) {
			return at.fail("the coefficient of %q is not finite", p.now.text)
		}
	}
	j, err := p.col()
	if err != nil {
		return err
	}
	s.columns++
	if err := add(j, v); err != nil {
		return err
	}
	return p.advance()
}

// col returns the number of the column that the present token names, a new one if it is the first time.
func (p *lpReader) col() (int, error) {
	name := p.now.text
	if j, ok := p.cols[name]; ok {
		return j, nil
	}
	if err := p.take(lineBytes + len(name)); err != nil {
		return 0, err
	}
	m, j := &p.m, len(p.cols)
	p.cols[name] = j
	p.last = append(p.last, -1)
	m.ColNames = append(m.ColNames, name)
	m.C = append(m.C, 0)
	m.Lo = append(m.Lo, 0)
	m.Up = append(m.Up, inf)
	return j, nil
}

// objective reads what follows minimize or maximize.
func (p *lpReader) objective() (err error) {
	if p.m.ObjName, err = p.label(); err != nil {
		return err
	}
	p.rows[p.m.ObjName] = p.m.ObjName != ""
	at := p.now
	s, err := p.sum(func(j int, v float64) error {
		p.m.C[j] += v
		return p.finite(p.m.C[j])
	})
	if err != nil {
		return err
	}
	if p.m.Offset = s.constant; math.IsNaN(s.constant) || math.IsInf(s.constant, 0) {
		return at.fail("the objective's constant is not finite")
	}
	if p.now.kind != lpKeyword || p.now.text != "subject to" {
		return p.unexpected("subject to, or + or - and a term of the objective")
	}
	return nil
}

// row reads one: terms, sense and value, or value, sense and terms, or a range.
func (p *lpReader) row() error {
	at := p.now
	name, err := p.label()
	if err != nil {
		return err
	}
	if err = p.begin(at, name); err != nil {
		return err
	}
	left, err := p.sum(p.entry)
	if err != nil {
		return err
	}
	if p.now.kind != lpSense {
		return p.unexpected("<=, >= or =, or + or - and a term")
	}
	sense := p.now.text
	if err = p.advance(); err != nil {
		return err
	}
	if left.columns > 0 || left.constants == 0 {
		return p.limitBy(&at, sense, left.constant)
	}
	right, err := p.sum(p.entry)
	if err != nil {
		return err
	}
	if right.columns+right.constants == 0 {
		return p.unexpected("a number or a term")
	}
	if err = p.limit(&at, turned(sense), left.constant-right.constant); err != nil || p.now.kind != lpSense {
		return err
	}
	if p.now.text != sense || sense == "=" {
		return p.now.fail("found %q, want the range's other %q", p.now.text, sense)
	}
	if err = p.advance(); err != nil {
		return err
	}
	return p.limitBy(&at, sense, right.constant)
}

// limitBy reads the value behind a sense and limits the last row by it, less the constant of the row's terms.
func (p *lpReader) limitBy(at *lpToken, sense string, constant float64) error {
	value, err := p.signedNumber()
	if err != nil {
		return err
	}
	return p.limit(at, sense, value-constant)
}

// begin starts a row that holds for all values until it is limited.
func (p *lpReader) begin(at lpToken, name string) error {
	if p.rows[name] {
		return at.fail("row %q appears twice", name)
	}
	if err := p.take(lineBytes + len(name)); err != nil {
		return err
	}
	if name != "" {
		p.rows[name] = true
	}
	m := &p.m
	p.start = append(p.start, len(p.index))
	m.RowNames = append(m.RowNames, name)
	m.RowLo = append(m.RowLo, -inf)
	m.RowUp = append(m.RowUp, inf)
	return nil
}

// entry adds a term to the last row.
func (p *lpReader) entry(j int, v float64) error {
	if e := p.last[j]; e >= p.start[len(p.start)-1] {
		p.value[e] += v
		return p.finite(p.value[e])
	}
	p.last[j] = len(p.index)
	p.index = append(p.index, int32(j))
	p.value = append(p.value, v)
	return p.take(entryBytes)
}

// finite refuses the coefficient of the column that the present token names if it is not.
func (p *lpReader) finite(v float64) error {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return p.now.fail("the coefficient of %q is not finite", p.now.text)
	}
	return nil
}

// limit gives the last row the bound that a sense and its value mean.
func (p *lpReader) limit(at *lpToken, sense string, v float64) error {
	m, i := &p.m, len(p.m.RowLo)-1
	v = infinite(v)
	if sense != "<" {
		m.RowLo[i] = v
	}
	if sense != ">" {
		m.RowUp[i] = v
	}
	if !validBounds(m.RowLo[i], m.RowUp[i]) {
		return at.fail("no number is within the row's bounds [%v, %v]", m.RowLo[i], m.RowUp[i])
	}
	return nil
}

// signedNumber reads a number with its signs.
func (p *lpReader) signedNumber() (float64, error) {
	sign, _, err := p.signs()
	if err != nil {
		return 0, err
	}
	if p.now.kind != lpNumber {
		return 0, p.unexpected("a number")
	}
	v := sign * p.now.value
	return v, p.advance()
}

// turned is the sense as it is read from the right.
func turned(sense string) string {
	switch sense {
	case "<":
		return ">"
	case ">":
		return "<"
	}
	return sense
}
