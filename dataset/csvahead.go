package dataset

import "bytes"

// csvCell is a cell of a record that numbers has left.
type csvCell struct{ column, from, to int }

// numbers reads the numbers of a record without quotes to x, in one pass over its bytes, and appends the other cells
// that matter to cells. It returns false if the record has another number of cells. It changes nothing but x.
func (c *csvColumns) numbers(rec []byte, comma byte, x []float64, cells []csvCell) (rest []csvCell, whole bool) {
	i := 0
	for j := 0; ; j++ {
		read, pos := usualNumbers(rec, comma, c.plainAt[j:], x, i)
		if i, j = pos, j+read; j == len(c.plainAt) {
			return cells, i > len(rec)
		}
		if i > len(rec) {
			return cells, false
		}
		end := bytes.IndexByte(rec[i:], comma)
		if end < 0 {
			end = len(rec) - i
		}
		if c.matters(j) {
			cells = append(cells, csvCell{j, i, i + end})
		}
		i += end + 1
	}
}

// matters reports whether the cells of column j are read.
func (c *csvColumns) matters(j int) bool {
	return c.place[j] >= 0 || j == c.label || j == c.group || j == c.weighs
}

// usualNumbers reads cells from position i to their places in x, up to the first one that has no place or is not in
// the usual form. It returns how many it has read, and the position after the last one's comma.
func usualNumbers(rec []byte, comma byte, places []int, x []float64, i int) (read, pos int) {
	beyond := rec[:min(len(rec)+8, cap(rec))] // scanNumber reads eight bytes at a time
	for j, k := range places {
		if k < 0 || i > len(rec) {
			return j, i
		}
		v, end, ok := scanNumber(beyond, i)
		if !ok || end != len(rec) && (end > len(rec) || rec[end] != comma) {
			return j, i
		}
		x[k], i = v, end+1
	}
	return len(places), i
}

// csvAhead has records to come.
type csvAhead struct {
	ahead
	cells []csvCell // of the record that is read, if its numbers are not here
	parts []csvPart
}

// csvPart are records of a part of the window.
type csvPart struct {
	rows   []csvRow
	cells  []csvCell // of all rows
	memory store[float64]
	_      [64]byte // no other part shares a cache line
}

// csvRow is a record: its numbers, and its other cells, which end the part's first so many. Its class is -1 unless the
// last of these is a label among the first ones of the file.
type csvRow struct {
	x     []float64
	cells int
	class int32
}

// readAhead reads what has come into the window. A line inside of quotes is read in vain: no record begins there.
func (p *csvParser) readAhead() {
	if !p.ahead.due(&p.scan.window) {
		return
	}
	if p.ahead.parts == nil {
		p.ahead.parts = make([]csvPart, p.ahead.threads)
	}
	for k := range p.ahead.parts {
		a := &p.ahead.parts[k]
		a.rows, a.cells = a.rows[:0], a.cells[:0]
	}
	p.ahead.split(&p.scan.window, func(part int, line []byte) bool { return p.ahead.parts[part].read(p, line) })
}

// read reads a record without quotes that has the right number of cells.
func (a *csvPart) read(p *csvParser, rec []byte) bool {
	if len(rec) == 0 || bytes.IndexByte(rec, '"') >= 0 {
		return false
	}
	r, before := csvRow{x: a.memory.next(p.values), class: -1}, len(a.cells)
	cells, whole := p.numbers(rec, p.scan.comma, r.x, a.cells)
	if r.cells = len(cells); !whole {
		a.cells, a.memory.free = cells[:before], r.x[:cap(r.x)]
		return false
	}
	if r.cells > before {
		if c := cells[r.cells-1]; c.column == p.label {
			r.class = p.targets.known(bytes.TrimSpace(rec[c.from:c.to]))
		}
	}
	a.cells, a.rows = cells, append(a.rows, r)
	return true
}

// take returns the record that was read last if it was read ahead, and its cells; else nil.
func (a *csvAhead) take() (r *csvRow, cells []csvCell) {
	if !a.found {
		return nil, nil
	}
	p := &a.parts[a.part]
	r = &p.rows[a.row]
	if a.row > 0 {
		return r, p.cells[p.rows[a.row-1].cells:r.cells]
	}
	return r, p.cells[:r.cells]
}
