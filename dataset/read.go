package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/internal/fileformat"
)

// ReadFile reads a file, plain or compressed by gzip or bzip2; see [Read].
func ReadFile(path string, o Options) (*Set, error) {
	f, err := openShared(path, &o)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path, o)
}

// Read reads samples from r, plain or compressed by gzip or bzip2. The format is o.Format, or follows from the file's
// name or its first lines. NumPy's arrays (.npy, .npz) are recognized by their first bytes and read as a table
// without a header. Errors name the file.
//
// A program reads .npz only if it imports package sparsekm, perhaps by a blank import.
func Read(r io.Reader, file string, o Options) (*Set, error) {
	if o.Guess && o.Columns == nil {
		return readGuessed(r, file, o, ofAny)
	}
	b, format, err := open(r, file, &o)
	if err != nil {
		return nil, err
	}
	return readAll(newParser(format, b, file, o, csvHead))
}

// parser reads a file of one format.
type parser interface {
	// read reads all rows. After each row it calls each, unless nil, with the number of rows and of stored features.
	read(each func(n, d int) error) error
	rows() int          // since forget
	set() (*Set, error) // of these rows
	forget()            // begins the next set
}

// newParser makes the parser of a format. That of CSV files reads at least head bytes before it decides about delimiter
// and header.
func newParser(f Format, r io.Reader, file string, o Options, head int) parser {
	switch f {
	case CSV:
		return newCSVParser(r, file, o, head)
	case ARFF:
		return newARFFParser(r, file, o)
	}
	return newLIBSVMParser(r, file, o)
}

func readAll(p parser) (*Set, error) {
	if err := p.read(nil); err != nil {
		return nil, err
	}
	return p.set()
}

// open recognizes the format by the first lines of r. It reads no more than it needs, since a pipe may have no more
// for a while. NumPy's files become tables, for which it changes the options.
func open(r io.Reader, file string, o *Options) (*bufio.Reader, Format, error) {
	b, err := fileformat.Decompress(r)
	if err != nil {
		return nil, Auto, fmt.Errorf("%s: %w", file, err)
	}
	for {
		head, _ := b.Peek(b.Buffered())
		lines := bytes.Clone(head)
		new(lineEnds).read(lines, len(lines), err != nil)
		format := cmp.Or(o.Format, sniffFormat(file, lines, err != nil))
		if err == nil && (format == Auto || len(head) < fileformat.LongestMagic && bytes.IndexByte(head, '\n') < 0) {
			_, err = b.Peek(len(head) + 1) // waits for more
			continue
		}
		if bytes.HasPrefix(head, []byte(fileformat.NumPyMagic)) || bytes.HasPrefix(head, []byte(zipMagic)) {
			b, err = readArrays(b, file, o)
			return b, CSV, err
		}
		if name := otherFormat(head); name != "" {
			return nil, Auto, &Error{File: file, Found: name, Want: "LIBSVM text, CSV, ARFF or NumPy arrays, by gzip or bzip2 or neither"}
		}
		return b, format, nil
	}
}

// otherFormat names a known format of files without samples; "" for an unknown one.
func otherFormat(head []byte) string {
	for _, model := range []string{"sparsekm", "svm_type", "solver_type"} {
		if bytes.HasPrefix(head, []byte(model)) {
			return "a model"
		}
	}
	return fileformat.Foreign(head)
}

// sniffFormat finds the format by the extension of the name, else by the first line with data. Auto means that head,
// which is not all of the file, does not have that line.
func sniffFormat(file string, head []byte, all bool) Format {
	switch filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(file), ".gz"), ".bz2")) {
	case ".csv", ".tsv":
		return CSV
	case ".libsvm", ".svm", ".svmlight":
		return LIBSVM
	case ".arff":
		return ARFF
	}
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte("\ufeff"))) {
		if !all && !bytes.HasSuffix(line, []byte{'\n'}) {
			return Auto
		}
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0 || line[0] == '#' || line[0] == '%':
			continue
		case isKeyword(line, "@relation"), isKeyword(line, "@attribute"):
			return ARFF
		}
		if severalLabels(line) {
			return LIBSVM // which refuses them by name
		}
		if bytes.ContainsAny(line, ",;") || bytes.IndexByte(line, ':') < 0 && bytes.ContainsAny(line, "\t|") {
			return CSV
		}
		if fields := bytes.Fields(line); len(fields) > 1 && !bytes.ContainsAny(fields[0], ":#") &&
			!bytes.ContainsAny(fields[1], ":#") {
			return CSV // by blanks
		} else if len(fields) == 1 && !isNumber(fields[0]) && bytes.IndexByte(line, ':') < 0 {
			continue // perhaps a title
		}
		return LIBSVM
	}
	if !all {
		return Auto
	}
	return LIBSVM
}

// severalLabels reports whether a line is a row of LIBSVM's text with several labels: 1,2 1:0.5 3:1.
func severalLabels(line []byte) bool {
	fields := bytes.Fields(line)
	if len(fields) < 2 || bytes.IndexByte(fields[0], ',') < 0 {
		return false
	}
	return !slices.ContainsFunc(fields[1:], func(pair []byte) bool {
		index, value, ok := strings.Cut(string(pair), ":")
		_, noIndex := strconv.Atoi(index)
		_, noValue := strconv.ParseFloat(value, 64)
		return !ok || noIndex != nil || noValue != nil
	})
}

// Batches reads samples as [Read] does and calls f with sets of them, in the order of the file. Before it waits for
// more bytes it passes on the samples that it has, so that f gets the samples of a pipe as they arrive. A batch has
// at most 4 MiB of features, or one sample, so the memory does not depend on the length of the file.
//
// A set belongs to f; its Labels are the batch's. D and Ragged are for the file so far; in a LIBSVM file D may grow
// unless Options.Features fixes it. Samples before a bad line come before its error. An error of f ends the reading and
// is returned. The header rule of [ReadCSV] uses only the lines that arrived with the first one.
func Batches(r io.Reader, file string, o Options, f func(*Set) error) error {
	b, format, err := open(r, file, &o)
	if err != nil {
		return err
	}
	s := &batches{b: b, f: f}
	s.p = newParser(format, s, file, o, 1)
	bad := s.p.read(s.full)
	if err = s.flush(); err != nil {
		return err
	}
	if bad == nil && !s.some {
		_, bad = s.p.set() // an error: there are no samples
	}
	return bad
}

// batches is a parser's reader. It passes on the parser's rows before it waits for bytes.
type batches struct {
	b    *bufio.Reader
	p    parser // nil while its constructor reads
	some bool   // there was a sample
	f    func(*Set) error
	err  error // of f
}

// Read passes on the rows so far if it would have to wait.
func (s *batches) Read(to []byte) (int, error) {
	if s.b.Buffered() == 0 {
		if err := s.flush(); err != nil {
			return 0, err
		}
	}
	return s.b.Read(to)
}

// full passes on n rows of d stored features if they fill a batch.
func (s *batches) full(n, d int) error {
	const limit = 4 << 20 / 8
	if (n+1)*(d+1) > limit {
		return s.flush()
	}
	return nil
}

func (s *batches) flush() error {
	if s.err != nil || s.p == nil || s.p.rows() == 0 {
		return s.err
	}
	set, err := s.p.set()
	if s.p.forget(); err == nil {
		err = s.f(set)
	}
	s.some, s.err = true, err
	return err
}
