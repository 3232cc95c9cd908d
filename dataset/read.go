package dataset

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sparsekm/sparsekm/internal/gunzip"
)

// ReadFile reads a file in the format that o says, gzipped or not.
func ReadFile(path string, o Options) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path, o)
}

// Read reads points from r, gzipped or not, in the format that o says. File is the
// name that errors show, and its ending chooses the format if o does not.
func Read(r io.Reader, file string, o Options) (*Set, error) {
	b, err := gunzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	format := o.Format
	if format == Auto {
		head, _ := b.Peek(64 << 10)
		format = sniffFormat(file, head)
	}
	if format == CSV {
		return ReadCSV(b, file, o)
	}
	return ReadLIBSVM(b, file, o)
}

// sniffFormat goes by the ending of the name, else by the first line with data in it.
func sniffFormat(file string, head []byte) Format {
	switch filepath.Ext(strings.TrimSuffix(strings.ToLower(file), ".gz")) {
	case ".csv", ".tsv":
		return CSV
	case ".libsvm", ".svm", ".svmlight":
		return LIBSVM
	}
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte("\ufeff"))) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if bytes.ContainsAny(line, ",;") || bytes.IndexByte(line, ':') < 0 && bytes.IndexByte(line, '\t') >= 0 {
			return CSV
		}
		return LIBSVM
	}
	return LIBSVM
}
