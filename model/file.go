package model

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/fileformat"
)

// Format is a file format for models, by its name.
type Format string

const (
	SKM    Format = "skm"    // the project's own format: binary, with a checksum and all contents
	JSON   Format = "json"   // the same contents as JSON
	LIBSVM Format = "libsvm" // LIBSVM's model file, which package model/importers/libsvm registers
)

// Codec reads a file format of another program, and may write it; see [Register].
type Codec struct {
	Name   string                 // of the format, as [ParseFormat] takes it
	Want   string                 // how an error describes such files
	Begins func(head []byte) bool // whether a file is one that starts with head, of at most 8 bytes
	// Read makes a model of a file within a memory budget. [ReadWithin] puts the name before its errors, unless they
	// are a [dataset.Error], which has it.
	Read  func(data []byte, file string, b *Budget) (*Parts, error)
	Write func(c *Classifier, w io.Writer) error // nil for a format that is only read
}

// skmCodec and jsonCodec are our own formats. Their writers are methods: a program that only reads links none.
var (
	skmCodec = Codec{Name: "skm", Want: "ours (" + magic + "...)",
		Begins: func(head []byte) bool { return string(head) == magic },
		Read:   func(data []byte, _ string, b *Budget) (*Parts, error) { return parse(data, b) }}
	jsonCodec = Codec{Name: "json", Want: "JSON",
		Begins: func(head []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) },
		Read:   func(data []byte, _ string, b *Budget) (*Parts, error) { return parseJSON(data, b) }}
)

// registered are the formats that [Parse] takes besides .skm.
var registered []*Codec

// Register makes a format known to [Read], [Parse] and [Classifier.Write]. Packages of model/importers call it when a
// program starts, so that a blank import is enough; model/importers/all imports them all.
func Register(c Codec) { registered = append(registered, &c) }

// codecsOfFiles are the formats that [Read] takes.
func codecsOfFiles() []*Codec { return append([]*Codec{&jsonCodec}, registered...) }

// writer finds how a registered format is written.
func writer(name string) func(*Classifier, io.Writer) error {
	for _, c := range registered {
		if c.Name == name {
			return c.Write
		}
	}
	return nil
}

// FormatNames lists the names that [ParseFormat] takes: formats that can be written.
func FormatNames() []string {
	names := []string{string(SKM), string(JSON)}
	for _, c := range registered {
		if c.Write != nil {
			names = append(names, c.Name)
		}
	}
	return names
}

// ParseFormat returns the format of a name, if it can be written.
func ParseFormat(s string) (Format, error) {
	if slices.Contains(FormatNames(), s) {
		return Format(s), nil
	}
	return "", fmt.Errorf("model: unknown file format %q, want %s", s, strings.Join(FormatNames(), ", "))
}

// Load reads a model file of any of the formats.
func Load(path string) (*Classifier, error) {
	c, _, err := LoadWithin(path, DefaultMemory)
	return c, err
}

// LoadWithin is [Load] within a memory budget in bytes, see [ReadWithin], and returns the format too.
func LoadWithin(path string, memory int64) (*Classifier, Format, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	return ReadWithin(f, path, memory)
}

// Parse makes a classifier from the bytes of a model, for instance embedded with go:embed: a .skm file, or one of a
// format that the program has registered; JSON is for [Read]. It keeps no reference to data. Whatever is wrong
// with them (another version, a wrong checksum, a missing tail) is an error; it never panics.
func Parse(data []byte) (*Classifier, error) {
	b := fileformat.NewBudget(DefaultMemory)
	p, err := parse(data, b)
	for _, c := range registered {
		if err == errNoModel && c.Begins(data[:min(len(data), len(magic))]) {
			p, err = c.Read(data, "model", b)
		}
	}
	if err != nil {
		return nil, err
	}
	return newWithin(*p, b)
}

// Read reads a model to the end of r, at most [MaxBytes]: of our formats, .skm and JSON, or of one that the program
// has registered, as the packages of model/importers do. Errors name the file.
//
// The file and the model together may take [DefaultMemory]; see [ReadWithin].
func Read(r io.Reader, file string) (*Classifier, Format, error) {
	return ReadWithin(r, file, DefaultMemory)
}

// ReadWithin is [Read] within a memory budget in bytes. Whatever a number in the file sizes is counted before it is
// taken: text, vectors, tables of decisions. [Classifier.WithFeatures] and [Classifier.Dense] keep to the budget too.
// The error for a file that needs more wraps [ErrMemory].
func ReadWithin(r io.Reader, file string, memory int64) (*Classifier, Format, error) {
	in := bufio.NewReader(io.LimitReader(r, MaxBytes))
	head, err := in.Peek(len(magic))
	if err != nil && err != io.EOF {
		return nil, "", fmt.Errorf("%s: %w", file, err)
	}
	codec, err := codecOf(head, file, codecsOfFiles())
	if err != nil {
		return nil, "", err
	}
	b := fileformat.NewBudget(memory)
	data, err := b.ReadAll(in)
	if err != nil {
		return nil, "", inFile(file, err)
	}
	c, err := codec.classifier(data, file, b)
	return c, Format(codec.Name), err
}

// classifier makes a classifier of a file's bytes.
func (c *Codec) classifier(data []byte, file string, b *Budget) (made *Classifier, err error) {
	p, err := c.Read(data, file, b)
	if err == nil {
		made, err = newWithin(*p, b)
	}
	if err != nil && !errors.As(err, new(*dataset.Error)) {
		err = inFile(file, err)
	}
	return made, err
}

// codecOf finds the format of a file among .skm and others.
func codecOf(head []byte, file string, others []*Codec) (*Codec, error) {
	if len(bytes.TrimSpace(head)) == 0 {
		return nil, fmt.Errorf("%s: found an empty file, want a model", file)
	}
	want := ""
	for _, c := range append([]*Codec{&skmCodec}, others...) {
		if c.Begins(head) {
			return c, nil
		}
		want += ", " + c.Want
	}
	name := otherFormat(head)
	if name == "" {
		name = strconv.Quote(string(head))
	}
	return nil, fmt.Errorf("%s: found %s, want a model file: %s", file, name, want[2:])
}

// Known reports whether a file that begins with these bytes is for [Read], which may still refuse it. It looks at 8.
func Known(head []byte) bool {
	_, err := codecOf(head[:min(len(head), len(magic))], "", codecsOfFiles())
	return err == nil
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

// Write writes the model in the given format.
func (c *Classifier) Write(w io.Writer, f Format) (err error) {
	switch write := writer(string(f)); {
	case f == SKM:
		_, err = c.WriteTo(w)
	case f == JSON:
		var text []byte
		if text, err = c.MarshalJSON(); err == nil {
			_, err = w.Write(append(text, '\n'))
		}
	case write != nil:
		err = write(c, w)
	default:
		_, err = ParseFormat(string(f))
	}
	return err
}

// Save writes the model to a file in the given format. The file appears under its name when it is complete; after a
// failure an older file of that name is unchanged.
func (c *Classifier) Save(path string, f Format) error {
	return fileformat.Write(path, func(w io.Writer) error { return c.Write(w, f) })
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
