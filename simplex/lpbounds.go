package simplex

import "strings"

// bound reads a line of bounds: lo <= x <= up, either part of it, x = v, or x free.
func (p *lpReader) bound() error {
	at, before := p.now, ""
	if p.now.kind != lpName {
		value, err := p.signedNumber()
		if err != nil {
			return err
		}
		if p.now.kind != lpSense {
			return p.unexpected("<=, >= or = after the value of a bound")
		}
		before = p.now.text
		if err = p.advance(); err != nil {
			return err
		}
		if p.now.kind != lpName {
			return p.unexpected("a column")
		}
		j, err := p.col()
		if err != nil {
			return err
		}
		p.setBound(j, at, turned(before), value)
	}
	j, err := p.col()
	if err != nil {
		return err
	}
	if err := p.advance(); err != nil {
		return err
	}
	return p.boundAfter(j, at, before)
}

// boundAfter reads what follows the column in a line of bounds; before is the sense in front of it.
func (p *lpReader) boundAfter(j int, at lpToken, before string) error {
	switch {
	case p.now.kind == lpSense && (before == "" || before == p.now.text && before != "="):
		sense := p.now.text
		if err := p.advance(); err != nil {
			return err
		}
		value, err := p.signedNumber()
		if err != nil {
			return err
		}
		p.setBound(j, at, sense, value)
		return nil
	case before != "" && p.now.kind != lpSense:
		return nil
	case before == "" && p.now.kind == lpName && isFree(p.now.text):
		p.m.Lo[j], p.m.Up[j] = -inf, inf
		return p.advance()
	}
	return p.unexpected("<=, >=, = or free after the column")
}

// isFree reports whether a word after a column takes its bounds away.
func isFree(word string) bool { return strings.EqualFold(word, "free") }

// setBound gives column j the bound that a sense and its value mean. Bounds that cross may be refined by later
// ones, so that they are looked at when the file ends.
func (p *lpReader) setBound(j int, at lpToken, sense string, v float64) {
	p.bounded[j] = at
	if v = infinite(v); sense != "<" {
		p.m.Lo[j] = v
	}
	if sense != ">" {
		p.m.Up[j] = v
	}
}
