package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/internal/atomicfile"
)

// Format is a file format for models.
type Format uint8

const (
	SKM    Format = iota // our own: binary, checksummed, has everything
	JSON                 // the same in words
	LIBSVM               // LIBSVM's model file
)

var formatNames = [...]string{"skm", "json", "libsvm"}

func (f Format) String() string {
	if int(f) < len(formatNames) {
		return formatNames[f]
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

// ParseFormat is the inverse of String.
func ParseFormat(s string) (Format, error) {
	for f, n := range formatNames {
		if n == s {
			return Format(f), nil
		}
	}
	return 0, fmt.Errorf("model: unknown file format %q, want %s", s, strings.Join(formatNames[:], ", "))
}

// Load reads a model file of any of the three formats.
func Load(path string) (*Classifier, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, _, err := Read(f, path)
	return c, err
}

// Read reads a model of any of the three formats to the end of r, at most [MaxBytes]. File is the
// name that errors show.
func Read(r io.Reader, file string) (*Classifier, Format, error) {
	b := bufio.NewReader(io.LimitReader(r, MaxBytes))
	head, err := b.Peek(len(magic))
	if err != nil && err != io.EOF {
		return nil, 0, fmt.Errorf("%s: %w", file, err)
	}
	switch text := bytes.TrimSpace(head); {
	case len(text) == 0:
		return nil, 0, fmt.Errorf("%s: found an empty file, want a model", file)
	case string(head) == magic:
		data, err := io.ReadAll(b)
		if err != nil {
			return nil, SKM, fmt.Errorf("%s: %w", file, err)
		}
		c, err := Parse(data)
		return c, SKM, inFile(file, err)
	case text[0] == '{':
		c, err := readJSON(b)
		return c, JSON, inFile(file, err)
	case slices.Contains([]string{"svm_type", "kernel_t", "nr_class"}, string(head)):
		c, err := ReadLIBSVM(b, file)
		return c, LIBSVM, err
	}
	return nil, 0, fmt.Errorf("%s: found %q, want a model file: ours (%s...), JSON or LIBSVM's (svm_type ...)",
		file, head, magic)
}

// inFile says in which file an error of this package is.
func inFile(file string, err error) error {
	if err == nil {
		return nil
	}
	if text, ok := strings.CutPrefix(err.Error(), "model: "); ok {
		return errors.New(file + ": " + text)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// Write writes the model in the given format.
func (c *Classifier) Write(w io.Writer, f Format) error {
	switch f {
	case SKM:
		_, err := c.WriteTo(w)
		return err
	case JSON:
		e := json.NewEncoder(w)
		return e.Encode(c)
	case LIBSVM:
		return c.WriteLIBSVM(w)
	}
	return fmt.Errorf("model: unknown file format %v", f)
}

// Save writes the model to a file in the given format. The file appears under its name when it
// is complete; on failure whatever had the name before stays.
func (c *Classifier) Save(path string, f Format) error {
	return atomicfile.Write(path, func(w io.Writer) error { return c.Write(w, f) })
}
