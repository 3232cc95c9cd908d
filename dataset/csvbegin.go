package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// delimiter chooses what separates cells.
func (p *csvParser) delimiter() error {
	d := p.Delimiter
	if d == 0 {
		d = sniffDelimiter(p.scan.buf[p.scan.lo:p.scan.hi], p.Decimal == ',')
	}
	switch {
	case p.Decimal != 0 && p.Decimal != '.' && p.Decimal != ',':
		return fmt.Errorf("dataset: decimal mark %q, want a point or a comma", p.Decimal)
	case d == p.Decimal && d == ',', d >= 0x80, d <= ' ' && d != '\t', d == '"', d == '.':
		return fmt.Errorf("dataset: delimiter %q with decimal mark %q", d, p.Decimal)
	}
	p.scan.comma = byte(d)
	return nil
}

// sniffDelimiter returns the most frequent delimiter outside quotes in the first line. With decimalComma a comma is no
// delimiter.
func sniffDelimiter(b []byte, decimalComma bool) rune {
	var comma, semicolon, tab int
	quoted := false
	for _, c := range b {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ',' && !decimalComma:
			comma++
		case c == ';':
			semicolon++
		case c == '\t':
			tab++
		}
		if c == '\n' && !quoted && comma+semicolon+tab > 0 {
			break
		}
	}
	switch {
	case semicolon > comma && semicolon >= tab:
		return ';'
	case tab > comma:
		return '\t'
	case decimalComma:
		return ';'
	}
	return ','
}

// begin reads the first record: it decides whether it is a header, and gives the columns their roles.
func (p *csvParser) begin(rec []byte) (header bool, err error) {
	fields, err := p.split(rec)
	if err != nil {
		return false, err
	}
	first := make([]string, len(fields))
	for j, f := range fields {
		first[j] = strings.TrimSpace(string(f.tok))
	}
	p.guessUnlabelled(len(fields))
	if header, err = p.isHeader(fields, first); err != nil {
		return false, err
	}
	columns := make(Columns, len(first))
	if header {
		if err = p.name(columns, fields, first); err != nil {
			return false, err
		}
	}
	return header, p.settle(columns)
}

// guessUnlabelled assumes samples without labels if there are as many columns as the model has features.
func (p *csvParser) guessUnlabelled(columns int) {
	if p.Width > 0 && p.Options.Columns == nil && p.LabelColumn == "" && len(p.Select) == 0 &&
		columns-len(p.Drop) == p.Width {
		p.Unlabelled = true
	}
}

// settle gives the file's columns their roles.
func (p *csvParser) settle(columns Columns) error {
	if p.columns = columns; p.Options.Columns == nil {
		return p.choose()
	}
	return p.match()
}

// name gives the columns the names of the header; a column without a name is named after its index.
func (p *csvParser) name(columns Columns, fields []csvField, first []string) error {
	seen := make(map[string]bool, len(first))
	for j, name := range first {
		if name == "" {
			name = fmt.Sprintf("column %d", j)
		}
		if seen[name] {
			return p.fail(fields[j], -1, fmt.Sprintf("a second column %q", name), "different names for the columns")
		}
		seen[name] = true
		columns[j].Name = name
	}
	return nil
}

// find resolves a column by its name in the header, else by its index.
func (p *csvParser) find(name, what string) (int, error) {
	j := slices.IndexFunc(p.columns, func(c Column) bool { return c.Name != "" && c.Name == name })
	if j >= 0 {
		return j, nil
	}
	j, err := strconv.Atoi(name)
	if err != nil {
		return 0, p.fail(p.start(), -1, fmt.Sprintf("no column named %q", name), "the name or index of "+what)
	}
	if j < 0 {
		j += len(p.columns)
	}
	if j < 0 || j >= len(p.columns) {
		return 0, p.fail(p.start(), -1, columnCount(len(p.columns)), what+" "+name)
	}
	return j, nil
}

// findAll resolves several columns.
func (p *csvParser) findAll(names []string, what string, f func(j int, name string) error) error {
	for _, name := range names {
		j, err := p.find(name, what)
		if err == nil {
			err = f(j, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// choose gives the columns their roles from the options.
func (p *csvParser) choose() (err error) {
	if !p.Unlabelled {
		p.label = len(p.columns) - 1
		if p.LabelColumn != "" {
			if p.label, err = p.find(p.LabelColumn, "a label column"); err != nil {
				return err
			}
		}
	}
	if len(p.Select) > 0 {
		for j := range p.columns {
			p.columns[j].Role = RoleUnused
		}
	}
	if p.label >= 0 {
		p.columns[p.label].Role = RoleLabel
	}
	role := func(r Role) func(int, string) error {
		return func(j int, name string) error {
			if p.columns[j].Role == RoleLabel || r == RoleCategory && p.columns[j].Role == RoleUnused {
				return p.fail(p.start(), -1, fmt.Sprintf("the column %q as the label or left out already", name),
					"another column for "+r.String())
			}
			p.columns[j].Role = r
			return nil
		}
	}
	err = cmp.Or(
		p.findAll(p.Select, "a column to select", role(RoleNumber)),
		p.findAll(p.Drop, "a column to drop", role(RoleUnused)),
		p.findAll(p.Categorical, "a categorical column", role(RoleCategory)),
		p.grouped(),
		p.declare())
	if err != nil {
		return err
	}
	p.layout = p.columns
	p.lay(func(j int) int { return j })
	switch d := p.values; {
	case d == 0:
		return p.fail(p.start(), -1, "a label column only", "at least one feature column")
	case p.Features > 0 && d != p.Features && len(p.Categorical) == 0:
		return p.fail(p.start(), -1, fmt.Sprintf("%d feature columns", d), fmt.Sprint(p.Features))
	}
	return nil
}

// grouped finds the column of groups.
func (p *csvParser) grouped() (err error) {
	if p.Group == "" {
		return nil
	}
	if p.group, err = p.find(p.Group, "a column of groups"); err != nil {
		return err
	}
	if p.group == p.label {
		return p.fail(p.start(), -1, fmt.Sprintf("the column %q as the label already", p.Group), "another column for groups")
	}
	p.columns[p.group].Role = RoleUnused
	return nil
}

// lay gives every column j its position in a row of values. It is column at(j) of the layout; −1 for none.
func (p *csvParser) lay(at func(j int) int) {
	places := make([]int, len(p.layout))
	for i := range p.layout {
		places[i] = -1
		if p.layout[i].feature() && !p.layout[i].Idle {
			places[i] = p.values
			p.values++
		}
	}
	p.place, p.plainAt = make([]int, len(p.columns)), make([]int, len(p.columns))
	p.seen, p.known = make([]*classes, len(p.columns)), make([]*classes, len(p.columns))
	for j := range p.columns {
		i := at(j)
		if i < 0 || places[i] < 0 {
			p.place[j], p.plainAt[j] = -1, -1
			continue
		}
		p.place[j], p.plainAt[j] = places[i], places[i]
		if p.columns[j].Role = p.layout[i].Role; p.layout[i].Role != RoleCategory {
			continue
		}
		p.plainAt[j] = -1
		c := &classes{}
		for _, name := range p.layout[i].Categories {
			c.of(name)
		}
		if p.seen[j] = c; len(c.names) > 0 {
			p.seen[j], p.known[j] = nil, c
		}
	}
}

// of returns the column of the layout for column j of the file.
func (p *csvParser) of(j int) int {
	if p.from == nil {
		return j
	}
	return p.from[j]
}
