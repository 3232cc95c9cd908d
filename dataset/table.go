package dataset

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Cells is a column of a table in memory: numbers, truth values, dates or words, of which [ReadTable] makes features.
type Cells struct {
	Name string // as in a header; a table has names for all columns or for none
	// Numbers has a number for each row, NaN for a missing cell. Role says what they are: RoleNumber, RoleYesNo for truth
	// values, 0 or 1, or RoleDate for seconds since the beginning of 1970.
	Numbers []float64
	Role    Role
	// Text has a cell as a file has it, empty for a missing one; nil, or a result of nil, leaves the row to Numbers.
	Text func(row int) []byte
}

// ReadTable makes a set of n rows of a table in memory, as [Read] does of the file that has it: by the same rules, with
// the same [Notes]. The targets of the rows are those of targets, nil for none; no column is a label, and
// [Options.LabelColumn], Group and Weight are ignored, as is what says how text is laid out. In a column that
// o.Columns has, numbers, truth values and dates need no form: they are what the column's cells stand for.
//
// The set shares the targets. Errors name the row, from 0, and the column. [MissingDrop] is an error.
func ReadTable(cells []Cells, n int, targets *Set, o Options) (*Set, error) {
	o.Unlabelled, o.LabelColumn, o.Group, o.Weight, o.Decimal, o.Format = true, "", "", "", 0, CSV
	if o.Missing == MissingDrop {
		return nil, errors.New("dataset: found the rule drop for missing cells of a table in memory, want another one")
	}
	var g *guess
	if o.Guess = o.Guess && o.Columns == nil; o.Guess {
		g = new(guess)
	}
	for {
		p := &memoryParser{cells: cells, csvParser: csvParser{Options: o, file: "the table", guess: g,
			csvColumns: csvColumns{soleColumns: soleColumns{-1, -1, -1}}, scan: &csvScanner{comma: ','}}}
		if targets != nil {
			p.out.Y, p.out.Labels, p.out.Targets = targets.Y, targets.Labels, targets.Targets
		}
		if g != nil {
			g.forget()
		}
		err := p.readRows(n)
		if err == nil && g != nil && g.again {
			continue
		}
		var set *Set
		if err == nil {
			set, err = p.set()
		}
		return set, atRow(err)
	}
}

// memoryParser reads the columns of a table in memory.
type memoryParser struct {
	csvParser
	cells []Cells
	text  []byte // of the cell that is read
}

// readRows reads n rows.
func (p *memoryParser) readRows(n int) error {
	if err := p.begins(n); err != nil {
		return err
	}
	p.dated()
	for i := range n {
		p.scan.line = i + 1
		if err := p.take(p.tableRow(i, p.x.next(p.values))); err != nil {
			return err
		}
	}
	return nil
}

// begins gives the columns their names and roles.
func (p *memoryParser) begins(n int) error {
	if len(p.cells) == 0 {
		return p.fail(csvField{}, -1, "no column", "some")
	}
	columns, names := make(Columns, len(p.cells)), make([]string, len(p.cells))
	for j := range p.cells {
		names[j] = strings.TrimSpace(p.cells[j].Name)
	}
	if slices.ContainsFunc(names, func(name string) bool { return name != "" }) {
		if err := p.name(columns, make([]csvField, len(names)), names); err != nil {
			return err
		}
	}
	if err := p.settle(columns); err != nil || p.guess == nil {
		return err
	}
	for j := range p.cells {
		c := &p.cells[j]
		words := c.Role != RoleNumber
		for i := 0; c.Text != nil && !words && i < min(n, headerSample); i++ {
			tok := bytes.TrimSpace(c.Text(i))
			words = !isMissing(tok) && !p.isNumber(string(tok))
		}
		if words && p.columns[j].Role == RoleNumber {
			p.guess.text[j] = true
		}
	}
	p.prepare()
	return nil
}

// dated lets dates that are given as such be read without their form.
func (p *memoryParser) dated() {
	for j := range p.cells {
		c := &p.cells[j]
		given := c.Numbers != nil && p.place[j] >= 0 && p.Options.Columns != nil
		if given && (c.Role == RoleDate && p.columns[j].Role == RoleDate || c.Role == RoleNumber && p.written[j] != nil) {
			p.plainAt[j] = p.place[j]
		}
	}
}

// tableRow reads row i to x. False drops the row.
func (p *memoryParser) tableRow(i int, x []float64) (keep bool, err error) {
	keep = true
	for j := range p.cells {
		c := &p.cells[j]
		if !p.matters(j) {
			continue
		}
		tok := c.word(i)
		k, given := p.plainAt[j], tok == nil && c.Numbers != nil
		if given && k >= 0 && c.Numbers[i]-c.Numbers[i] == 0 && !p.absentAsNumber(j, i) {
			if x[k] = c.Numbers[i]; p.columns[j].Role == RoleDate {
				x[k] /= secondsOfDay
			}
			continue
		}
		if tok == nil {
			tok = p.token(j, i)
		}
		ok, bad := p.cell(j, csvField{tok, i + 1, 0}, x)
		if bad != nil {
			return false, bad
		}
		keep = keep && ok
	}
	return keep, nil
}

// absentAsNumber reports whether a number stands for a missing cell in column j; its text is then that of the cell.
func (p *memoryParser) absentAsNumber(j, i int) bool {
	return p.written[j] != nil && len(p.layout[p.of(j)].Absent) > 0 && p.isAbsent(j, p.token(j, i))
}

// word is the text of a cell; nil for a number, or nothing.
func (c *Cells) word(row int) []byte {
	if c.Text == nil {
		return nil
	}
	return c.Text(row)
}

// token is the text of a number, valid until the next call; that of a truth value is the word that column j has for it.
func (p *memoryParser) token(j, i int) []byte {
	c, v := &p.cells[j], math.NaN()
	if c.Numbers != nil {
		v = c.Numbers[i]
	}
	switch p.text = p.text[:0]; {
	case v != v:
	case c.Role == RoleYesNo:
		p.text = append(p.text, p.truth(j, v != 0)...)
	case c.Role == RoleDate && math.Abs(v) < 1e12:
		p.text = appendDate(p.text, v)
	default:
		p.text = appendNumber(p.text, v)
	}
	return p.text
}

// truth is the word for a truth value in column j: true or false, or the last or the first of two words.
func (p *memoryParser) truth(j int, is bool) string {
	words := [2]string{"False", "True"}
	if p.Options.Columns == nil || p.place[j] < 0 {
		return words[index(is)]
	}
	c := &p.layout[p.of(j)]
	if !c.words() {
		return [2]string{"0", "1"}[index(is)]
	}
	for _, word := range c.Categories {
		if strings.EqualFold(word, words[index(is)]) {
			return word
		}
	}
	if len(c.Categories) == 2 {
		return c.Categories[index(is)]
	}
	return words[index(is)]
}

func index(is bool) int {
	if is {
		return 1
	}
	return 0
}

// appendNumber appends a number as cells have it. A whole number has no fraction and no exponent, so that it can be a
// label or a word.
func appendNumber(b []byte, v float64) []byte {
	format := byte('g')
	if v > -1e15 && v < 1e15 && v == float64(int64(v)) {
		format = 'f'
	}
	return strconv.AppendFloat(b, v, format, -1, 64)
}

// atRow says in the place of the line which row of a table in memory has a fault.
func atRow(err error) error {
	one := func(e *Error) {
		if e.Line > 0 {
			e.File, e.Line, e.Col = "row "+strconv.Itoa(e.Line-1)+" (from 0)", 0, 0
		}
	}
	if faults, ok := errors.AsType[Faults](err); ok {
		for _, e := range faults {
			one(e)
		}
	} else if e, ok := errors.AsType[*Error](err); ok {
		one(e)
	}
	return err
}
