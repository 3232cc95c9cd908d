package dataset

import (
	"bytes"
	"io"
	"slices"
	"strings"
)

// arffParser reads Weka's format; see [ARFF]. It reads the lines; the cells are read as in a CSV file.
type arffParser struct {
	csvParser
	r      io.Reader
	bytes  int64           // memory of the header
	names  map[string]bool // values of a nominal label
	absent []csvField      // the cells that a row in braces leaves out
	held   []byte          // a declaration that goes on in the next line
	// heldLine is its first line.
	heldLine int
	row      []csvField // the row that is read
}

func newARFFParser(r io.Reader, file string, o Options) *arffParser {
	return &arffParser{r: r, csvParser: csvParser{Options: o, file: file, csvColumns: csvColumns{soleColumns: soleColumns{-1, -1, -1}},
		scan: &csvScanner{}, targets: newTargets(o.Targets)}}
}

func (p *arffParser) read(each func(n, d int) error) error {
	if p.Header != HeaderAuto || p.Delimiter != 0 || p.Decimal == ',' {
		return &Error{File: p.file, Found: "an ARFF file, which declares its columns",
			Want: "no option for header, delimiter or decimal mark"}
	}
	err := newLines(p.r, &p.Options).each(p.file, func(text []byte) (used bool, err error) {
		p.scan.line++
		if p.scan.line == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		l := arffLine{text: text, file: p.file, line: p.scan.line}
		if l.end() {
			return false, nil
		}
		if p.columns == nil {
			if p.held != nil || l.goesOn() {
				return false, p.hold(&l)
			}
			return true, p.declaration(&l)
		}
		before := p.out.N + p.out.Skipped
		if err = p.dataRow(&l); err == nil && each != nil {
			err = each(p.out.N, p.values)
		}
		return p.out.N+p.out.Skipped > before, err
	})
	if err == nil && p.held != nil {
		return p.declaration(&arffLine{text: bytes.TrimRight(p.held, " "), file: p.file, line: p.heldLine})
	}
	if err == nil && p.columns == nil {
		p.scan.line++
		return p.fail(p.start(), -1, "the end of the file", "@data and rows")
	}
	return err
}

// hold adds a line to a declaration that goes on, and reads it if it is whole: with a type, and a brace for each.
func (p *arffParser) hold(l *arffLine) error {
	if p.held == nil {
		p.heldLine = l.line
	}
	p.held = append(append(p.held, l.text...), ' ')
	opens := bytes.IndexByte(p.held, '{') >= 0
	if p.heldLine == l.line || opens && bytes.IndexByte(l.text, '}') < 0 {
		return p.budget(int64(len(p.held)))
	}
	whole := arffLine{text: p.held, file: p.file, line: p.heldLine}
	p.held = nil
	return p.declaration(&whole)
}

// goesOn reports whether a declaration goes on in the next line: it lacks a type or a closing brace.
func (l *arffLine) goesOn() bool {
	line := bytes.TrimSpace(l.text)
	if !isKeyword(line, "@attribute") {
		return false
	}
	if bytes.IndexByte(line, '{') >= 0 {
		return bytes.IndexByte(line, '}') < 0
	}
	m := arffLine{text: line, pos: len("@attribute")}
	_, err := m.token("")
	return err == nil && m.end()
}

// isKeyword reports whether a line begins with a word of the header, in any case.
func isKeyword(line []byte, word string) bool {
	return len(line) >= len(word) && strings.EqualFold(string(line[:len(word)]), word) &&
		(len(line) == len(word) || line[len(word)] == ' ' || line[len(word)] == '\t')
}

// declaration reads a line of the header.
func (p *arffParser) declaration(l *arffLine) error {
	switch line := bytes.TrimSpace(l.text); {
	case isKeyword(line, "@relation"), isKeyword(line, "@inputs"), isKeyword(line, "@input"):
		return nil
	case isKeyword(line, "@outputs"), isKeyword(line, "@output"): // KEEL's
		_, name, _ := bytes.Cut(bytes.ReplaceAll(line, []byte{'\t'}, []byte{' '}), []byte{' '})
		if name = bytes.TrimSpace(name); p.LabelColumn == "" && p.Options.Columns == nil {
			p.LabelColumn = string(name)
		}
		return nil
	case isKeyword(line, "@data"):
		return p.dataBegins()
	case isKeyword(line, "@attribute"):
		l.skipBlank()
		l.pos += len("@attribute")
		a, err := l.attribute()
		p.attributes = append(p.attributes, a)
		p.bytes += 512 + int64(len(l.text)) + 64*int64(len(a.values))
		if err == nil {
			err = p.budget(p.bytes)
		}
		return err
	}
	return l.fail(l.pos, quote(bytes.TrimSpace(l.text)), "@relation, @attribute, @data or % and a comment")
}

// dataBegins gives the columns their roles after all declarations.
func (p *arffParser) dataBegins() error {
	if len(p.attributes) == 0 {
		return p.fail(p.start(), -1, "@data", "an @attribute before it")
	}
	fields, names := make([]csvField, len(p.attributes)), make([]string, len(p.attributes))
	for j, a := range p.attributes {
		fields[j], names[j] = a.place, a.name
	}
	columns := make(Columns, len(names))
	if err := p.name(columns, fields, names); err != nil {
		return err
	}
	p.guessUnlabelled(len(names))
	if err := p.settle(columns); err != nil {
		return err
	}
	if p.guess != nil {
		p.prepare()
	}
	if p.label >= 0 && p.attributes[p.label].kind == numericAttribute {
		p.targets.declare("numeric")
	}
	if p.label >= 0 && p.attributes[p.label].kind == nominalAttribute {
		p.TextLabels = true // declared numbers are names
		p.targets.declare("nominal")
		p.names = make(map[string]bool)
		for _, v := range p.attributes[p.label].values {
			p.names[v] = true
		}
	}
	p.absent = make([]csvField, len(p.attributes))
	for j, a := range p.attributes {
		switch a.kind {
		case numericAttribute:
			p.absent[j].tok = []byte("0")
		case nominalAttribute:
			if len(a.values) > 0 {
				p.absent[j].tok = []byte(a.values[0])
			}
		}
	}
	return nil
}

// dataRow reads a row.
func (p *arffParser) dataRow(l *arffLine) error {
	var err error
	if l.text[l.pos] == '{' {
		p.row, err = l.sparse(append(p.row[:0], p.absent...))
	} else {
		p.row, err = l.dense(p.row[:0], len(p.columns))
	}
	x := p.x.next(p.values)
	if err != nil {
		return p.take(false, err)
	}
	p.weight = l.weight
	if l.weighs && p.weighs < 0 {
		p.weighs = len(p.columns) // none
		p.out.Weights = slices.Repeat([]float64{1}, p.out.N)
	}
	if p.label >= 0 {
		if keep, err := p.labelled(p.row[p.label]); err != nil || !keep {
			return p.take(keep, err)
		}
	}
	return p.take(p.fields(p.row, x))
}

// labelled checks the label against its declaration. False drops the row.
func (p *arffParser) labelled(f csvField) (keep bool, err error) {
	tok := bytes.TrimSpace(f.tok)
	switch a := &p.attributes[p.label]; {
	case len(tok) == 0, string(tok) == "?":
		if p.guess != nil || p.DropUnlabelled || p.Options.Columns != nil {
			return p.withoutLabel(tok, f)
		}
		if p.Missing == MissingDrop {
			return false, nil
		}
		return false, p.fail(f, p.label, "no label", "one, or rows with missing values dropped")
	case a.kind == nominalAttribute && !p.names[string(tok)]:
		return false, p.fail(f, p.label, quote(tok), "one of "+list(a.values))
	case a.kind == numericAttribute && !isNumber(tok):
		return false, p.fail(f, p.label, quote(tok), "a number, as the attribute is declared")
	}
	return true, nil
}
