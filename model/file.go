package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/internal/atomicfile"
	"github.com/sparsekm/sparsekm/internal/fileformat"
)

// Format is a file format for models.
type Format uint8

const (
	SKM       Format = iota // the project's own format: binary, with a checksum and all contents
	JSON                    // the same contents as JSON
	LIBSVM                  // LIBSVM's model file
	Skops                   // a zip archive, read only: a scikit-learn model by skops, or a Gaussian process as .npz
	LIBLINEAR               // LIBLINEAR's model file, read only
)

// codec reads and writes a format.
type codec struct {
	name, ext string                 // ext of a file's name, empty if the format has none of its own
	is        func(head []byte) bool // whether a file that starts with head, of at most len(magic) bytes, is one
	read      func(r io.Reader, file string, b *budget) (*Classifier, error)
	write     func(c *Classifier, w io.Writer) error // nil for a format that is only read
}

// zipMagic is how a zip archive begins.
const zipMagic = "PK\x03\x04"

var formats = [...]codec{
	SKM: {
		name: "skm", ext: ".skm",
		is:    func(head []byte) bool { return string(head) == magic },
		read:  readSKM,
		write: func(c *Classifier, w io.Writer) error { _, err := c.WriteTo(w); return err },
	},
	JSON: {
		name: "json", ext: ".json",
		is:    func(head []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) },
		read:  readJSON,
		write: func(c *Classifier, w io.Writer) error { return json.NewEncoder(w).Encode(c) },
	},
	LIBSVM: {
		name: "libsvm",
		is: func(head []byte) bool {
			return slices.Contains([]string{"svm_type", "kernel_t", "nr_class"}, string(head))
		},
		read:  readLIBSVM,
		write: (*Classifier).WriteLIBSVM,
	},
	Skops: {
		name: "skops",
		is:   func(head []byte) bool { return bytes.HasPrefix(head, []byte(zipMagic)) },
		read: readZip,
	},
	LIBLINEAR: {
		name: "liblinear",
		is:   func(head []byte) bool { return string(head) == "solver_t" },
		read: readLIBLINEAR,
	},
}

// String returns the format's name, as [ParseFormat] takes it.
func (f Format) String() string {
	if int(f) < len(formats) {
		return formats[f].name
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

// FormatNames lists the names that [ParseFormat] takes: formats that can be written.
func FormatNames() []string {
	var names []string
	for _, c := range formats {
		if c.write != nil {
			names = append(names, c.name)
		}
	}
	return names
}

// ParseFormat is the inverse of String.
func ParseFormat(s string) (Format, error) {
	i := slices.IndexFunc(formats[:], func(c codec) bool { return c.name == s && c.write != nil })
	if i >= 0 {
		return Format(i), nil
	}
	return 0, fmt.Errorf("model: unknown file format %q, want %s", s, strings.Join(FormatNames(), ", "))
}

// FormatOf returns the format for a file name's extension; false if no format has it. LIBSVM's model files have no
// extension of their own.
func FormatOf(name string) (Format, bool) {
	ext := filepath.Ext(name)
	i := slices.IndexFunc(formats[:], func(c codec) bool { return c.ext != "" && c.ext == ext })
	return Format(max(i, 0)), i >= 0
}

// Load reads a model file of any of the formats.
func Load(path string) (*Classifier, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, _, err := Read(f, path)
	return c, err
}

// Read reads a model of any of the formats to the end of r, at most [MaxBytes]. Errors name the file.
//
// A LIBSVM file keeps its order of classes, and with it every sign; Parts.Method is "svc", "nu-svc", "one-class", "svr"
// or "nu-svr". With a precomputed kernel it has serial numbers only, see [gram.Kernel.Indexed]. Unlike LIBSVM, Read
// refuses a truncated file. A LIBLINEAR file gives linear models, one vector of weights a submodel, with the classes in
// the order of the file; of two classes the first is positive. Logistic regressions have probabilities. Parts.Method is
// the file's solver_type in lower case and with hyphens.
//
// The file and the model together may take [DefaultMemory]; see [ReadWithin].
func Read(r io.Reader, file string) (*Classifier, Format, error) {
	return ReadWithin(r, file, DefaultMemory)
}

// ReadWithin is [Read] within a memory budget in bytes. Whatever a number in the file sizes is counted before it is
// taken: text, vectors, tables of decisions. [Classifier.WithFeatures] and [Classifier.Dense] keep to the budget too.
// The error for a file that needs more wraps [ErrMemory].
func ReadWithin(r io.Reader, file string, memory int64) (*Classifier, Format, error) {
	b := bufio.NewReader(io.LimitReader(r, MaxBytes))
	head, err := b.Peek(len(magic))
	if err != nil && err != io.EOF {
		return nil, 0, fmt.Errorf("%s: %w", file, err)
	}
	if len(bytes.TrimSpace(head)) == 0 {
		return nil, 0, fmt.Errorf("%s: found an empty file, want a model", file)
	}
	for f, codec := range formats {
		if codec.is(head) {
			c, err := codec.read(b, file, newBudget(memory))
			return c, Format(f), err
		}
	}
	const want = "a model file: ours (" + magic + "...), JSON, LIBSVM's (svm_type ...), LIBLINEAR's (solver_type ...), " +
		"one of skops or a Gaussian process as .npz"
	if name := otherFormat(head); name != "" {
		return nil, 0, fmt.Errorf("%s: found %s, want %s", file, name, want)
	}
	return nil, 0, fmt.Errorf("%s: found %q, want %s", file, head, want)
}

// KnownBytes is the number of bytes that [Known] looks at.
const KnownBytes = len(magic)

// Known reports whether a file that begins with these bytes is for [Read], which may still refuse it.
func Known(head []byte) bool {
	head = head[:min(len(head), KnownBytes)]
	return slices.ContainsFunc(formats[:], func(c codec) bool { return c.is(head) })
}

// otherFormat names a known file format that is not read as a model; "" for an unknown one.
func otherFormat(head []byte) string {
	for begin, name := range map[string]string{
		"SVM-ligh": "a model of SVMlight", "binf": "a model of XGBoost", "tree\n": "a model of LightGBM", "<?xml": "an XML file, as PMML is", "<PMML": "a PMML file",
		"\x1f\x8b": "a gzip file", "BZh": "a bzip2 file", "\x93NUMPY": "a NumPy array",
	} {
		if bytes.HasPrefix(head, []byte(begin)) {
			return name
		}
	}
	return fileformat.Foreign(head)
}

func readSKM(r io.Reader, file string, b *budget) (*Classifier, error) {
	data, err := b.readAll(r)
	if err != nil {
		return nil, inFile(file, err)
	}
	c, err := parse(data, b)
	return c, inFile(file, err)
}

// Write writes the model in the given format.
func (c *Classifier) Write(w io.Writer, f Format) error {
	if int(f) >= len(formats) {
		return fmt.Errorf("model: unknown file format %v", f)
	}
	if formats[f].write == nil {
		return fmt.Errorf("model: %v files are only read, want one of %s", f, strings.Join(FormatNames(), ", "))
	}
	return formats[f].write(c, w)
}

// Save writes the model to a file in the given format. The file appears under its name when it is complete; after a
// failure an older file of that name is unchanged.
func (c *Classifier) Save(path string, f Format) error {
	return atomicfile.Write(path, func(w io.Writer) error { return c.Write(w, f) })
}

// ErrCorrupt is in the chain of the error for a damaged .skm or JSON model: truncated, changed since it was written, or
// with contents that no model has.
var ErrCorrupt = errors.New("model: the file is corrupt")

// VersionError is a model file of a version that this program does not read.
type VersionError struct{ Found, Want int }

// Error names both versions.
func (e *VersionError) Error() string {
	return fmt.Sprintf("model: file of version %d, this program reads versions 1 to %d", e.Found, e.Want)
}

// fault is an error with a text of its own and another error in its chain.
type fault struct {
	text string
	is   error
}

// Error returns the text.
func (f *fault) Error() string { return f.text }

// Unwrap returns the wrapped error.
func (f *fault) Unwrap() error { return f.is }

func corrupt(format string, args ...any) error {
	return &fault{"model: " + fmt.Sprintf(format, args...), ErrCorrupt}
}

// inFile adds the file's name to an error of this package.
func inFile(file string, err error) error {
	if err == nil {
		return nil
	}
	return &fault{file + ": " + strings.TrimPrefix(err.Error(), "model: "), err}
}
