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

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// readLIBSVM reads a model file of LIBSVM's svm-train; see [Read].
func readLIBSVM(r io.Reader, file string, maxBytes int64) (*Classifier, error) {
	p := libsvmReader{textReader: newTextReader(r, file, maxBytes)}
	return p.classifier(headerKeys, "SV", p.readHeader, p.readVectors, p.parts)
}

// textReader reads a text of lines "key words" up to one that ends the header, then other lines.
type textReader struct {
	file     string
	lines    *bufio.Reader
	line     int
	maxBytes int64
	read     int64               // bytes of the file so far
	header   map[string][]string // key → words after it
	err      error               // the first one of the header's values
}

func newTextReader(r io.Reader, file string, maxBytes int64) textReader {
	return textReader{file: file, lines: bufio.NewReaderSize(r, 64<<10), maxBytes: maxBytes,
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
	c, err := newOwned(q)
	return c, inFile(p.file, err)
}

// libsvmReader reads LIBSVM's model file.
type libsvmReader struct {
	textReader
	kernel  gram.Kernel
	method  string
	task    learn.Task
	k       int // classes
	labels  []string
	rho     []float64    // one a pair
	prob    [2][]float64 // probA and probB: one a pair, or none
	first   []int        // of each class, its first vector, and total
	total   int          // vectors
	coefs   []float64    // total×(k−1)
	vectors csr.Matrix   // without zeros
	listed  int          // elements in the file, zeros too
	d       int
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
	b, err := p.lines.ReadBytes('\n')
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

// headerKeys are all keys that LIBSVM knows. It refuses any other, and so does this reader.
var headerKeys = []string{"svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv",
	"rho", "label", "probA", "probB", "prob_density_marks", "nr_sv"}

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
func (p *textReader) limit() int64 { return min(p.maxBytes, freeBytes+bytesPerByte*p.read) }

// fits reports whether n vectors of d features keep to the limit with every zero stored.
func (p *textReader) fits(n, d int) bool { return max(int64(n), packedAtOnce) <= p.limit()/16/int64(d) }

// readHeader reads the values of the header.
func (p *libsvmReader) readHeader() {
	kind := p.word("svm_type")
	at := slices.IndexFunc(svmTypes, func(t svmType) bool { return t.name == kind })
	if at < 0 {
		p.bad(fmt.Sprintf("svm_type %.40q", kind), "c_svc, nu_svc, one_class, epsilon_svr or nu_svr")
		return
	}
	p.method, p.task = svmTypes[at].method, svmTypes[at].task
	p.readKernel()
	if p.k = p.integer("nr_class", 1); p.k < 2 {
		p.bad("a model of one class", "at least two classes")
	} else if p.k > 2 && p.task != learn.Classify {
		p.bad(fmt.Sprintf("nr_class %d", p.k), "2, as every "+kind+" has")
	}
	p.total = p.integer("total_sv", 0)
	pairs := p.k * (p.k - 1) / 2
	p.rho = p.floats("rho", pairs)
	if p.task != learn.Classify { // a single submodel, without probabilities
		for _, key := range []string{"label", "nr_sv"} {
			if _, has := p.header[key]; has {
				p.bad(key, "none in a model of "+kind)
			}
		}
		return
	}
	_, hasA := p.header["probA"]
	_, hasB := p.header["probB"]
	if hasA != hasB {
		p.bad("only one of probA and probB", "both or none")
	}
	if hasA {
		p.prob = [2][]float64{p.floats("probA", pairs), p.floats("probB", pairs)}
	}
	p.readLabels()
	p.readCounts()
}

// word returns the value of a key that has one, or "".
func (p *textReader) word(key string) string {
	if w := p.header[key]; len(w) == 1 {
		return w[0]
	}
	return ""
}

func (p *textReader) integer(key string, least int) int {
	v, err := strconv.ParseInt(p.word(key), 10, 32)
	if err != nil || int(v) < least {
		p.bad(fmt.Sprintf("%s %.40q", key, strings.Join(p.header[key], " ")), fmt.Sprintf("an integer from %d", least))
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

func (p *libsvmReader) readKernel() {
	name := p.word("kernel_type")
	kind, ok := gram.ParseLIBSVM(name)
	if !ok {
		p.bad(fmt.Sprintf("kernel_type %.40q", name), "linear, polynomial, rbf, sigmoid or precomputed")
	}
	p.kernel.Kind = kind
	if p.kernel.HasGamma() {
		p.kernel.Gamma = p.number("gamma")
	}
	if p.kernel.HasCoef0() {
		p.kernel.Coef0 = p.number("coef0")
	}
	if p.kernel.HasDegree() {
		p.kernel.Degree = p.integer("degree", 1)
	}
}

func (p *libsvmReader) readLabels() {
	words := p.header["label"]
	if len(words) != p.k {
		p.bad(fmt.Sprintf("%d labels", len(words)), strconv.Itoa(p.k))
	}
	for _, w := range words {
		v, err := strconv.ParseInt(w, 10, 64)
		if err != nil {
			p.bad(fmt.Sprintf("label %.40q", w), "an integer")
		}
		p.labels = append(p.labels, strconv.FormatInt(v, 10))
	}
}

func (p *libsvmReader) readCounts() {
	p.first = []int{0}
	for c, w := range p.words("nr_sv", p.k) {
		v, err := strconv.ParseInt(w, 10, 32)
		if err != nil || v < 0 {
			p.bad(fmt.Sprintf("nr_sv %.40q", w), "integers from 0")
		}
		if p.first = append(p.first, p.first[c]+int(v)); p.first[c+1] > p.total {
			break
		}
	}
	if p.first[len(p.first)-1] != p.total {
		p.bad(fmt.Sprintf("nr_sv of %s", strings.Join(p.header["nr_sv"], " ")), fmt.Sprintf("a sum of total_sv, %d", p.total))
	}
}

// A file of n bytes may take freeBytes + bytesPerByte·n of memory with its zeros stored. Packed vectors take the room
// of at least packedAtOnce.
const (
	freeBytes    = 64 << 20
	bytesPerByte = 4096
	packedAtOnce = 16
)
