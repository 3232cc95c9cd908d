package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// delimiter chooses what separates cells.
func (p *csvParser) delimiter() error {
	d := p.Delimiter
	if d == 0 {
		d = p.scan.declared()
	}
	if d == 0 {
		d = sniffDelimiter(p.scan.buf[p.scan.lo:p.scan.hi], p.Decimal == ',')
	} else {
		p.Delimiter = d
	}
	switch {
	case p.Decimal != 0 && p.Decimal != '.' && p.Decimal != ',':
		return fmt.Errorf("dataset: decimal mark %q, want a point or a comma", p.Decimal)
	case d == p.Decimal && d == ',', d >= 0x80, d < ' ' && d != '\t', d == '"', d == '.':
		return fmt.Errorf("dataset: delimiter %q with decimal mark %q", d, p.Decimal)
	}
	p.layOut(byte(d))
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
	if p.scan.layout.rowNames {
		fields = slices.Insert(fields, 0, p.start())
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
	if err = p.settle(columns); err == nil && p.guess != nil {
		p.presume(first, header)
		p.prepare()
	}
	return header, err
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

// unnamed is the name of column j if the header has none.
func unnamed(j int) string { return fmt.Sprintf("column %d", j) }

// name gives the columns the names of the header; a column without a name is named after its index.
func (p *csvParser) name(columns Columns, fields []csvField, first []string) error {
	seen := make(map[string]bool, len(first))
	for j, name := range first {
		if name == "" {
			name = unnamed(j)
		}
		if seen[name] {
			return p.fail(fields[j], -1, fmt.Sprintf("a second column %q", name), "different names for the columns")
		}
		seen[name] = true
		columns[j].Name = name
	}
	return nil
}

// headerSample is the number of lines after the first one that help to recognize a header.
const headerSample = 100

// isHeader applies the rule of [ReadCSV] to the first record.
func (p *csvParser) isHeader(fields []csvField, first []string) (bool, error) {
	if p.Header != HeaderAuto || p.scan.layout.rowNames {
		return p.Header != HeaderNo, nil
	}
	label := p.guessLabel(first)
	if p.LabelColumn != "" && label >= 0 && first[label] == p.LabelColumn {
		return true, nil
	}
	if p.Options.Columns.Named() && p.hasNames(first) {
		return true, nil
	}
	below := p.scan.sample(headerSample)
	if p.guess != nil && p.countsColumns(first, below) {
		p.scan.layout.counts = true
		return true, nil
	}
	names, numbers, absent, above := 0, 0, 0, -1
	for j, cell := range first {
		switch {
		case j == label:
		case isMissing([]byte(cell)):
			absent++
		case p.isNumber(cell), p.writtenLike(cell, below, j):
			numbers++
		default:
			names++
			if p.numbersBelow(below, j) {
				above = j
			}
		}
	}
	if names > 0 && numbers == 0 && (absent == 0 || above >= 0) { // Na may be a name, of sodium
		return true, nil
	}
	numbers += absent
	if label >= 0 && !p.isNumber(first[label]) && first[label] != "" && p.numbersBelow(below, label) {
		return true, nil
	}
	ask := func(j int, found string) (bool, error) {
		return false, p.fault(fields[j], -1, Error{Found: found, Want: "a header or none", Header: true})
	}
	switch {
	case above >= 0 && numbers > 0:
		return ask(above, fmt.Sprintf("the name %s above numbers, next to numbers", quote([]byte(first[above]))))
	case label >= 0 && !p.isNumber(first[label]) && onlyOnce(first[label], below, label):
		return ask(label, fmt.Sprintf("the label %s in the first line and in none of the next %d",
			quote([]byte(first[label])), len(below)))
	}
	return false, nil
}

// countsColumns reports whether numbers of the first line are names, as those of data frames without names and years
// are: whole numbers that rise, as no row below has them in these columns, with some that are in no row below. Words
// that are in no row below either may be next to them.
func (p *csvParser) countsColumns(first []string, below [][]string) bool {
	const certain, rising, least = 5, 6, 3
	var places []int
	alone, names := 0, 0
	for j, cell := range first {
		isNew := !slices.ContainsFunc(below, func(row []string) bool { return j < len(row) && row[j] == cell })
		switch {
		case p.isNumber(cell):
			if places = append(places, j); isNew {
				alone++
			}
		case cell == "" && j == 0: // above the names of the rows
		case !isNew:
			return false
		default:
			names++
		}
	}
	rises, from, even := risesIn(first, places)
	k := len(places)
	if !rises || k < least || len(below) < least {
		return false
	}
	counts := even && (from == 0 || from == 1)
	for _, row := range below {
		if r, _, e := risesIn(row, places); r && (e || !even) {
			return false
		}
	}
	return counts && (alone > 0 || k >= certain) || 2*alone >= k && (even && names > 0 || k >= rising)
}

// risesIn reports whether the cells at these places are whole numbers that rise, from which one, and by one each.
func risesIn(row []string, places []int) (rises bool, from int, even bool) {
	even = true
	for k, before := 0, 0; k < len(places); k++ {
		if places[k] >= len(row) {
			return false, 0, false
		}
		v, err := strconv.Atoi(row[places[k]])
		if err != nil || k > 0 && v <= before {
			return false, 0, false
		}
		if k == 0 {
			from = v
		}
		even = even && v == from+k
		before = v
	}
	return true, from, even
}

// writtenLike reports whether a cell is a number or a date in the form of those below it, which are not plain.
func (p *csvParser) writtenLike(cell string, below [][]string, j int) bool {
	words, count, plain := []string{cell}, []int{1}, 0
	for _, row := range below {
		if j >= len(row) || isMissing([]byte(row[j])) {
			continue
		}
		if p.isNumber(row[j]) {
			plain++
		}
		words = append(words, row[j])
		count = append(count, 1)
	}
	if len(words) < 3 || 2*plain > len(words) {
		return false
	}
	if f := p.numbersIn(words, count, 0); f != nil && f.cells == 0 {
		return true
	}
	_, ok := datesIn(words, count, 0)
	return ok
}

// guessLabel returns the label's column, −1 for none, before the header is known.
func (p *csvParser) guessLabel(first []string) int {
	if p.Unlabelled {
		return -1
	}
	if p.LabelColumn == "" {
		return len(first) - 1
	}
	if j := slices.Index(first, p.LabelColumn); j >= 0 && !p.isNumber(p.LabelColumn) {
		return j
	}
	j, err := strconv.Atoi(p.LabelColumn)
	if j < 0 {
		j += len(first)
	}
	if err != nil || j < 0 || j >= len(first) {
		return -1
	}
	return j
}

// hasNames reports whether the first record has the names of all features.
func (p *csvParser) hasNames(first []string) bool {
	for i := range p.Options.Columns {
		if c := &p.Options.Columns[i]; c.feature() && !c.Idle && !slices.Contains(first, c.Name) {
			return false
		}
	}
	return true
}

func (p *csvParser) isNumber(cell string) bool {
	if cell != "" && unicode.IsLetter(rune(cell[0])) { // most words; 0x7f is a number
		return false
	}
	_, found := p.number([]byte(cell))
	return found == "" || strings.HasSuffix(found, "(beyond float64)")
}

// numbersBelow reports whether the column has numbers and, except for missing cells, nothing else.
func (p *csvParser) numbersBelow(below [][]string, j int) bool {
	some := false
	for _, row := range below {
		if j >= len(row) || isMissing([]byte(row[j])) {
			continue
		}
		if !p.isNumber(row[j]) {
			return false
		}
		some = true
	}
	return some
}

// onlyOnce reports whether a label is not in the column, which has at least ten lines and every other label twice or
// more.
func onlyOnce(label string, below [][]string, j int) bool {
	count := make(map[string]int)
	for _, row := range below {
		if j < len(row) {
			count[row[j]]++
		}
	}
	if len(below) < 10 || count[label] > 0 {
		return false
	}
	for _, n := range count {
		if n < 2 {
			return false
		}
	}
	return true
}
