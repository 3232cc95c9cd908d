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

	"github.com/sparsekm/sparsekm/internal/gunzip"
	"github.com/sparsekm/sparsekm/internal/npy"
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

// Read reads points from r, by gzip or bzip2 or neither, in the format that o says; NumPy's arrays (.npy, .npz) are
// known by their first bytes, and read as a table without a header. File is the name that errors show, and its ending
// chooses the format if o does not.
func Read(r io.Reader, file string, o Options) (*Set, error) {
	b, format, err := open(r, file, &o)
	switch {
	case err != nil:
		return nil, err
	case format == CSV:
		return ReadCSV(b, file, o)
	}
	return ReadLIBSVM(b, file, o)
}

// open looks at the first lines of r, as far as it needs to: a pipe may have no more for a while. NumPy's files become
// tables, for which the options are changed.
func open(r io.Reader, file string, o *Options) (*bufio.Reader, Format, error) {
	b, err := gunzip.NewReader(r)
	if err != nil {
		return nil, Auto, fmt.Errorf("%s: %w", file, err)
	}
	for {
		head, _ := b.Peek(b.Buffered())
		format := cmp.Or(o.Format, sniffFormat(file, head, err != nil))
		if err == nil && (format == Auto || len(head) < longestMagic && bytes.IndexByte(head, '\n') < 0) {
			_, err = b.Peek(len(head) + 1) // which waits for more
			continue
		}
		if bytes.HasPrefix(head, []byte(npy.Magic)) || bytes.HasPrefix(head, []byte(zipMagic)) {
			b, err = readArrays(b, file, o)
			return b, CSV, err
		}
		for magic, name := range foreign {
			if bytes.HasPrefix(head, []byte(magic)) {
				return nil, Auto, &Error{File: file, Found: name, Want: "LIBSVM text, CSV or NumPy arrays, by gzip or bzip2 or neither"}
			}
		}
		return b, format, nil
	}
}

// longestMagic is the length of the longest key of foreign.
const longestMagic = 8

// foreign is how files begin that are often taken for data in text.
var foreign = map[string]string{
	"\xfd7zXZ": "an xz file", "\x28\xb5\x2f\xfd": "a zstandard file", "PAR1": "a Parquet file", "\x89HDF": "an HDF5 file", "ARROW1": "an Arrow file",
	"\x04\x22\x4d\x18": "an lz4 file", "7z\xbc\xaf\x27\x1c": "a 7-Zip file", "SQLite f": "an SQLite file", "\x80\x04\x95": "a pickle", "@RELATIO": "an ARFF file", "@relatio": "an ARFF file",
	"\xd0\xcf\x11\xe0": "an old Excel or Word file", "%PDF-": "a PDF file", "ORC": "an ORC file", "Obj\x01": "an Avro file",
	"sparsekm": "a model", "svm_type": "a model",
}

// sniffFormat goes by the ending of the name, else by the first line with data in it; Auto says
// that the line is not there yet, of a head that is not all.
func sniffFormat(file string, head []byte, all bool) Format {
	switch filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(file), ".gz"), ".bz2")) {
	case ".csv", ".tsv":
		return CSV
	case ".libsvm", ".svm", ".svmlight":
		return LIBSVM
	}
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte("\ufeff"))) {
		if !all && !bytes.HasSuffix(line, []byte{'\n'}) {
			return Auto
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
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
