package dataset

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// arffLine splits a line of an ARFF file.
type arffLine struct {
	text []byte
	file string
	line int
	pos  int

	weight float64 // of a row
	weighs bool    // it has one
}

func (l *arffLine) fail(pos int, found, want string) error {
	return &Error{File: l.file, Line: l.line, Col: pos + 1, Found: found, Want: want}
}

func (l *arffLine) skipBlank() {
	for l.pos < len(l.text) && (l.text[l.pos] == ' ' || l.text[l.pos] == '\t' || l.text[l.pos] == '\r') {
		l.pos++
	}
}

// end reports whether nothing but a comment is left.
func (l *arffLine) end() bool {
	l.skipBlank()
	return l.pos == len(l.text) || l.text[l.pos] == '%'
}

// token returns the next value, which is quoted or ends before a blank, a comma or a brace.
func (l *arffLine) token(want string) (f csvField, err error) {
	if l.end() {
		return f, l.fail(l.pos, "the end of the line", want)
	}
	f = csvField{line: l.line, col: l.pos + 1}
	if c := l.text[l.pos]; c == '\'' || c == '"' {
		f.tok, err = l.quoted(c)
		return f, err
	}
	end := len(l.text)
	if k := bytes.IndexAny(l.text[l.pos:], " \t\r,{}'\""); k >= 0 {
		end = l.pos + k
	}
	if end < len(l.text) && (l.text[end] == '\'' || l.text[end] == '"') {
		return f, l.fail(end, "a quote within a value", `a value in quotes, with \ before a quote in it`)
	}
	if f.tok = l.text[l.pos:end]; len(f.tok) == 0 {
		return f, l.fail(l.pos, quote(l.text[l.pos:l.pos+1]), want)
	}
	l.pos = end
	return f, nil
}

// quoted reads a value whose quote opens here.
func (l *arffLine) quoted(mark byte) ([]byte, error) {
	begin, value := l.pos, []byte{}
	for l.pos++; l.pos < len(l.text); l.pos++ {
		switch c := l.text[l.pos]; {
		case c == mark:
			l.pos++
			if l.pos < len(l.text) && bytes.IndexByte([]byte(" \t\r,}"), l.text[l.pos]) < 0 {
				return nil, l.fail(l.pos, "text after a closing quote", "a comma, a blank or the end of the line")
			}
			return value, nil
		case c == '\\' && l.pos+1 < len(l.text):
			l.pos++
			value = append(value, unescaped(l.text[l.pos]))
		default:
			value = append(value, c)
		}
	}
	return nil, l.fail(begin, "a quote that is not closed", "another one in the same line")
}

// unescaped returns the character for c after a backslash.
func unescaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// comma skips a comma; false is the end of the list. Blanks alone separate values too.
func (l *arffLine) comma() (bool, error) {
	if l.end() || l.text[l.pos] == '}' {
		return false, nil
	}
	if l.text[l.pos] != ',' {
		return true, nil
	}
	if l.pos++; l.end() {
		return false, nil // as programs for streams write rows
	}
	if l.text[l.pos] == ',' || l.text[l.pos] == '}' {
		return false, l.fail(l.pos, "nothing after a comma", "a value")
	}
	return true, nil
}

// attribute reads a declaration after its keyword.
func (l *arffLine) attribute() (a attribute, err error) {
	if a.place, err = l.token("the name of an attribute"); err != nil {
		return a, err
	}
	if a.name = strings.TrimSpace(string(a.place.tok)); l.end() {
		return a, l.fail(l.pos, "an attribute without a type", "numeric or its values in braces")
	}
	if l.text[l.pos] == '{' {
		a.kind = nominalAttribute
		a.values, err = l.nominal()
		return a, err
	}
	kind, err := l.token("numeric or its values in braces")
	if err != nil {
		return a, err
	}
	name, _, ranged := strings.Cut(strings.ToLower(string(kind.tok)), "[")
	switch name {
	case "numeric", "real", "integer":
	case "string":
		a.kind = textAttribute
	case "date": // perhaps with a format
		a.kind = textAttribute
		return a, nil
	default:
		return a, l.fail(kind.col-1, "an attribute of type "+quote(kind.tok),
			"numeric, real, integer, string, date or its values in braces")
	}
	if l.end(); ranged || l.pos < len(l.text) && l.text[l.pos] == '[' { // KEEL's: integer [1,10]
		return a, nil
	}
	return a, l.nothing()
}

// nothing fails unless the rest of the line is empty.
func (l *arffLine) nothing() error {
	if l.end() {
		return nil
	}
	return l.fail(l.pos, quote(l.text[l.pos:]), "the end of the line")
}

// nominal reads values in braces.
func (l *arffLine) nominal() (values []string, err error) {
	l.pos++
	seen := make(map[string]bool)
	for more := l.end() || l.text[l.pos] != '}'; more; {
		f, err := l.token("a value")
		if err != nil {
			return nil, err
		}
		v := string(bytes.TrimSpace(f.tok))
		if v == "" || seen[v] {
			return nil, l.fail(f.col-1, "the value "+quote(f.tok), "values that are not empty, each once")
		}
		if seen[v] = true; v != "?" { // which is a missing value
			values = append(values, v)
		}
		if more, err = l.comma(); err != nil {
			return nil, err
		}
	}
	if l.end() || l.text[l.pos] != '}' {
		return nil, l.fail(l.pos, "the end of the line", "a closing brace")
	}
	l.pos++
	return values, l.nothing()
}

// dense appends the n values of a row.
func (l *arffLine) dense(cells []csvField, n int) ([]csvField, error) {
	for more := true; more && l.text[l.pos] != '{'; { // before a weight
		f, err := l.token("a value")
		if err != nil {
			return cells, err
		}
		cells = append(cells, f)
		if more, err = l.comma(); err != nil {
			return cells, err
		}
	}
	if err := l.weighted(); err != nil {
		return cells, err
	}
	if len(cells) != n {
		return cells, &Error{File: l.file, Line: l.line, Found: fmt.Sprintf("%d values", len(cells)),
			Want: fmt.Sprintf("%d, one for each attribute", n)}
	}
	return cells, nil
}

// sparse writes the values of a row in braces to cells, which has the values that the row leaves out.
func (l *arffLine) sparse(cells []csvField) ([]csvField, error) {
	l.pos++
	last := -1
	more := l.end() || l.text[l.pos] != '}'
	for more {
		place, err := l.token("an index, or a closing brace")
		if err != nil {
			return cells, err
		}
		j, ok := parseIndex(place.tok)
		if !ok || j >= len(cells) || j <= last {
			return cells, l.fail(place.col-1, "the index "+quote(place.tok),
				fmt.Sprintf("ascending integers from 0 to %d", len(cells)-1))
		}
		last = j
		if cells[j], err = l.token("a value"); err != nil {
			return cells, err
		}
		if more, err = l.comma(); err != nil {
			return cells, err
		}
	}
	if l.end() || l.text[l.pos] != '}' {
		return cells, l.fail(l.pos, "the end of the line", "a closing brace")
	}
	l.pos++
	if _, err := l.comma(); err != nil {
		return cells, err
	}
	return cells, l.weighted()
}

// weighted reads the weight of a row, a number in braces at its end; without one it is 1.
func (l *arffLine) weighted() error {
	if l.weight = 1; l.end() || l.text[l.pos] != '{' {
		return l.nothing()
	}
	begin := l.pos
	l.pos++
	f, err := l.token("a weight")
	if err != nil {
		return err
	}
	w, found := parseFloat(f.tok)
	if l.end() || l.text[l.pos] != '}' || found != "" || w < 0 {
		return l.fail(begin, quote(l.text[begin:]), "a weight in braces, a finite number >= 0")
	}
	l.weight, l.weighs = w, true
	l.pos++
	return l.nothing()
}

// attribute is a declaration in the header of an ARFF file.
type attribute struct {
	name   string
	place  csvField // of the name
	kind   attributeKind
	values []string // of a nominal attribute, in the order of the header
}

type attributeKind uint8

const (
	numericAttribute attributeKind = iota
	nominalAttribute
	textAttribute // text and dates
)

// declare gives the columns of an ARFF file the roles of their attributes.
func (p *csvParser) declare() error {
	for j, a := range p.attributes {
		c := &p.columns[j]
		switch {
		case c.Role != RoleNumber && c.Role != RoleCategory:
		case a.kind == textAttribute && c.Role == RoleNumber && p.guess != nil:
			p.guess.text[j] = true
		case a.kind == textAttribute && c.Role == RoleNumber:
			return p.fault(a.place, j, Error{Found: "an attribute of text or dates", Want: "a numeric or a nominal one", Text: true})
		case a.kind == nominalAttribute && len(a.values) > maxCategories:
			return p.fault(a.place, j, Error{Found: fmt.Sprintf("%d values", len(a.values)),
				Want: fmt.Sprintf("at most %d of a feature", maxCategories), Many: true})
		case a.kind == nominalAttribute && len(a.values) == 0:
			c.Role = RoleUnused
			p.empty = append(p.empty, ColumnNote{Column: c.Name, Why: noValues})
		case a.kind == nominalAttribute:
			c.Role, c.Categories = RoleCategory, slices.Clone(a.values)
			sortLabels(c.Categories)
		}
	}
	return nil
}
