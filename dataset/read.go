package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sparsekm/sparsekm/internal/fileformat"
)

// ReadFile reads a file in the format that o says, by gzip or bzip2 or neither.
func ReadFile(path string, o Options) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path, o)
}

// Read reads samples from r, by gzip or bzip2 or neither, in the format that o says; NumPy's arrays (.npy, .npz) are
// known by their first bytes, and read as a table without a header. File is the name that errors show, and its ending
// chooses the format if o does not.
func Read(r io.Reader, file string, o Options) (*Set, error) {
	b, format, err := open(r, file, &o)
	switch {
	case err != nil:
		return nil, err
	case format == CSV:
		return ReadCSV(b, file, o)
	case format == ARFF:
		return ReadARFF(b, file, o)
	}
	return ReadLIBSVM(b, file, o)
}

// open looks at the first lines of r, as far as it needs to: a pipe may have no more for a while. NumPy's files become
// tables, for which the options are changed.
func open(r io.Reader, file string, o *Options) (*bufio.Reader, Format, error) {
	b, err := fileformat.Decompress(r)
	if err != nil {
		return nil, Auto, fmt.Errorf("%s: %w", file, err)
	}
	for {
		head, _ := b.Peek(b.Buffered())
		format := cmp.Or(o.Format, sniffFormat(file, head, err != nil))
		if err == nil && (format == Auto || len(head) < fileformat.LongestMagic && bytes.IndexByte(head, '\n') < 0) {
			_, err = b.Peek(len(head) + 1) // which waits for more
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

// otherFormat says what a file is that is often taken for data in text; "" if nothing else is known of it.
func otherFormat(head []byte) string {
	for _, model := range []string{"sparsekm", "svm_type", "solver_type"} {
		if bytes.HasPrefix(head, []byte(model)) {
			return "a model"
		}
	}
	return fileformat.Foreign(head)
}

// sniffFormat goes by the ending of the name, else by the first line with data in it; Auto says
// that the line is not there yet, of a head that is not all.
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
		if bytes.ContainsAny(line, ",;") || bytes.IndexByte(line, ':') < 0 && bytes.IndexByte(line, '\t') >= 0 {
			return CSV
		}
		return LIBSVM
	}
	if !all {
		return Auto
	}
	return LIBSVM
}
