package dataset

import "bytes"

// csvCell is a cell of a record that numbers has left.
type csvCell struct{ column, from, to int }

// numbers reads the numbers of a record without quotes to x, in one pass over its bytes, and appends the other cells
// that matter to cells. It returns false if the record has another number of cells. It changes nothing but x.
func (c *csvColumns) numbers(rec []byte, comma byte, x []float64, cells []csvCell) (rest []csvCell, whole bool) {
	i := 0
	beyond := rec[:min(len(rec)+8, cap(rec))] // scanNumber reads eight bytes at a time
	for j, k := range c.plainAt {
		if i > len(rec) {
			return cells, false
		}
		if k >= 0 {
			v, end, ok := scanNumber(beyond, i)
			if ok && (end == len(rec) || end < len(rec) && rec[end] == comma) {
				x[k], i = v, end+1
				continue
			}
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
	return cells, i > len(rec)
}

// csvAhead has the numbers of records to come.
type csvAhead struct {
	ahead
	cells []csvCell // of the record that is read, if its numbers are not here
	parts []csvPart
}

// csvPart are records of a part of the window.
type csvPart struct {
	rows  []csvRow
	x     []float64 // of all rows
	cells []csvCell // of all rows
}

// csvRow is a record at a place of the window; its cells end the part's first so many.
type csvRow struct{ start, cells int }

// readAhead reads what has come into the window. A line inside of quotes is read in vain: no record begins there.
func (p *csvParser) readAhead() {
	if !p.ahead.due(&p.scan.window) {
		return
	}
	if p.ahead.parts == nil {
		p.ahead.parts = make([]csvPart, p.ahead.threads)
	}
	w := &p.scan.window
	p.ahead.split(w, func(part, from, to int) {
		p.ahead.parts[part].read(&p.csvColumns, p.scan.comma, w.buf, from, to)
	})
}

// read reads the records of buf[from:to] that have the right number of cells.
func (a *csvPart) read(c *csvColumns, comma byte, buf []byte, from, to int) {
	a.rows, a.x, a.cells = a.rows[:0], a.x[:0], a.cells[:0]
	for from < to {
		end := from + bytes.IndexByte(buf[from:to], '\n')
		rec := bytes.TrimSuffix(buf[from:end], []byte{'\r'})
		k, n := len(a.x), len(a.cells)
		for range c.values {
			a.x = append(a.x, 0)
		}
		whole := false
		if a.cells, whole = c.numbers(rec, comma, a.x[k:], a.cells); whole {
			a.rows = append(a.rows, csvRow{from, len(a.cells)})
		} else {
			a.x, a.cells = a.x[:k], a.cells[:n]
		}
		from = end + 1
	}
}

// take copies the numbers of the record at a place of the window to x, and returns its other cells; false if it was not
// read ahead.
func (a *csvAhead) take(start int, x []float64) (cells []csvCell, ok bool) {
	for a.threads > 0 && a.part < len(a.parts) {
		p := &a.parts[a.part]
		for ; a.row < len(p.rows) && p.rows[a.row].start <= start; a.row++ {
			if r := p.rows[a.row]; r.start == start {
				copy(x, p.x[a.row*len(x):])
				if a.row > 0 {
					return p.cells[p.rows[a.row-1].cells:r.cells], true
				}
				return p.cells[:r.cells], true
			}
		}
		if a.row < len(p.rows) {
			break
		}
		a.part, a.row = a.part+1, 0
	}
	return nil, false
}
