package dataset

import "bytes"

// csvCell is a cell of a record that numbers has left.
type csvCell struct{ column, from, to int }

// numbers reads the numbers of a record without quotes to x, in one pass over its bytes, and appends the other cells
// that matter to cells. It returns false if the record has another number of cells. It changes nothing but x.
func (c *csvColumns) numbers(rec []byte, comma byte, x []float64, cells []csvCell) (rest []csvCell, whole bool) {
	i := 0
	for j := 0; ; j++ {
		read, at := usualNumbers(rec, comma, c.plainAt[j:], x, i)
		if i, j = at, j+read; j == len(c.plainAt) {
			return cells, i > len(rec)
		}
		if i > len(rec) {
			return cells, false
		}
		end := bytes.IndexByte(rec[i:], comma)
		if end < 0 {
			end = len(rec) - i
		}
		if c.place[j] >= 0 || j == c.label || j == c.group {
			cells = append(cells, csvCell{j, i, i + end})
		}
		i += end + 1
	}
}

// usualNumbers reads cells from position i to their places in x, up to the first one that has no place or is not in
// the usual form. It returns how many it has read, and the position after the last one's comma.
func usualNumbers(rec []byte, comma byte, places []int, x []float64, i int) (read, at int) {
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

// csvAhead has the numbers of records to come.
type csvAhead struct {
	ahead
	cells []csvCell // of the record that is read, if its numbers are not here
	parts []csvPart
}

// csvPart are records of a part of the window.
type csvPart struct {
	x     []float64 // of all rows
	cells []csvCell // of all rows,
	ends  []int     // of which each row's end the first so many
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
		a.x, a.cells, a.ends = a.x[:0], a.cells[:0], a.ends[:0]
	}
	p.ahead.split(&p.scan.window, func(part int, line []byte) bool {
		return p.ahead.parts[part].read(&p.csvColumns, p.scan.comma, line)
	})
}

// read reads a record that has the right number of cells.
func (a *csvPart) read(c *csvColumns, comma byte, rec []byte) bool {
	k, n := len(a.x), len(a.cells)
	for range c.values {
		a.x = append(a.x, 0)
	}
	cells, whole := c.numbers(rec, comma, a.x[k:], a.cells)
	if !whole {
		a.x, a.cells = a.x[:k], cells[:n]
		return false
	}
	a.cells, a.ends = cells, append(a.ends, len(cells))
	return true
}

// take copies the numbers of the record at a place of the window to x, and returns its other cells; false if it was not
// read ahead.
func (a *csvAhead) take(start int, x []float64) (cells []csvCell, ok bool) {
	if !a.find(start) {
		return nil, false
	}
	p := &a.parts[a.part]
	copy(x, p.x[a.row*len(x):])
	if a.row == 0 {
		return p.cells[:p.ends[0]], true
	}
	return p.cells[p.ends[a.row-1]:p.ends[a.row]], true
}
