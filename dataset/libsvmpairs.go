package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

// features reads the index:value pairs from position at.
func (p *libsvmParser) features(line []byte, pos int) error {
	row, d, last, pairs := p.pairs[:0], p.d, -1, 0
	for {
		var usual int
		row, pos, last, usual = p.usualPairs(line, pos, last, row)
		if pairs += usual; usual > 0 {
			d = max(d, last+1)
		}
		if pos == len(line) || line[pos] == '#' {
			break
		}
		i, v, end, err := p.anyPair(line, pos, last)
		if err == errZero {
			if err = p.fromZero(pos); err == nil {
				return p.features(line, pos)
			}
		}
		if err != nil {
			return err
		}
		last = i
		pairs++
		if p.Features > 0 && i >= p.Features {
			if !p.IgnoreExtra {
				index, _, _ := bytes.Cut(line[pos:], []byte{':'})
				return p.fail(pos, "index "+string(index), fmt.Sprintf("at most %d features", p.Features))
			}
		} else if d = max(d, i+1); v != 0 {
			row = append(row, entry{int32(i), v})
		}
		pos = skipBlank(line, end)
	}
	p.d, p.pairs = d, row
	p.addRow(row)
	p.rowEnds(last, pairs)
	return nil
}

// addRow adds a copy of a row's entries.
func (p *libsvmParser) addRow(row []entry) {
	copy(p.entries.next(len(row)), row)
	p.counts.add(int32(len(row)))
}

// usualPairs reads pairs in the usual form from position at, up to a feature that is not allowed, and appends the ones
// that are not 0 to row. It returns the position of what comes next, the last feature, and the number of pairs.
func (p *libsvmParser) usualPairs(line []byte, pos, last int, row []entry) (to []entry, end, feature, pairs int) {
	more, first, largest := afterLine(line), 1, math.MaxInt32
	if p.ZeroBased {
		first = 0
	}
	if p.Features > 0 {
		largest = p.Features
	}
	for ; pos < len(line); pairs++ {
		i, v, after := shortPair(more, pos)
		if i -= first; after == 0 || i <= last || i >= largest {
			var ok bool
			if pos = skipBlank(line, pos); pos == len(line) {
				break
			}
			if i, v, after, ok = p.pair(line, more, pos, last); !ok || i >= largest {
				break
			}
			after = skipBlank(line, after)
		}
		if v != 0 {
			row = append(row, entry{int32(i), v})
		}
		pos, last = after, i
	}
	return row, pos, last, pairs
}

// shortPair reads an index of up to four digits with a value of one digit, and returns the position after them and a
// blank; 0 for anything else.
func shortPair(b []byte, pos int) (i int, v float64, after int) {
	if pos+8 > len(b) {
		return 0, 0, 0
	}
	t := binary.LittleEndian.Uint64(b[pos:]) ^ '0'*each
	n := uint(bits.TrailingZeros64((t+(0x80-10)*each|t)&(0x80*each))) &^ 7 // bits of the index, as in eight
	rest := t >> (n & 63)
	if n-8 > 24 || rest&0xff != ':'^'0' || rest>>8&0xff > 9 {
		return 0, 0, 0
	}
	u := uint32(t) << ((32 - n) & 31)
	u = (u*10 + u>>8) & 0x00ff00ff
	u = (u*100 + u>>16) & 0x0000ffff
	after = pos + int(n/8) + 2
	switch rest >> 16 & 0xff {
	case ' ' ^ '0':
		after++
	case '\n' ^ '0', '\r' ^ '0':
	default:
		return 0, 0, 0
	}
	return int(u), float64(rest >> 8 & 0xff), after
}

// rowEnds notes that a row of so many pairs ends at feature last.
func (p *libsvmParser) rowEnds(last, pairs int) {
	if !p.some {
		p.end, p.some = last, true
	}
	p.ragged = p.ragged || last != p.end
	if p.full = pairs; pairs != last+1 {
		p.full = 0
	}
}

// pair reads index:value at a position, if both are in the usual form and the index is greater than last. It returns
// the position after the pair. More is [afterLine].
func (p *libsvmParser) pair(line, more []byte, pos, last int) (i int, v float64, end int, ok bool) {
	from := pos
	if i, pos = indexAt(more, pos); !p.ZeroBased {
		i--
	}
	if pos == from || pos-from > 9 || i <= last || pos >= len(line) || line[pos] != ':' {
		return 0, 0, 0, false
	}
	v, end, ok = scanNumber(more, pos+1)
	return i, v, end, ok && (end == len(line) || end < len(line) && line[end] == ' ')
}

// indexAt reads the digits at a position and returns the position after them.
func indexAt(b []byte, pos int) (i, end int) {
	if pos+8 <= len(b) {
		if v, n := eight(binary.LittleEndian.Uint64(b[pos:])); n < 8 {
			return int(v), pos + int(n)
		}
	}
	for ; pos < len(b) && b[pos]-'0' <= 9; pos++ {
		i = 10*i + int(b[pos]-'0')
	}
	return i, pos
}

// afterLine returns the line with the bytes after it in its buffer, if they begin with the line's end: digits can
// then be read eight at a time.
func afterLine(line []byte) []byte {
	if n := len(line); n < cap(line) {
		if more := line[:cap(line)]; more[n] == '\n' || more[n] == '\r' {
			return more
		}
	}
	return line
}

// anyPair reads index:value in any form; anything else is an error.
func (p *libsvmParser) anyPair(line []byte, pos, last int) (i int, v float64, end int, err error) {
	end = tokenEnd(line, pos)
	colon := pos + bytes.IndexByte(line[pos:end], ':')
	if colon < pos {
		return 0, 0, 0, p.fail(pos, quote(line[pos:end]), "index:value")
	}
	i, ok := parseIndex(line[pos:colon])
	if !ok {
		return 0, 0, 0, p.fail(pos, "index "+quote(line[pos:colon]), "an integer up to 2147483647")
	}
	if !p.ZeroBased {
		i--
	}
	switch {
	case i < 0 && last < 0:
		return 0, 0, 0, errZero
	case i == last:
		return 0, 0, 0, p.fail(pos, fmt.Sprintf("index %s twice", line[pos:colon]), "ascending indices")
	case i < last:
		return 0, 0, 0, p.fail(pos, fmt.Sprintf("index %s after a larger one", line[pos:colon]), "ascending indices")
	}
	from := colon + 1
	if from == end { // "1: 5", which C's scanf-like readers accept
		from = skipBlank(line, end)
		end = tokenEnd(line, from)
	}
	v, found := parseFloat(line[from:end])
	if found != "" {
		return 0, 0, 0, p.fail(from, found, "a finite number")
	}
	return i, v, end, nil
}

// errZero is index 0 in a file whose indices began at 1 so far.
var errZero = errors.New("index 0")

// fromZero makes the indices start at 0, also those of the rows so far.
func (p *libsvmParser) fromZero(pos int) error {
	if p.Features > 0 && p.d == p.Features {
		return p.fail(pos, "index 0", fmt.Sprintf("indices from 1 to %d, as rows before have them", p.d))
	}
	if p.steady {
		p.spill()
	}
	for _, piece := range append(p.entries.full, p.entries.last) {
		for k := range piece {
			piece[k].index++
		}
	}
	if p.ZeroBased = true; p.d > 0 {
		p.d++
	}
	if p.end >= 0 {
		p.end++
	}
	return nil
}

// parseIndex reads digits with a value below 2³¹.
func parseIndex(tok []byte) (int, bool) {
	if len(tok) > 0 && tok[0] == '+' {
		tok = tok[1:]
	}
	if len(tok) == 0 || len(tok) > 10 {
		return 0, false
	}
	var v int64
	for _, c := range tok {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + int64(c-'0')
	}
	return int(v), v <= math.MaxInt32
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

// skipBlank returns the first position from at on that is not white space.
func skipBlank(line []byte, pos int) int {
	for pos < len(line) && blank(line[pos]) {
		pos++
	}
	return pos
}

// tokenEnd returns the position after the token that starts at at.
func tokenEnd(line []byte, pos int) int {
	for pos < len(line) && !blank(line[pos]) {
		pos++
	}
	return pos
}

// Files of dense samples list the features 1 to d in every row. As long as they do, the parser keeps the values without
// their indices, in half of the memory.

// settle checks the n-th row, which was just read. It begins to keep values without indices if the first row lists all
// features, and stops if so many are 0 that the samples may stay sparse.
func (p *libsvmParser) settle() {
	switch {
	case p.n == 1 && p.full > 0 && (p.Features == 0 || p.Features == p.d) && p.Width <= p.d:
		p.steady, p.nonzeros = true, p.entries.count
		row := p.values.next(p.d)
		for e := range p.entries.all {
			row[e.index] = e.value
		}
		p.entries, p.counts = pieces[entry]{}, pieces[int32]{}
		p.heads = p.indices(p.d)
	case p.steady && p.wide() && float64(p.nonzeros) < sparseShare*float64(p.n)*float64(p.d):
		p.spill()
	}
}

// indexText is the text of an index and its colon.
type indexText struct {
	text, mask uint64
	bytes      int
}

// indices are the heads of d features; nil for too many.
func (p *libsvmParser) indices(d int) []indexText {
	if d > denseFeatures {
		return nil
	}
	heads := make([]indexText, d)
	for j := range heads {
		i := j + 1
		if p.ZeroBased {
			i = j
		}
		var text [8]byte
		n := len(append(strconv.AppendInt(text[:0], int64(i), 10), ':'))
		text[n-1] = ':'
		heads[j] = indexText{binary.LittleEndian.Uint64(text[:]), 1<<(8*n) - 1, n}
	}
	return heads
}

// value is pair for feature j, which is the next one.
func (p *libsvmParser) value(line, more []byte, pos, j int) (v float64, end int, ok bool) {
	if j < len(p.heads) && pos+8 <= len(more) {
		if h := &p.heads[j]; binary.LittleEndian.Uint64(more[pos:])&h.mask == h.text {
			v, end, ok = scanNumber(more, pos+h.bytes)
			return v, end, ok && (end == len(line) || end < len(line) && line[end] == ' ')
		}
	}
	i, v, end, ok := p.pair(line, more, pos, j-1)
	return v, end, ok && i == j
}

// valuesInto reads the features 1 to d from a position to row, and counts those that are not 0. It returns false if
// the line lists anything else.
func (p *libsvmParser) valuesInto(line []byte, pos int, row []float64) (nonzeros int, ok bool) {
	more := afterLine(line)
	for j := range row {
		v, end, ok := p.value(line, more, pos, j)
		if !ok {
			i, unusual, after, err := p.anyPair(line, skipBlank(line, pos), j-1)
			if err != nil || i != j {
				return 0, false
			}
			v, end = unusual, after
		}
		if row[j] = v + 0; v != 0 { // -0 becomes 0, as with indices
			nonzeros++
		}
		if pos = end; pos < len(line) && line[pos] == ' ' {
			pos++
		}
	}
	return nonzeros, skipBlank(line, pos) == len(line)
}

// steadyRow adds the row of a line whose features begin at a position. If they are not 1 to d it returns false, and the
// values so far have their indices again.
func (p *libsvmParser) steadyRow(line []byte, pos int) bool {
	nonzeros, ok := p.valuesInto(line, pos, p.values.next(p.d))
	if !ok {
		p.values.back(p.d)
		p.spill()
		return false
	}
	p.nonzeros += nonzeros
	return true
}

// spill gives the values of all rows their indices.
func (p *libsvmParser) spill() {
	for _, piece := range append(p.values.full, p.values.last) {
		for ; len(piece) > 0; piece = piece[p.d:] {
			p.pairs = p.pairs[:0]
			for j, v := range piece[:p.d] {
				if v != 0 {
					p.pairs = append(p.pairs, entry{int32(j), v})
				}
			}
			p.addRow(p.pairs)
		}
	}
	p.values, p.steady, p.nonzeros = pieces[float64]{}, false, 0
}
