package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/deal"
)

// set finishes the set: labels and categories sorted, missing cells filled, a feature for each category.
func (p *csvParser) set() (*Set, error) {
	s := &p.out
	faulty := p.guess != nil && len(p.guess.faults) > 0
	if s.N == 0 && !faulty {
		return nil, p.noSamples()
	}
	s.X, s.D = p.x.join(p.ahead.threads), p.values
	if faulty {
		return nil, p.decide()
	}
	if p.label >= 0 {
		p.targets.finish(s)
		p.writtenTargets(s)
	}
	if p.Options.Columns == nil {
		if err := p.settleColumns(); err != nil {
			return nil, err
		}
	}
	if err := p.expand(); err != nil {
		return nil, err
	}
	if p.unlabelled > 0 {
		p.notes().Unlabelled = p.unlabelled
	}
	for i, n := range p.filled {
		if n > 0 {
			name := cmp.Or(p.layout[i].Name, fmt.Sprint(i))
			p.notes().Filled = append(p.notes().Filled, ColumnNote{Column: name, Cells: n})
		}
	}
	s.Columns, s.Features = p.layout.Clone(), p.layout.FeatureNames()
	if p.Features > 0 && s.D != p.Features {
		return nil, &Error{File: p.file, Found: fmt.Sprintf("%d features", s.D), Want: fmt.Sprint(p.Features)}
	}
	whole := *s // the parser reuses its own for the next batch
	return &whole, nil
}

// writtenTargets makes regression targets of labels that are amounts in another form than the plain one.
func (p *csvParser) writtenTargets(s *Set) {
	if s.Guess != "words" || p.Options.Columns != nil {
		return
	}
	const few = 20
	f := p.numbersIn(s.Labels, s.Counts(), s.N)
	if fits, ok := datesIn(s.Labels, s.Counts(), s.N); ok && best(fits).cells == 0 && len(s.Labels) > few {
		s.Guess = "dates"
		return
	}
	if f == nil || f.cells > 0 || slices.ContainsFunc(f.values, func(v float64) bool { return v != v }) {
		return
	}
	order := deal.Ascending(f.values)
	whole := !slices.ContainsFunc(f.values, func(v float64) bool { return v != math.Trunc(v) })
	if len(order) <= few || whole && !amounts(deal.Pick(f.values, order), deal.Pick(s.Counts(), order)) {
		return
	}
	p.columns[p.label].Form = f.form
	s.Guess, s.Targets = "numbers like "+f.form, deal.Pick(f.values, s.Y)
	s.Y, s.Labels = nil, nil
}

// settleColumns settles what the columns of a training file are.
func (p *csvParser) settleColumns() error {
	if p.guess != nil {
		if err := p.decide(); err != nil {
			return err
		}
	}
	p.sortCategories()
	if p.Missing >= MissingMean {
		if err := p.fill(); err != nil {
			return err
		}
	}
	if p.guess != nil {
		p.note()
	}
	return nil
}

// noSamples is the error of a file without a row to use.
func (p *csvParser) noSamples() error {
	if p.unlabelled > 0 {
		return &Error{File: p.file, Column: p.columns[p.label].Name, Found: fmt.Sprintf("no label in any of %d rows", p.unlabelled),
			Want: "some, or another column of labels", NoColumn: true}
	}
	return &Error{File: p.file, Found: "no samples", Want: "at least one line of numbers"}
}

// sortCategories numbers the categories in ascending order instead of the order of appearance. It drops categories that
// occur in dropped rows only.
func (p *csvParser) sortCategories() {
	s := &p.out
	for j, seen := range p.seen {
		if seen == nil || !p.layout[j].words() {
			continue
		}
		used := make([]bool, len(seen.names))
		for i := range s.N {
			if v := s.X[i*s.D+p.place[j]]; v >= 0 {
				used[int(v)] = true
			}
		}
		var sorted []string
		for i, name := range seen.names {
			if used[i] {
				sorted = append(sorted, name)
			}
		}
		sortLabels(sorted)
		to := make([]float64, len(used))
		for i, name := range sorted {
			to[seen.index[name]] = float64(i)
		}
		for i := range s.N {
			if v := &s.X[i*s.D+p.place[j]]; *v >= 0 {
				*v = to[int(*v)]
			}
		}
		p.layout[j].Categories = sorted
	}
}

// fill computes every column's value for missing cells and writes it to these cells.
func (p *csvParser) fill() error {
	s := &p.out
	values := make([]float64, 0, s.N)
	for j, k := range p.place {
		if k < 0 || !p.layout[j].feature() {
			continue
		}
		values = values[:0]
		for i := range s.N {
			if v := s.X[i*s.D+k]; v == v {
				values = append(values, v)
			}
		}
		c := &p.layout[j]
		if p.Missing == MissingMark && len(values) < s.N {
			c.Marked = p.informative(k)
		}
		if p.Missing == MissingMark && len(values) == s.N && c.words() {
			continue // a later missing cell is none of the words
		}
		if len(values) == 0 {
			return &Error{File: p.file, Column: p.nameOf(j), Found: "no value at all",
				Want: "one to fill it with"}
		}
		switch {
		case c.words():
			c.Fill = maxFrequent(values, len(c.Categories))
		case p.Missing == MissingMean:
			c.Fill = mean(values)
		default:
			c.Fill = median(values)
		}
		if c.Filled = true; math.IsNaN(c.Fill) || math.IsInf(c.Fill, 0) {
			return &Error{File: p.file, Column: p.nameOf(j), Found: "a mean beyond float64",
				Want: "smaller numbers"}
		}
		for i := 0; p.hollow && !c.Marked && i < s.N; i++ {
			if v := &s.X[i*s.D+k]; *v != *v {
				*v = c.Fill
			}
		}
	}
	return nil
}

// mean sums deviations from the first value, so that a large offset costs no digits.
func mean(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x - v[0]
	}
	return v[0] + sum/float64(len(v))
}

func maxFrequent(values []float64, categories int) float64 {
	count := make([]int, categories)
	for _, v := range values {
		if v >= 0 { // −1 is none of them
			count[int(v)]++
		}
	}
	return float64(slices.Index(count, slices.Max(count)))
}

// median changes the order of v; for an even number it returns the mean of the middle two.
func median(v []float64) float64 {
	h := len(v) / 2
	middle := deal.Nth(v, h)
	if len(v)%2 == 1 {
		return middle
	}
	return slices.Max(v[:h])/2 + middle/2
}

// expand replaces each value by its features, and adds the features of idle columns.
func (p *csvParser) expand() error {
	s, d := &p.out, p.layout.NumFeatures()
	if d == s.D && !slices.ContainsFunc(p.layout, func(c Column) bool {
		return c.feature() && (c.Role != RoleNumber || c.Idle || c.Marked)
	}) {
		return nil
	}
	if err := p.budget(8 * (int64(cap(s.X)) + int64(s.N)*int64(d) + int64(cap(s.Y)+cap(s.Targets)))); err != nil {
		return err
	}
	x := make([]float64, s.N*d)
	for i := range s.N {
		row, to := s.Row(i), x[i*d:(i+1)*d]
		for c := range p.layout {
			w := p.layout[c].width()
			if k := p.places[c]; k >= 0 && w > 0 {
				p.layout[c].features(to[:w], row[k])
			}
			to = to[w:]
		}
	}
	s.X, s.D = x, d
	return nil
}
