package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/internal/deal"
)

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
			if p.guess != nil && r != RoleUnused {
				p.guess.asked[j] = true
			}
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
	for j := range p.columns {
		if p.columns[j].feature() {
			p.columns[j].Absent = slices.Clone(p.MissingWords)
		}
	}
	p.layout = p.columns
	p.settlePlaces(func(j int) int { return j })
	switch d := p.values; {
	case d == 0:
		return p.fail(p.start(), -1, "a label column only", "at least one feature column; commas, semicolons, tabs, bars or "+
			"blanks separate columns")
	case p.Features > 0 && d != p.Features && len(p.Categorical) == 0 && p.guess == nil:
		return p.fail(p.start(), -1, fmt.Sprintf("%d feature columns", d), fmt.Sprint(p.Features))
	}
	return nil
}

// grouped finds the columns of groups and of weights.
func (p *csvParser) grouped() error {
	for _, c := range []struct {
		name, what string
		at         *int
	}{{p.Group, "groups", &p.group}, {p.Weight, "weights", &p.weighs}} {
		if c.name == "" {
			continue
		}
		j, err := p.find(c.name, "a column of "+c.what)
		if err != nil {
			return err
		}
		if j == p.label {
			return p.fail(p.start(), -1, fmt.Sprintf("the column %q as the label already", c.name), "another column for "+c.what)
		}
		*c.at, p.columns[j].Role = j, RoleUnused
	}
	return nil
}

// settlePlaces gives every column j its position in a row of values. It is column columnOf(j) of the layout; −1 for
// none.
func (p *csvParser) settlePlaces(columnOf func(j int) int) {
	p.places = make([]int, len(p.layout))
	for i := range p.layout {
		p.places[i] = -1
		if p.layout[i].feature() && !p.layout[i].Idle {
			p.places[i] = p.values
			p.values++
		}
	}
	p.place, p.plainAt = make([]int, len(p.columns)), make([]int, len(p.columns))
	p.seen, p.known = make([]*classes, len(p.columns)), make([]*classes, len(p.columns))
	p.written = make([]*notation, len(p.columns))
	for j := range p.columns {
		i := columnOf(j)
		if i < 0 || p.places[i] < 0 {
			p.place[j], p.plainAt[j] = -1, -1
			continue
		}
		p.place[j], p.plainAt[j] = p.places[i], p.places[i]
		if p.columns[j].Role = p.layout[i].Role; p.columns[j].Role == RoleNumber {
			if p.layout[i].Form != "" {
				w := writtenAs(p.layout[i].Form)
				p.written[j] = &w
			}
			if p.written[j] != nil || slices.ContainsFunc(p.layout[i].Absent, p.isNumber) {
				p.plainAt[j] = -1
			}
			continue
		}
		if p.plainAt[j] = -1; !p.columns[j].words() {
			continue
		}
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

// match finds the columns of Options.Columns in the file: by name if both have a header, else by position. The label's
// column is Options.LabelColumn if that is given. It leaves out those of Options.Drop.
func (p *csvParser) match() error {
	p.layout = p.Options.Columns
	for _, c := range p.layout {
		if c.Role == RoleLabel && c.Form != "" {
			w := writtenAs(c.Form)
			p.labelAs = &w
		}
	}
	p.from, p.filled = make([]int, len(p.columns)), make([]int, len(p.layout))
	dropped := make([]bool, len(p.columns))
	err := p.findAll(p.Drop, "a column to drop", func(j int, _ string) error {
		dropped[j] = true
		return nil
	})
	if err == nil && p.LabelColumn != "" && !p.Unlabelled {
		p.label, err = p.find(p.LabelColumn, "a label column")
	}
	switch {
	case err != nil:
	case p.columns.Named() && p.layout.Named():
		err = p.matchNames(dropped)
	default:
		err = p.matchPlaces(dropped)
	}
	if err == nil {
		p.settlePlaces(p.of)
	}
	return err
}

// matchNames finds the features' columns in any order. It leaves out the columns that the earlier file left out; any
// other column is an error. The label's column is the earlier one unless another is given; without it the samples have
// no labels.
func (p *csvParser) matchNames(dropped []bool) error {
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
		return p.fault(p.start(), -1, Error{Found: "the unknown column " + list(unknown),
			Want: "only columns that the training had", Unknown: true})
	}
	return nil
}

// matchPlaces expects the columns in the earlier file's order, with or without the label: all of them, or all but idle
// ones.
func (p *csvParser) matchPlaces(dropped []bool) error {
	err := p.matchOrder(deal.All(len(p.layout)), dropped)
	if err == nil || !slices.ContainsFunc(p.layout, func(c Column) bool { return c.Idle }) {
		return err
	}
	busy := slices.DeleteFunc(deal.All(len(p.layout)), func(i int) bool {
		return p.layout[i].Role != RoleLabel && (!p.layout[i].feature() || p.layout[i].Idle)
	})
	if p.matchOrder(busy, dropped) == nil {
		return nil
	}
	return err
}

// matchOrder expects the given columns of the layout, in that order.
func (p *csvParser) matchOrder(order []int, dropped []bool) error {
	label := slices.IndexFunc(order, func(i int) bool { return p.layout[i].Role == RoleLabel })
	given, left, want := p.label, len(p.columns), len(order)
	for _, d := range dropped {
		if d {
			left--
		}
	}
	with := label >= 0 && given < 0 && left == want // the file has the earlier column of labels
	if given >= 0 {
		left--
	}
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
		if j == given || dropped[j] {
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
	const limit = 10
	quoted := make([]string, 0, limit)
	for _, n := range names[:min(len(names), limit)] {
		quoted = append(quoted, quote([]byte(n)))
	}
	s := strings.Join(quoted, ", ")
	if len(names) > limit {
		s += fmt.Sprintf(" and %d more", len(names)-limit)
	}
	return s
}

func columnCount(n int) string {
	if n == 1 {
		return "1 column"
	}
	return strconv.Itoa(n) + " columns"
}
