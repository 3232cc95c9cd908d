package dataset

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// csvLayout is how the text of a table differs from RFC 4180.
type csvLayout struct {
	blanks   bool // runs of blanks and tabs separate cells
	whole    bool // a pair of quotes is around each line
	trailing bool // a delimiter ends each line, or the header
	titles   int  // records above the header
	rowNames bool // the header has no name for the first column
	counts   bool // the header is numbers
}

// changes reports whether records are not the file's lines.
func (l *csvLayout) changes() bool { return l.blanks || l.whole || l.trailing }

// arrange makes a record of a line as RFC 4180 has it, in its place.
func (l *csvLayout) arrange(rec []byte, comma byte) []byte {
	if l.whole {
		rec = bytes.TrimSpace(rec)
		if n := len(rec); n > 1 && rec[0] == '"' && rec[n-1] == '"' {
			rec = append(rec[:0], bytes.ReplaceAll(rec[1:n-1], []byte(`""`), []byte{'"'})...)
		}
	}
	if l.blanks {
		rec = withTabs(rec)
	}
	if n := len(rec); l.trailing && n > 0 && rec[n-1] == comma {
		rec = rec[:n-1]
	}
	return rec
}

// withTabs puts a tab in the place of each run of blanks outside of quotes.
func withTabs(rec []byte) []byte {
	rec = bytes.Trim(rec, " \t")
	to, quoted, blank := rec[:0], false, false
	for _, c := range rec {
		if c == '"' {
			quoted = !quoted
		}
		if !quoted && (c == ' ' || c == '\t') {
			blank = true
			continue
		}
		if blank {
			to, blank = append(to, '\t'), false
		}
		to = append(to, c)
	}
	return to
}

// delimiters are tried in this order; a blank stands for runs of them.
const delimiters = ",;\t| "

// declared is the delimiter that the first line names, as Excel's do (sep=;), and uses the line. 0 is none.
func (s *csvScanner) declared() rune {
	line, _, _ := bytes.Cut(s.buf[s.lo:s.hi], []byte{'\n'})
	word := bytes.Trim(line, "\" \r")
	if len(word) != 5 || !bytes.EqualFold(word[:4], []byte("sep=")) || word[4] >= 0x80 {
		return 0
	}
	s.lo, s.lines = min(s.hi, s.lo+len(line)+1), s.lines+1
	return rune(word[4])
}

// sampled returns the first records by a delimiter and a layout.
func (s *csvScanner) sampled(delimiter byte, l csvLayout) [][]string {
	t := *s
	t.setDelimiter(delimiter, l)
	return t.sample(headerSample)
}

// setDelimiter says how records are read.
func (s *csvScanner) setDelimiter(delimiter byte, l csvLayout) {
	if l.blanks = delimiter == ' '; l.blanks {
		delimiter = '\t'
	}
	s.comma, s.layout = delimiter, l
}

// shape is the most frequent number of cells of some records.
type shape struct{ width, first, rows int }

// shapeOf finds the shape, its first record, and how many there are from that on.
func shapeOf(records [][]string) (s shape) {
	counts := make(map[int]int)
	for _, r := range records {
		counts[len(r)]++
		if n := counts[len(r)]; n > counts[s.width] || n == counts[s.width] && len(r) > s.width {
			s.width = len(r)
		}
	}
	s.first = slices.IndexFunc(records, func(r []string) bool { return len(r) == s.width })
	s.rows = counts[s.width]
	return s
}

// table reports whether records are rows of several cells, but for lines above the first one and some that are faulty.
func (s shape) table(records int) bool { return s.width > 1 && 10*s.rows >= 9*(records-s.first) }

// layOut finds what separates cells, and lines above the header. A table that the most frequent delimiter of its first
// line reads is read by it.
func (p *csvParser) layOut(first byte) {
	best := csvLayout{}
	for _, whole := range []bool{false, true} {
		l, most := csvLayout{whole: whole}, 0
		chosen := first
		for _, d := range append([]byte{first}, delimiters...) {
			if p.Delimiter != 0 && d != first || d == ',' && p.Decimal == ',' {
				continue
			}
			records := p.scan.sampled(d, l)
			s := shapeOf(records)
			if !s.table(len(records)) || d == ' ' && s.rows < len(records)-s.first || len(records) < 2 && d != first {
				continue
			}
			if s.rows > most {
				most, chosen, best = s.rows, d, l
			}
			if d == first && s.first == 0 {
				break
			}
		}
		if most > 0 {
			first = chosen
			break
		}
	}
	switch {
	case p.Delimiter != 0:
	case first == ',' && p.decimalCommas(best):
		first = ';'
	case first == '\t' && p.blanksBeside(best):
		first = ' '
	}
	p.scan.setDelimiter(first, best)
	p.above()
}

// decimalCommas reports whether semicolons separate cells, of which those with a comma are numbers.
func (p *csvParser) decimalCommas(l csvLayout) bool {
	records, some := p.scan.sampled(';', l), false
	s := shapeOf(records)
	for _, r := range records[min(1, len(records)):] {
		for _, cell := range r {
			comma := strings.Contains(cell, ",")
			if comma && !decimalComma(cell) {
				return false
			}
			some = some || comma
		}
	}
	return some && s.width > 1 && s.rows == len(records)
}

// blanksBeside reports whether blanks separate cells besides tabs: more cells then, and more numbers among them.
func (p *csvParser) blanksBeside(l csvLayout) bool {
	tabs, blanks := p.scan.sampled('\t', l), p.scan.sampled(' ', l)
	s := shapeOf(blanks)
	share := func(records [][]string) float64 {
		cells, numbers := 0, 0
		for _, r := range records {
			for _, cell := range r {
				if cells++; p.isNumber(cell) {
					numbers++
				}
			}
		}
		return float64(numbers) / float64(max(1, cells))
	}
	return s.width > shapeOf(tabs).width && s.rows == len(blanks) && share(blanks) > share(tabs)
}

// above finds lines above the header, a header that lacks the name of the rows' names, and delimiters at the ends of
// lines.
func (p *csvParser) above() {
	l := &p.scan.layout
	records := p.scan.sample(headerSample)
	s := shapeOf(records)
	if !s.table(len(records)) || len(records) < 2 {
		return
	}
	rows := records[s.first:]
	empty := func(r []string) bool { return r[len(r)-1] == "" }
	lacks := s.first > 0 && len(records[s.first-1]) == s.width-1 && !slices.ContainsFunc(records[s.first-1], p.isNumber)
	switch {
	case s.first == 0 && len(rows) > 1 && empty(rows[0]) && s.width > 2 && all(rows, empty):
		l.trailing = true
	case lacks && s.width > 2 && all(rows, empty):
		l.trailing = true
		s.first--
	case lacks && p.Header != HeaderNo && len(rows) > 1:
		l.rowNames = true
		s.first--
	case s.first > 0 && len(records[s.first-1]) == s.width+1 && empty(records[s.first-1]):
		l.trailing = true
		s.first--
	}
	for s.first < len(records)-1 && onlyTitle(records[s.first], s.width) {
		s.first++
	}
	if s.first > 0 && s.first < len(records)-1 && all(records[:s.first], func(r []string) bool {
		return strings.HasPrefix(r[0], "#") || strings.HasPrefix(r[0], "%") || onlyTitle(r, s.width)
	}) {
		l.titles = s.first
	}
	if s.first > 0 && l.titles == 0 {
		l.rowNames, l.trailing = false, false
	}
}

func all[T any](list []T, f func(T) bool) bool {
	return !slices.ContainsFunc(list, func(v T) bool { return !f(v) })
}

// onlyTitle reports whether a record has text in half of its cells at most, and no number.
func onlyTitle(r []string, width int) bool {
	some := 0
	for _, cell := range r {
		if cell != "" {
			some++
		}
		if isNumber([]byte(cell)) {
			return false
		}
	}
	return 2*some <= width && width > 2 || len(r) == 1 && width > 1
}

// String says what is unusual.
func (l *csvLayout) String() string {
	var parts []string
	add := func(is bool, text string) {
		if is {
			parts = append(parts, text)
		}
	}
	add(l.blanks, "cells are separated by blanks")
	add(l.whole, "quotes around whole lines are left out")
	add(l.titles == 1, "the first line is left out")
	add(l.titles > 1, fmt.Sprintf("the first %d lines are left out", l.titles))
	add(l.rowNames, "the first column has no name")
	add(l.counts, "the first line, of rising numbers, is taken for names (--header no reads samples)")
	return strings.Join(parts, "; ")
}
