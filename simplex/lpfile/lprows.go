package lpfile

import (
	"math"
	"strings"
)

// label reads a name before a colon, if there is one.
func (p *lpReader) label() (name string) {
	if (p.now.kind == lpName || p.now.kind == lpNumber) && p.then.text == ":" {
		name = p.now.text
		p.advance()
		p.advance()
	}
	return name
}

// signs reads + and −, as many as there are; found says whether there are any.
func (p *lpReader) signs() (sign float64, found bool) {
	for sign = 1; p.now.kind == lpSymbol && p.now.text != ":"; found = true {
		if p.now.text == "-" {
			sign = -sign
		}
		p.advance()
	}
	return sign, found
}

// side is a sum of terms: how many of them have columns, how many none, and the sum of these.
type side struct {
	columns, constants int
	constant           float64
}

// sum reads terms until the next one has no sign, and adds those with a column by add.
func (p *lpReader) sum(add func(col int, v float64)) (s side) {
	for {
		sign, signed := p.signs()
		if p.now.kind == lpOperator && p.now.text == "[" {
			if !signed && s.columns+s.constants > 0 {
				return s // a factor of brackets, which the format does not have
			}
			p.brackets(sign)
			s.columns++
			continue
		}
		begins := p.now.kind == lpNumber || p.now.kind == lpName && p.then.text != ":"
		switch {
		case !begins && signed:
			p.unexpected("a number or a column after the sign")
			return s
		case !begins || !signed && s.columns+s.constants > 0:
			return s
		}
		p.term(sign, &s, add)
	}
}

// term reads a number, a column, or a number and a column.
func (p *lpReader) term(v float64, s *side, add func(col int, v float64)) {
	if p.now.kind == lpNumber {
		first := p.now
		v *= first.value
		p.advance()
		if p.now.kind != lpName || p.then.text == ":" {
			s.constants++
			s.constant += v
			return
		}
		if math.IsInf(v, 0) {
			p.fail(first, "the coefficient of %q is not finite", p.now.text)
		}
	}
	s.columns++
	add(p.col(), v)
	p.advance()
}

// col returns the number of the column that the present token names, a new one if it is the first time.
func (p *lpReader) col() int {
	name := p.now.text
	if j, ok := p.cols[name]; ok {
		return j
	}
	p.take(lineBytes + len(name))
	p.last = append(p.last, 0)
	return p.addColumn(name, 0, 0, inf)
}

// objective reads what follows minimize or maximize.
func (p *lpReader) objective() {
	p.inObjective = true
	defer func() { p.inObjective = false }()
	if p.m.ObjName = p.label(); p.m.ObjName != "" {
		p.rows[p.m.ObjName] = objectiveRow
	}
	first := p.now
	s := p.sum(func(j int, v float64) {
		p.m.C[j] += v
		p.finite(p.m.C[j])
	})
	if p.m.Offset = s.constant; math.IsNaN(s.constant) || math.IsInf(s.constant, 0) {
		p.fail(first, "the objective's constant is not finite")
	}
	if p.now.kind != lpKeyword {
		p.unexpected("subject to, or + or - and a term of the objective")
	}
}

// row reads one: terms, sense and value, or value, sense and terms, or a range.
func (p *lpReader) row() {
	first := p.now
	p.begin(first, p.label())
	left := p.sum(p.entry)
	sense := p.sense("<=, >= or =, or + or - and a term")
	if left.columns > 0 || left.constants == 0 {
		p.limit(first, sense, p.signedNumber()-left.constant)
		return
	}
	right := p.sum(p.entry)
	if right.columns+right.constants == 0 {
		p.unexpected("a number or a term")
	}
	if p.limit(first, turned(sense), left.constant-right.constant); p.now.kind != lpSense {
		return
	}
	if p.now.text != sense || sense == "=" {
		p.fail(p.now, "found %q, want the range's other %q", p.now.text, sense)
	}
	p.advance()
	p.limit(first, sense, p.signedNumber()-right.constant)
}

// begin starts a row that holds for all values until it is limited.
func (p *lpReader) begin(first lpToken, name string) {
	if p.hasRow(name) {
		p.fail(first, "row %q appears twice", name)
	}
	p.take(lineBytes + len(name))
	p.endRow()
	p.addRow(name, -inf, inf)
}

// endRow keeps the entries of the last row, but for those whose terms cancel.
func (p *lpReader) endRow() {
	if len(p.m.RowNames) == 0 {
		return
	}
	k := 0
	for e, v := range p.value {
		if v != 0 {
			p.index[k], p.value[k] = p.index[e], v
			k++
		}
	}
	p.byRow.Append(p.index[:k], p.value[:k])
	p.index, p.value = p.index[:0], p.value[:0]
}

// entry adds a term to the last row.
func (p *lpReader) entry(j int, v float64) {
	if e := p.last[j]; e < len(p.index) && p.index[e] == int32(j) {
		p.value[e] += v
		p.finite(p.value[e])
		return
	}
	p.last[j] = len(p.index)
	p.index = append(p.index, int32(j))
	p.value = append(p.value, v)
	p.take(entryBytes)
}

// finite refuses the coefficient of the column that the present token names if it is not.
func (p *lpReader) finite(v float64) {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		p.fail(p.now, "the coefficient of %q is not finite", p.now.text)
	}
}

// limit gives the last row the bound that a sense and its value mean.
func (p *lpReader) limit(first lpToken, sense string, v float64) {
	last := len(p.m.RowLo) - 1
	lo, up := &p.m.RowLo[last], &p.m.RowUp[last]
	if setBound(lo, up, sense, v); !validBounds(*lo, *up) {
		p.fail(first, "no number is within the row's bounds [%v, %v]", *lo, *up)
	}
}

// setBound gives the bounds lo and up what a sense and its value mean.
func setBound(lo, up *float64, sense string, v float64) {
	if v = infinite(v); sense != "<" {
		*lo = v
	}
	if sense != ">" {
		*up = v
	}
}

// signedNumber reads a number with its signs.
func (p *lpReader) signedNumber() float64 {
	sign, _ := p.signs()
	if p.now.kind != lpNumber {
		p.unexpected("a number")
	}
	v := sign * p.now.value
	p.advance()
	return v
}

// sense reads one; want says what may stand there.
func (p *lpReader) sense(want string) string {
	if p.now.kind != lpSense {
		p.unexpected(want)
	}
	sense := p.now.text
	p.advance()
	return sense
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

// bound reads a line of bounds: lo <= x <= up, either part of it, x = v, or x free. Bounds that cross may be refined by
// later ones, so that they are looked at when the file ends.
func (p *lpReader) bound() {
	first, before := p.now, ""
	if p.now.kind != lpName {
		value := p.signedNumber()
		before = p.sense("<=, >= or = after the value of a bound")
		if p.now.kind != lpName {
			p.unexpected("a column")
		}
		p.setBound(p.col(), first, turned(before), value)
	}
	j := p.col()
	p.advance()
	switch {
	case p.now.kind == lpSense && (before == "" || before == p.now.text && before != "="):
		sense := p.now.text
		p.advance()
		p.setBound(j, first, sense, p.signedNumber())
	case before != "" && p.now.kind != lpSense:
	case before == "" && p.now.kind == lpName && strings.EqualFold(p.now.text, "free"):
		p.m.Lo[j], p.m.Up[j] = -inf, inf
		p.advance()
	default:
		p.unexpected("<=, >=, = or free after the column")
	}
}

// setBound gives column j the bound that a sense and its value mean.
func (p *lpReader) setBound(j int, first lpToken, sense string, v float64) {
	p.bounded[j] = first
	setBound(&p.m.Lo[j], &p.m.Up[j], sense, v)
}
