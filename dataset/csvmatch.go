package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// match finds the columns of Options.Columns in the file: by name if both have a header, else by position.
func (p *csvParser) match() (err error) {
	p.layout = p.Options.Columns
	p.from = make([]int, len(p.columns))
	if p.columns.Named() && p.layout.Named() {
		err = p.matchNames()
	} else {
		err = p.matchPlaces()
	}
	if err != nil {
		return err
	}
	p.lay(p.of)
	return nil
}

// matchNames finds the features' columns in any order. It leaves out the columns that the earlier file left out, and
// those of Options.Drop; any other column is an error. The label's column is the earlier one unless
// Options.LabelColumn names another; without it the samples have no labels.
func (p *csvParser) matchNames() error {
	dropped, err := p.dropped()
	if err != nil {
		return err
	}
	if p.LabelColumn != "" && !p.Unlabelled {
		j, err := p.find(p.LabelColumn, "a label column")
		if err != nil {
			return err
		}
		p.label = j
	}
	index := make(map[string]int, len(p.layout))
	for i := range p.layout {
		index[p.layout[i].Name] = i
	}
	found := make([]bool, len(p.layout))
	var unknown, missing []string
	for j := range p.columns {
		name := p.columns[j].Name
		i, ok := index[name]
		switch {
		case dropped[j], j == p.label:
			i = -1
		case !ok:
			unknown = append(unknown, name)
		case p.layout[i].Role == RoleLabel:
			if i = -1; p.label < 0 && !p.Unlabelled {
				p.label = j
			}
		default:
			found[i] = true
		}
		p.from[j] = i
	}
	for i := range p.layout {
		if p.layout[i].feature() && !p.layout[i].Idle && !found[i] {
			missing = append(missing, p.layout[i].Name)
		}
	}
	switch {
	case len(missing) > 0:
		return p.fail(p.start(), -1, "no column "+list(missing), "every column that the training had")
	case len(unknown) > 0:
		e := p.fail(p.start(), -1, "the unknown column "+list(unknown), "only columns that the training had")
		e.Unknown = true
		return e
	}
	return nil
}

// dropped marks the columns of Options.Drop.
func (p *csvParser) dropped() ([]bool, error) {
	marks := make([]bool, len(p.columns))
	err := p.findAll(p.Drop, "a column to drop", func(j int, _ string) error {
		marks[j] = true
		return nil
	})
	return marks, err
}

// matchPlaces expects the columns in the earlier file's order, with or without the label: all of them, or all but idle
// ones.
func (p *csvParser) matchPlaces() error {
	var every, busy []int
	for i := range p.layout {
		if every = append(every, i); p.layout[i].Role == RoleLabel || p.layout[i].feature() && !p.layout[i].Idle {
			busy = append(busy, i)
		}
	}
	err := p.matchOrder(every)
	if err == nil || !slices.ContainsFunc(p.layout, func(c Column) bool { return c.Idle }) {
		return err
	}
	if p.matchOrder(busy) == nil {
		return nil
	}
	return err
}

// matchOrder expects the given columns of the layout, in that order.
func (p *csvParser) matchOrder(order []int) error {
	label := slices.IndexFunc(order, func(i int) bool { return p.layout[i].Role == RoleLabel })
	drop, err := p.dropped()
	if err != nil {
		return err
	}
	left := len(p.columns)
	for _, d := range drop {
		if d {
			left--
		}
	}
	with := label >= 0 && left == len(order) // the file has the earlier column of labels
	skip := -1                               // another column of labels
	if p.LabelColumn != "" && !p.Unlabelled {
		j, err := p.find(p.LabelColumn, "a label column")
		if err != nil {
			return err
		}
		p.label, skip, with = j, j, false
		left--
	}
	want := len(order)
	if label >= 0 && !with {
		want--
	}
	if left != want {
		return p.fail(p.start(), -1, columnCount(len(p.columns)), fmt.Sprintf(
			"%d features in the order of the training, as many as its file had without labels", want))
	}
	i := 0
	for j := range p.columns {
		p.from[j] = -1
		if j == skip || drop[j] {
			continue
		}
		if i == label {
			i++
			if with {
				if !p.Unlabelled {
					p.label = j
				}
				continue
			}
		}
		p.from[j] = order[i]
		i++
	}
	return nil
}

// list quotes at most ten names of a file.
func list(names []string) string {
	const most = 10
	quoted := make([]string, 0, most)
	for _, n := range names[:min(len(names), most)] {
		quoted = append(quoted, quote([]byte(n)))
	}
	s := strings.Join(quoted, ", ")
	if len(names) > most {
		s += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return s
}

// headerSample is the number of lines after the first one that help to recognize a header.
const headerSample = 100

// isHeader applies the rule of [ReadCSV] to the first record.
func (p *csvParser) isHeader(fields []csvField, first []string) (bool, error) {
	if p.Header != HeaderAuto {
		return p.Header == HeaderYes, nil
	}
	label := p.guessLabel(first)
	if p.LabelColumn != "" && label >= 0 && first[label] == p.LabelColumn {
		return true, nil
	}
	if p.Options.Columns.Named() && p.hasNames(first) {
		return true, nil
	}
	below := p.scan.sample(headerSample)
	names, numbers, above := 0, 0, -1
	for j, cell := range first {
		switch {
		case j == label:
		case p.isNumber(cell) || isMissing([]byte(cell)):
			numbers++
		default:
			names++
			if p.numbersBelow(below, j) {
				above = j
			}
		}
	}
	if names > 0 && numbers == 0 {
		return true, nil
	}
	if label >= 0 && !p.isNumber(first[label]) && first[label] != "" && p.numbersBelow(below, label) {
		return true, nil
	}
	ask := func(j int, found string) (bool, error) {
		e := p.fail(fields[j], -1, found, "a header or none")
		e.Header = true
		return false, e
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

func columnCount(n int) string {
	if n == 1 {
		return "1 column"
	}
	return strconv.Itoa(n) + " columns"
}
