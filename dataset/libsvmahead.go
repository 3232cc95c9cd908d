package dataset

import "bytes"

// libsvmAhead has the features of rows to come.
type libsvmAhead struct {
	ahead
	begun  bool
	steady bool // the rows are values of the features 1 to d
	parts  []libsvmPart
}

// libsvmPart are rows of a part of the window: values if they list the features from 1, else entries.
type libsvmPart struct {
	rows    []libsvmRow
	values  []float64
	entries []entry // without row
}

// libsvmRow is a row whose entries end the part's first so many.
type libsvmRow struct{ entries, last, pairs, nonzeros int }

// readAhead reads what has come into the window. It begins after the first row, which says what rows are like.
func (p *libsvmParser) readAhead() {
	a, w := &p.ahead, &p.lines.window
	if !p.some || p.Unlabelled {
		return
	}
	if !a.begun {
		a.begun = true
		a.begin(w, &p.Options)
		a.parts = make([]libsvmPart, a.threads)
	}
	if !a.due(w) {
		return
	}
	a.steady = p.steady
	for k := range a.parts {
		part := &a.parts[k]
		part.rows, part.values, part.entries = part.rows[:0], part.values[:0], part.entries[:0]
	}
	a.split(w, func(part int, line []byte) bool { return a.parts[part].read(p, line) })
}

// read reads a row that has a label, pairs in the usual form and nothing else.
func (a *libsvmPart) read(p *libsvmParser, line []byte) bool {
	at := skipBlank(line, 0)
	label := tokenEnd(line, at)
	if at == label || line[at] == '#' || bytes.IndexByte(line[at:label], ':') >= 0 {
		return false
	}
	at = skipBlank(line, label)
	if p.ahead.steady {
		return a.steadyRow(p, line, at)
	}
	return a.row(p, line, at)
}

// steadyRow reads the features 1 to d of a line from position at.
func (a *libsvmPart) steadyRow(p *libsvmParser, line []byte, at int) bool {
	var r libsvmRow
	more, before := afterLine(line), len(a.values)
	for j := range p.d {
		v, end, ok := p.value(line, more, at, j)
		if !ok {
			a.values = a.values[:before]
			return false
		}
		if v != 0 {
			r.nonzeros++
		}
		a.values = append(a.values, v+0) // -0 becomes 0, as with indices
		if at = end; at < len(line) {
			at++ // it is a blank
		}
	}
	if at < len(line) {
		a.values = a.values[:before]
		return false
	}
	a.rows = append(a.rows, r)
	return true
}

// row reads the pairs of a line from position at.
func (a *libsvmPart) row(p *libsvmParser, line []byte, at int) bool {
	r, more, before := libsvmRow{last: -1}, afterLine(line), len(a.entries)
	for at < len(line) {
		i, v, end, ok := p.pair(line, more, at, r.last)
		if !ok {
			a.entries = a.entries[:before]
			return false
		}
		if v != 0 {
			a.entries = append(a.entries, entry{index: int32(i), value: v})
			r.nonzeros++
		}
		r.last, r.pairs = i, r.pairs+1
		if at = end; at < len(line) {
			at = skipBlank(line, at)
		}
	}
	r.entries = len(a.entries)
	a.rows = append(a.rows, r)
	return true
}

// take adds the features of the row that is read; false if they were not read ahead or in another form, or if there is
// one too many.
func (p *libsvmParser) take() bool {
	a := &p.ahead
	if a.steady != p.steady || !a.find(p.lines.start) {
		return false
	}
	part := &a.parts[a.part]
	r := &part.rows[a.row]
	if p.Features > 0 && r.last >= p.Features {
		return false
	}
	if p.steady {
		copy(p.values.next(p.d), part.values[a.row*p.d:])
		p.nonzeros += r.nonzeros
		return true
	}
	of := p.entries.next(r.nonzeros)
	for k, e := range part.entries[r.entries-r.nonzeros : r.entries] {
		of[k] = entry{int32(p.n), e.index, e.value}
	}
	p.entries.count += r.nonzeros
	p.d = max(p.d, r.last+1)
	p.rowEnds(r.last, r.pairs)
	return true
}
