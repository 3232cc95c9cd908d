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

// libsvmRow is a row at a place of the window; its entries end the part's first so many.
type libsvmRow struct {
	start, entries int
	last, pairs    int
	nonzeros       int
}

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
	if a.due(w) {
		a.steady = p.steady
		a.split(w, func(part, from, to int) { a.parts[part].read(p, w.buf, from, to) })
	}
}

// read reads the rows of buf[from:to] that have a label, pairs in the usual form and nothing else.
func (a *libsvmPart) read(p *libsvmParser, buf []byte, from, to int) {
	a.rows, a.values, a.entries = a.rows[:0], a.values[:0], a.entries[:0]
	for from < to {
		end := from + bytes.IndexByte(buf[from:to], '\n')
		line := bytes.TrimSuffix(buf[from:end], []byte{'\r'})
		at := skipBlank(line, 0)
		label := tokenEnd(line, at)
		if at < label && line[at] != '#' && bytes.IndexByte(line[at:label], ':') < 0 {
			at = skipBlank(line, label)
			if p.ahead.steady {
				a.steadyRow(p, line, from, at)
			} else {
				a.row(p, line, from, at)
			}
		}
		from = end + 1
	}
}

// steadyRow reads the features 1 to d of the line that begins at start, from position at.
func (a *libsvmPart) steadyRow(p *libsvmParser, line []byte, start, at int) {
	r, more, before := libsvmRow{start: start}, afterLine(line), len(a.values)
	for j := range p.d {
		v, end, ok := p.value(line, more, at, j)
		if !ok {
			a.values = a.values[:before]
			return
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
		return
	}
	a.rows = append(a.rows, r)
}

// row reads the pairs of the line that begins at start, from position at.
func (a *libsvmPart) row(p *libsvmParser, line []byte, start, at int) {
	r, more, before := libsvmRow{start: start, last: -1}, afterLine(line), len(a.entries)
	for at < len(line) {
		i, v, end, ok := p.pair(line, more, at, r.last)
		if !ok {
			a.entries = a.entries[:before]
			return
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
}

// take adds the features of the row that is read; false if they were not read ahead, or in another form.
func (p *libsvmParser) take() bool {
	a := &p.ahead
	for a.threads > 0 && a.steady == p.steady && a.part < len(a.parts) {
		part := &a.parts[a.part]
		for ; a.row < len(part.rows) && part.rows[a.row].start <= p.lines.start; a.row++ {
			if part.rows[a.row].start == p.lines.start {
				return p.add(part, a.row)
			}
		}
		if a.row < len(part.rows) {
			break
		}
		a.part, a.row = a.part+1, 0
	}
	return false
}

// add adds the features of a part's row; false if there is one too many.
func (p *libsvmParser) add(part *libsvmPart, row int) bool {
	r := &part.rows[row]
	if p.Features > 0 && r.last >= p.Features {
		return false
	}
	if p.steady {
		copy(p.values.next(p.d), part.values[row*p.d:])
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
