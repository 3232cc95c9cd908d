package dataset

import (
	"bytes"
	"errors"
	"io"
)

// csvScanner splits a CSV file into records: a line, or several lines if a quoted cell has line ends. The grammar is
// RFC 4180's as encoding/csv reads it; a fuzz test compares the two. Since it is strict about quotes, it finds the end
// of a record by counting them.
type csvScanner struct {
	window
	comma  byte
	layout csvLayout
	max    int // bytes of a record
	lines  int // lines used

	start  int  // of the record, in the window
	line   int  // of the record's first byte, from 1
	quoted bool // the record has quotes
	ended  bool // the record's last line has its line end
	fields []csvField
	text   []byte // cells without their quotes
}

// csvField is a cell with its position.
type csvField struct {
	tok       []byte
	line, col int
}

const (
	csvBlock = 256 << 10 // bytes of a read: many for one call, few for the cache
	csvHead  = 64 << 10  // bytes that are read before the first record
)

// newCSVScanner reads at least head bytes, or all of a shorter file.
func newCSVScanner(r io.Reader, limit, head int) *csvScanner {
	s := &csvScanner{window: window{r: r, buf: make([]byte, csvBlock)}, max: limit}
	for s.err == nil && s.hi < head {
		s.fill()
	}
	if bytes.HasPrefix(s.buf[:s.hi], []byte("\ufeff")) {
		s.lo = len("\ufeff")
	}
	return s
}

// next returns the next record without its line end; io.EOF at the end. The record is valid until the next call.
func (s *csvScanner) next() ([]byte, error) {
	if n := s.known(); n > 0 && n <= s.max {
		s.lines++
		s.line, s.quoted, s.ended, s.start = s.lines, false, true, s.lo
		s.lo += n
		return trimEOL(s.buf[s.start:s.lo]), nil
	}
	for before := 0; ; { // bytes of empty lines
		s.line, s.quoted = s.lines+1, false
		end, odd, last := 0, false, false // bytes of the record so far, whether a quote is open, whether the file ends
		for {
			k := bytes.IndexByte(s.buf[s.lo+end:s.hi], '\n')
			if k < 0 && s.err == nil {
				if s.hi-s.lo+before > s.max {
					return nil, errLongRow
				}
				s.fill()
				continue
			}
			part := s.buf[s.lo+end : s.hi]
			if k >= 0 {
				part = part[:k+1]
			}
			if before+end+len(part) > s.max+1 { // the line end does not count
				return nil, errLongRow
			}
			if bytes.IndexByte(part, '"') >= 0 {
				s.quoted = true
				odd = odd != (bytes.Count(part, []byte{'"'})%2 == 1)
			}
			end += len(part)
			if len(part) > 0 {
				s.lines++
			}
			if last = k < 0; last || !odd {
				break
			}
		}
		if last && s.err != io.EOF {
			return nil, s.err
		}
		rec := s.buf[s.lo : s.lo+end]
		s.ended = bytes.HasSuffix(rec, []byte{'\n'})
		s.start = s.lo
		s.lo += end
		before += end
		if rec = trimEOL(rec); s.layout.changes() {
			rec = s.layout.arrange(rec, s.comma)
			s.quoted = s.quoted && bytes.IndexByte(rec, '"') >= 0
		}
		if len(rec) > 0 {
			return rec, nil
		}
		if last {
			return nil, io.EOF
		}
	}
}

func trimEOL(rec []byte) []byte { return withoutCR(bytes.TrimSuffix(rec, []byte{'\n'})) }

var errLongRow = errors.New("a long row")

// quoteError is a quote that the grammar does not allow.
type quoteError struct{ line, col int }

// Error describes the fault without its position.
func (e *quoteError) Error() string { return "a misplaced quote" }

// split returns the cells of a record, which are valid as long as the record.
func (s *csvScanner) split(rec []byte) ([]csvField, error) {
	s.fields, s.text = s.fields[:0], s.text[:0]
	if !s.quoted {
		for col := 1; ; {
			k := bytes.IndexByte(rec, s.comma)
			if k < 0 {
				s.fields = append(s.fields, csvField{rec, s.line, col})
				return s.fields, nil
			}
			s.fields = append(s.fields, csvField{rec[:k], s.line, col})
			rec, col = rec[k+1:], col+k+1
		}
	}
	if cap(s.text) < len(rec) {
		s.text = make([]byte, 0, 2*len(rec)) // cells refer to it, so it must not grow later
	}
	line, begin := s.line, 0 // begin of the line in rec
	for i := 0; ; i++ {
		f := csvField{line: line, col: i - begin + 1}
		var err error
		if i < len(rec) && rec[i] == '"' {
			f.tok, i, line, begin, err = s.quotedCell(rec, i, line, begin)
		} else {
			k := bytes.IndexByte(rec[i:], s.comma)
			if k < 0 {
				k = len(rec) - i
			}
			f.tok = rec[i : i+k]
			if q := bytes.IndexByte(f.tok, '"'); q >= 0 {
				err = &quoteError{line, f.col + q}
			}
			i += k
		}
		if err != nil {
			return nil, err
		}
		s.fields = append(s.fields, f)
		if i == len(rec) {
			return s.fields, nil
		}
	}
}

// quotedCell returns the cell whose quote opens at i, and the position after its closing quote.
func (s *csvScanner) quotedCell(rec []byte, i, line, begin int) (cell []byte, end, lastLine, lastBegin int, err error) {
	from := len(s.text)
	for i++; i < len(rec); i++ {
		switch c := rec[i]; {
		case c != '"':
			if c == '\n' {
				line, begin = line+1, i+1
			}
			if c != '\r' || i+1 >= len(rec) || rec[i+1] != '\n' { // line ends inside become \n
				s.text = append(s.text, c)
			}
		case i+1 == len(rec) || rec[i+1] == s.comma:
			return s.text[from:len(s.text):len(s.text)], i + 1, line, begin, nil
		case rec[i+1] == '"':
			s.text = append(s.text, '"')
			i++
		default:
			return nil, 0, 0, 0, &quoteError{line, i - begin + 1}
		}
	}
	col := len(rec) - begin + 1
	if s.ended {
		col++ // behind the line end
	}
	return nil, 0, 0, 0, &quoteError{line, col}
}

// sample returns the cells of the next n records at most, of complete records within the next csvHead bytes that were
// read already. It does not move the scanner.
func (s *csvScanner) sample(n int) (records [][]string) {
	t := *s
	t.fields, t.text = nil, nil
	t.r = nil
	t.buf = bytes.Clone(s.buf[s.lo:min(s.hi, s.lo+csvHead)])
	t.lo, t.hi = 0, len(t.buf)
	whole := errors.Is(s.err, io.EOF) && s.hi-s.lo == t.hi
	t.err = io.EOF
	for len(records) < n {
		rec, err := t.next()
		if err != nil || !t.ended && !whole {
			break
		}
		fields, err := t.split(rec)
		if err != nil && (rec[0] == '#' || rec[0] == '%') { // a comment with a quote
			records = append(records, []string{string(rec)})
			continue
		}
		if err != nil {
			break
		}
		row := make([]string, len(fields))
		for i, f := range fields {
			row[i] = string(bytes.TrimSpace(f.tok))
		}
		records = append(records, row)
	}
	return records
}
