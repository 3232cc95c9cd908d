package model

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
)

// textReader reads a text of lines "key words" up to one that ends the header, then other lines.
type textReader struct {
	file   string
	lines  *bufio.Reader
	line   int
	budget *budget
	read   int64               // bytes of the file so far
	header map[string][]string // key → words after it
	err    error               // the first one of the header's values
}

func newTextReader(r io.Reader, file string, b *budget) textReader {
	return textReader{file: file, lines: bufio.NewReaderSize(r, 64<<10), budget: b,
		header: make(map[string][]string)}
}

// classifier reads a model by its steps: the lines of the header, their values, the lines after them.
func (p *textReader) classifier(keys []string, end string, header func(), body func() error,
	parts func() (Parts, error)) (*Classifier, error) {
	if err := p.readKeys(keys, end); err != nil {
		return nil, err
	}
	if header(); p.err != nil {
		return nil, p.err
	}
	if err := body(); err != nil {
		return nil, err
	}
	q, err := parts()
	if err != nil {
		return nil, err
	}
	c, err := newWithin(q, p.budget)
	return c, inFile(p.file, err)
}

func (p *textReader) fail(found, want string) error {
	return &dataset.Error{File: p.file, Line: p.line, Found: found, Want: want}
}

// bad keeps the first error of the header's values.
func (p *textReader) bad(found, want string) {
	if p.err == nil {
		p.err = p.fail(found, want)
	}
}

// next returns the next line without its end; whole is false if the file stops within it.
func (p *textReader) next() (text string, whole bool, err error) {
	var b []byte
	for more := true; more; {
		var part []byte
		part, err = p.lines.ReadSlice('\n')
		if more = err == bufio.ErrBufferFull; int64(len(b)+len(part)) > p.budget.left/lineBytes {
			return "", false, inFile(fmt.Sprintf("%s:%d", p.file, p.line+1), p.budget.over())
		}
		b = append(b, part...)
	}
	if err == io.EOF && len(b) == 0 {
		return "", false, io.EOF
	}
	if err != nil && err != io.EOF {
		return "", false, fmt.Errorf("%s:%d: %w", p.file, p.line+1, err)
	}
	p.line++
	p.read += int64(len(b))
	return string(bytes.TrimRight(b, "\r\n")), err == nil, nil
}

// readKeys reads the header, including the line that ends it.
func (p *textReader) readKeys(keys []string, end string) error {
	for {
		text, _, err := p.next()
		if err == io.EOF {
			p.line++
			return p.fail("the end of the file", "a line "+end+" (the file is truncated)")
		}
		if err != nil {
			return err
		}
		words := strings.Fields(text)
		if len(words) == 0 {
			return p.fail("an empty line", "a header line")
		}
		key := words[0]
		_, seen := p.header[key]
		switch {
		case key == end:
			return nil
		case !slices.Contains(keys, key):
			return p.fail(fmt.Sprintf("unknown key %.40q", key), "one of "+strings.Join(keys, ", ")+", "+end)
		case seen:
			return p.fail("a second "+key, "each key once")
		}
		if err := p.budget.take(int64(len(text)), headerBytes); err != nil {
			return inFile(p.file, err)
		}
		p.header[key] = words[1:]
	}
}

// body reads n lines after the header, and then empty lines only, or comments. Its errors call the lines what, and
// their number count and missing.
func (p *textReader) body(n int, what, count, missing string, comments bool, read func(text string) error) error {
	for i := 0; ; i++ {
		text, whole, err := p.next()
		switch {
		case err == io.EOF && i < n:
			p.line++
			return p.fail(fmt.Sprintf("the end of the file after %d %s", i, what), missing+" (the file is truncated)")
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case i >= n && (strings.TrimSpace(text) == "" || comments && text[0] == '#'):
			continue
		case i >= n:
			return p.fail("another line", count)
		case !whole:
			return p.fail("the end of the file within a line", "a line end (the file is truncated)")
		}
		if err = read(text); err != nil {
			return err
		}
	}
}

// limit bounds the memory of the vectors: a file of a few bytes must not take gigabytes. The vectors are stored as
// rows and packed.
func (p *textReader) limit() int64 {
	return min(MaxBytes, p.budget.left, freeBytes+bytesPerByte*p.read)
}

// fits reports whether n vectors of d features keep to the limit with every zero stored.
func (p *textReader) fits(n, d int) bool { return max(int64(n), packedAtOnce) <= p.limit()/16/int64(d) }

// word returns the value of a key that has one, or "".
func (p *textReader) word(key string) string {
	if w := p.header[key]; len(w) == 1 {
		return w[0]
	}
	return ""
}

func (p *textReader) integer(key string, atLeast int) int {
	v, err := strconv.ParseInt(p.word(key), 10, 32)
	if err != nil || int(v) < atLeast {
		p.bad(fmt.Sprintf("%s %.40q", key, strings.Join(p.header[key], " ")), fmt.Sprintf("an integer from %d", atLeast))
	}
	return int(v)
}

// words returns the n numbers of a key, or none after an error.
func (p *textReader) words(key string, n int) []string {
	words := p.header[key]
	if len(words) != n {
		p.bad(fmt.Sprintf("%d numbers of %s", len(words), key), strconv.Itoa(n))
	}
	if p.err != nil {
		return nil
	}
	return words
}

func (p *textReader) floats(key string, n int) (v []float64) {
	for _, w := range p.words(key, n) {
		x, ok := parseFinite(w)
		if !ok {
			p.bad(fmt.Sprintf("%s %.40q", key, w), "a finite number")
		}
		v = append(v, x)
	}
	return v
}

func (p *textReader) number(key string) float64 {
	v := p.floats(key, 1)
	if p.err != nil {
		return 0
	}
	return v[0]
}

func parseFinite(w string) (float64, bool) {
	v, err := strconv.ParseFloat(w, 64)
	return v, (err == nil || errors.Is(err, strconv.ErrRange)) && finite(v) && !strings.Contains(w, "_")
}

// A line takes lineBytes for each of its bytes while it is split into words. What becomes of the header takes
// headerBytes for each: a word of two bytes may be the bias of a submodel.
const (
	lineBytes   = 16
	headerBytes = 96
)

// A file of n bytes may take freeBytes + bytesPerByte·n of memory with its zeros stored. Packed vectors take the room
// of at least packedAtOnce.
const (
	freeBytes    = 64 << 20
	bytesPerByte = 4096
	packedAtOnce = 16
)
