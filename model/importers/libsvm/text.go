// Package libsvm reads the model files of LIBSVM and LIBLINEAR, and writes LIBSVM's. A blank import makes package model
// know them.
//
// A LIBSVM file keeps its order of classes, and with it every sign; Parts.Method is "svc", "nu-svc", "one-class", "svr"
// or "nu-svr". With a precomputed kernel it has serial numbers only, see [gram.Kernel.Indexed]. Unlike LIBSVM, the
// reader refuses a truncated file. A LIBLINEAR file gives linear models, one vector of weights a submodel, with the
// classes in the order of the file; of two classes the first is positive. Logistic regressions have probabilities.
// Parts.Method is the file's solver_type in lower case and with hyphens.
package libsvm

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/model"
)

func init() {
	model.Register(model.Codec{Name: string(model.LIBSVM), Want: "LIBSVM's (svm_type ...)",
		Begins: func(head []byte) bool {
			return slices.Contains([]string{"svm_type", "kernel_t", "nr_class"}, string(head))
		},
		Read: read, Write: write})
	model.Register(model.Codec{Name: "liblinear", Want: "LIBLINEAR's (solver_type ...)",
		Begins: func(head []byte) bool { return string(head) == "solver_t" }, Read: readLinear})
}

// textReader reads a text of lines "key words" up to one that ends the header, then other lines.
type textReader struct {
	file   string
	rest   []byte // what is not read yet
	size   int64  // bytes of the file
	line   int
	budget *model.Budget
	header map[string][]string // key → words after it
	err    error               // the first one, after which nothing is read
}

func newTextReader(data []byte, file string, b *model.Budget) textReader {
	return textReader{file: file, rest: data, size: int64(len(data)), budget: b, header: make(map[string][]string)}
}

// bad keeps the first error.
func (p *textReader) bad(found, want string) {
	if p.err == nil {
		p.err = &dataset.Error{File: p.file, Line: p.line, Found: found, Want: want}
	}
}

// take counts n elements of so many bytes of memory.
func (p *textReader) take(n, size int64) {
	if p.err == nil {
		p.err = p.budget.Take(n, size)
	}
}

// next returns the next line without its end, false if there is none; whole is false if the file stops within it. The
// words of a line take a multiple of its bytes while it is read.
func (p *textReader) next() (text string, whole, ok bool) {
	const wordBytes = 16 // of memory for a byte of a line
	if p.line++; len(p.rest) == 0 || p.err != nil {
		return "", false, false
	}
	line, rest, whole := bytes.Cut(p.rest, []byte("\n"))
	if int64(len(line)) > p.budget.Left()/wordBytes {
		p.err = p.budget.Over()
		return "", false, false
	}
	p.rest = rest
	return string(bytes.TrimRight(line, "\r")), whole, true
}

// readKeys reads the header, including the line that ends it.
func (p *textReader) readKeys(keys []string, end string) {
	const headerBytes = 96 // of memory for a byte: a word of two may be the bias of a submodel
	for {
		text, _, ok := p.next()
		words := append(strings.Fields(text), "")
		key := words[0]
		_, seen := p.header[key]
		switch {
		case !ok:
			p.bad("the end of the file", "a line "+end+" (the file is truncated)")
			return
		case key == end:
			return
		case key == "":
			p.bad("an empty line", "a header line")
		case !slices.Contains(keys, key):
			p.bad(fmt.Sprintf("unknown key %.40q", key), "one of "+strings.Join(keys, ", ")+", "+end)
		case seen:
			p.bad("a second "+key, "each key once")
		default:
			p.take(int64(len(text)), headerBytes)
			p.header[key] = words[1 : len(words)-1]
		}
	}
}

// body reads n lines after the header, and then empty lines only, or comments. Its errors call the lines what, and
// their number count and missing.
func (p *textReader) body(n int, what, count, missing string, comments bool, read func(text string)) {
	for i := 0; ; i++ {
		text, whole, ok := p.next()
		switch {
		case !ok && i < n:
			p.bad(fmt.Sprintf("the end of the file after %d %s", i, what), missing+" (the file is truncated)")
			return
		case !ok:
			return
		case i >= n && (strings.TrimSpace(text) == "" || comments && text[0] == '#'):
		case i >= n:
			p.bad("another line", count)
		case !whole:
			p.bad("the end of the file within a line", "a line end (the file is truncated)")
		default:
			read(text)
		}
	}
}

// limit bounds the memory of the vectors: a file of a few bytes must not take gigabytes. The vectors are stored as
// rows and packed.
func (p *textReader) limit() int64 {
	const freeBytes, bytesPerByte = 64 << 20, 4096
	return min(model.MaxBytes, p.budget.Left(), freeBytes+bytesPerByte*p.size)
}

// fits reports whether n vectors of d features keep to the limit with every zero stored. Packed ones take the room of
// at least sixteen.
func (p *textReader) fits(n, d int) bool { return max(int64(n), 16) <= p.limit()/16/int64(d) }

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
	finite := !math.IsInf(v, 0) && !math.IsNaN(v)
	return v, (err == nil || errors.Is(err, strconv.ErrRange)) && finite && !strings.Contains(w, "_")
}
