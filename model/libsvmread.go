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
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// ReadLIBSVM reads a model file of LIBSVM's svm-train, of any of its five kinds. Of a precomputed kernel the
// file has serial numbers only, see [gram.Kernel.Indexed]. Class order, and with it every sign, stays as in the file;
// Parts.Method is "svc", "nu-svc", "one-class", "svr" or "nu-svr". A file that was cut short is refused, which LIBSVM
// itself does not do. File is the name that errors show.
func ReadLIBSVM(r io.Reader, file string) (*Classifier, error) { return readLIBSVM(r, file, MaxBytes) }

func readLIBSVM(r io.Reader, file string, maxBytes int64) (*Classifier, error) {
	p := libsvmReader{file: file, lines: bufio.NewReaderSize(r, 64<<10), maxBytes: maxBytes,
		header: make(map[string][]string)}
	if err := p.readKeys(headerKeys, "SV"); err != nil {
		return nil, err
	}
	if err := p.finishHeader(); err != nil {
		return nil, err
	}
	if err := p.readVectors(); err != nil {
		return nil, err
	}
	parts, err := p.parts()
	if err != nil {
		return nil, err
	}
	c, err := newOwned(parts)
	return c, inFile(file, err)
}

type libsvmReader struct {
	file     string
	lines    *bufio.Reader
	line     int
	maxBytes int64
	header   map[string][]string // key → words after it

	kernel  gram.Kernel
	method  string
	task    learn.Task
	k       int       // classes
	labels  []string  //
	rho     []float64 // one a pair, like probA and probB
	probA   []float64
	probB   []float64
	nrSV    []int // vectors of each class
	total   int
	coefs   []float64 // total×(k−1)
	entries []entry
	starts  []int // entries of vector i are starts[i] to starts[i+1]
	d       int
	read    int64 // bytes of the file so far
}

// entry is a feature of a vector that is in the file.
type entry struct {
	index int
	value float64
}

func (p *libsvmReader) fail(found, want string) error {
	return &dataset.Error{File: p.file, Line: p.line, Found: found, Want: want}
}

// next returns the next line without its end; whole is false if the file stops within it.
func (p *libsvmReader) next() (text string, whole bool, err error) {
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

// headerKeys are all keys that LIBSVM knows. It refuses any other, and so do we.
var headerKeys = []string{"svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv",
	"rho", "label", "probA", "probB", "prob_density_marks", "nr_sv"}

// readKeys reads the lines up to and with the one that ends the header.
func (p *libsvmReader) readKeys(keys []string, end string) error {
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

// finishHeader makes sense of the header.
func (p *libsvmReader) finishHeader() error {
	kind := p.word("svm_type")
	at := slices.IndexFunc(svmTypes, func(t svmType) bool { return t.name == kind })
	if at < 0 {
		return p.fail(fmt.Sprintf("svm_type %.40q", kind), "c_svc, nu_svc, one_class, epsilon_svr or nu_svr")
	}
	p.method, p.task = svmTypes[at].method, svmTypes[at].task
	if err := p.readKernel(); err != nil {
		return err
	}
	var err error
	if p.k, err = p.integer("nr_class", 1); err != nil {
		return err
	}
	if p.k < 2 {
		return p.fail("a model of one class", "at least two classes")
	}
	if p.k > 2 && p.task != learn.Classify {
		return p.fail(fmt.Sprintf("nr_class %d", p.k), "2, as every "+kind+" has")
	}
	if p.total, err = p.integer("total_sv", 0); err != nil {
		return err
	}
	pairs := p.k * (p.k - 1) / 2
	if p.rho, err = p.floats("rho", pairs); err != nil {
		return err
	}
	if p.task != learn.Classify { // one model; what it has of probabilities is of no use here
		for _, key := range []string{"label", "nr_sv"} {
			if _, has := p.header[key]; has {
				return p.fail(key, "none in a model of "+kind)
			}
		}
		return nil
	}
	_, hasA := p.header["probA"]
	_, hasB := p.header["probB"]
	if hasA != hasB {
		return p.fail("only one of probA and probB", "both or none")
	}
	if hasA {
		if p.probA, err = p.floats("probA", pairs); err != nil {
			return err
		}
		if p.probB, err = p.floats("probB", pairs); err != nil {
			return err
		}
	}
	if err := p.readLabels(); err != nil {
		return err
	}
	return p.readCounts()
}

// word returns the value of a key that has one, or "".
func (p *libsvmReader) word(key string) string {
	if w := p.header[key]; len(w) == 1 {
		return w[0]
	}
	return ""
}

func (p *libsvmReader) integer(key string, least int) (int, error) {
	v, err := strconv.ParseInt(p.word(key), 10, 32)
	if err != nil || int(v) < least {
		return 0, p.fail(fmt.Sprintf("%s %.40q", key, strings.Join(p.header[key], " ")),
			fmt.Sprintf("an integer from %d", least))
	}
	return int(v), nil
}

func (p *libsvmReader) floats(key string, n int) ([]float64, error) {
	words := p.header[key]
	if len(words) != n {
		return nil, p.fail(fmt.Sprintf("%d numbers of %s", len(words), key), strconv.Itoa(n))
	}
	v := make([]float64, n)
	for i, w := range words {
		var ok bool
		if v[i], ok = parseFinite(w); !ok {
			return nil, p.fail(fmt.Sprintf("%s %.40q", key, w), "a finite number")
		}
	}
	return v, nil
}

func parseFinite(w string) (float64, bool) {
	v, err := strconv.ParseFloat(w, 64)
	return v, (err == nil || errors.Is(err, strconv.ErrRange)) && finite(v) && !strings.Contains(w, "_")
}

func (p *libsvmReader) readKernel() error {
	name := p.word("kernel_type")
	kind, ok := gram.ParseLIBSVM(name)
	if !ok {
		return p.fail(fmt.Sprintf("kernel_type %.40q", name), "linear, polynomial, rbf, sigmoid or precomputed")
	}
	p.kernel.Kind = kind
	for _, number := range []struct {
		key  string
		has  bool
		into *float64
	}{{"gamma", p.kernel.HasGamma(), &p.kernel.Gamma}, {"coef0", p.kernel.HasCoef0(), &p.kernel.Coef0}} {
		if !number.has {
			continue
		}
		v, err := p.floats(number.key, 1)
		if err != nil {
			return err
		}
		*number.into = v[0]
	}
	if p.kernel.HasDegree() {
		var err error
		p.kernel.Degree, err = p.integer("degree", 1)
		return err
	}
	return nil
}

func (p *libsvmReader) readLabels() error {
	words := p.header["label"]
	if len(words) != p.k {
		return p.fail(fmt.Sprintf("%d labels", len(words)), strconv.Itoa(p.k))
	}
	for _, w := range words {
		v, err := strconv.ParseInt(w, 10, 64)
		if err != nil {
			return p.fail(fmt.Sprintf("label %.40q", w), "an integer")
		}
		p.labels = append(p.labels, strconv.FormatInt(v, 10))
	}
	return nil
}

func (p *libsvmReader) readCounts() error {
	words := p.header["nr_sv"]
	if len(words) != p.k {
		return p.fail(fmt.Sprintf("%d numbers of nr_sv", len(words)), strconv.Itoa(p.k))
	}
	sum := 0
	for _, w := range words {
		v, err := strconv.ParseInt(w, 10, 32)
		if err != nil || v < 0 {
			return p.fail(fmt.Sprintf("nr_sv %.40q", w), "integers from 0")
		}
		p.nrSV = append(p.nrSV, int(v))
		if sum += int(v); sum > p.total {
			break
		}
	}
	if sum != p.total {
		return p.fail(fmt.Sprintf("nr_sv of %s", strings.Join(words, " ")),
			fmt.Sprintf("a sum of total_sv, %d", p.total))
	}
	return nil
}

// What a file of so many bytes may take when its zeros are stored, and the vectors of a panel,
// which are there even if the file has fewer.
const (
	freeBytes    = 64 << 20
	bytesPerByte = 4096
	packedAtOnce = 16
)
