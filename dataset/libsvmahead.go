package dataset

import (
	"bytes"
	"math"
)

// libsvmAhead has rows to come.
type libsvmAhead struct {
	ahead
	begun  bool
	zero   bool // they have indices from 0
	steady bool // the rows are values of the features 1 to d
	parts  []libsvmPart
}

// libsvmPart are rows of a part of the window: values if they list the features from 1, else entries.
type libsvmPart struct {
	rows    []libsvmRow
	values  [][]float64
	entries [][]entry
	pairs   []entry // of the row that is read
	memory  store[float64]
	kept    store[entry]
	_       [64]byte // no other part shares a cache line
}

// libsvmRow is a row. Its class is -1 if the label is not among the first ones of the file.
type libsvmRow struct {
	class, nonzeros int32
	pairs, last     int
}

// store is memory for rows that stay where they are.
type store[T any] struct{ free []T }

// next returns n elements.
func (s *store[T]) next(n int) []T {
	const size = 1 << 14
	if n > len(s.free) {
		s.free = make([]T, max(n, size))
	}
	next := s.free[:n]
	s.free = s.free[n:]
	return next
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
	if !a.due(w) {
		return
	}
	a.steady, a.zero = p.steady, p.ZeroBased
	for k := range a.parts {
		part := &a.parts[k]
		part.rows, part.values, part.entries = part.rows[:0], part.values[:0], part.entries[:0]
	}
	a.split(w, func(part int, line []byte) bool { return a.parts[part].read(p, line) })
}

// read reads a row that has a label, pairs in the usual form and nothing else.
func (a *libsvmPart) read(p *libsvmParser, line []byte) bool {
	pos := skipBlank(line, 0)
	end := tokenEnd(line, pos)
	if pos == end || line[pos] == '#' || bytes.IndexByte(line[pos:end], ':') >= 0 {
		return false
	}
	r := libsvmRow{class: p.targets.known(line[pos:end])}
	pos = skipBlank(line, end)
	if p.ahead.steady {
		return a.steadyRow(p, line, pos, r)
	}
	a.pairs, pos, r.last, r.pairs = p.usualPairs(line, pos, -1, a.pairs[:0])
	if pos < len(line) {
		return false
	}
	row := a.kept.next(len(a.pairs))
	copy(row, a.pairs)
	a.entries = append(a.entries, row)
	a.rows = append(a.rows, r)
	return true
}

// steadyRow reads the features 1 to d of a line from a position.
func (a *libsvmPart) steadyRow(p *libsvmParser, line []byte, pos int, r libsvmRow) bool {
	row := a.memory.next(p.d)
	nonzeros, ok := p.valuesInto(line, pos, row)
	if !ok {
		a.memory.free = row[:cap(row)]
		return false
	}
	r.nonzeros = int32(nonzeros)
	a.values = append(a.values, row)
	a.rows = append(a.rows, r)
	return true
}

// usable returns the row of the line that was read last if it was read ahead, and in the form that is wanted; else nil.
func (p *libsvmParser) usable() *libsvmRow {
	a := &p.ahead
	if !a.found || a.steady != p.steady || a.zero != p.ZeroBased {
		return nil
	}
	return &a.parts[a.part].rows[a.row]
}

// take adds the features of a usable row.
func (p *libsvmParser) take(r *libsvmRow) {
	part, k := &p.ahead.parts[p.ahead.part], p.ahead.row
	if p.steady {
		p.values.adopt(part.values[k])
		p.nonzeros += int(r.nonzeros)
		return
	}
	p.entries.adopt(part.entries[k])
	p.counts.add(int32(len(part.entries[k])))
	p.d = max(p.d, r.last+1)
	p.rowEnds(r.last, r.pairs)
}

// takeMore takes the usable rows that follow the one just taken in its part, if memory and limits leave room for all of
// them: what is checked after every row then need not be.
func (p *libsvmParser) takeMore() {
	a := &p.ahead
	if a.threads == 0 || p.usable() == nil || p.wide() || p.targets.real {
		return
	}
	w, spans, rows := &p.lines.window, a.rows[a.part][a.row+1:], a.parts[a.part].rows[a.row+1:]
	if len(rows) == 0 || spans[0].from != w.lo {
		return
	}
	d := p.d
	for _, r := range rows {
		d = max(d, r.last+1)
	}
	// A pair takes four bytes of text and at most 16 of memory; lists have room for a quarter more.
	grown := p.bytes() + 8*int64(spans[len(spans)-1].to-w.lo) + 2<<20
	left, n := p.maxBytes()-grown, p.n+len(rows)
	if left < 0 || n >= math.MaxInt32 || checkSize(p.file, 0, n, max(d, p.Features), left) != nil {
		return
	}
	for k, r := range rows {
		if spans[k].from != w.lo || r.class < 0 {
			return
		}
		a.row++
		p.targets.add(label{class: r.class})
		p.take(&rows[k])
		p.n++
		p.lines.n++
		p.lines.start, w.lo = w.lo, spans[k].to
	}
}
