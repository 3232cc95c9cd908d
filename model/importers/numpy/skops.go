// Package numpy reads models in archives of NumPy arrays: skops files of scikit-learn's support vector machines with
// their scaler, and Gaussian processes as .npz. A blank import makes package model know them.
package numpy

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/fileformat"
	"github.com/sparsekm/sparsekm/internal/fileformat/zipped"
	"github.com/sparsekm/sparsekm/model"
)

// skopsProtocol is the version of the file format that the reader knows. The format is internal to skops and may
// change.
const skopsProtocol = 2

func init() {
	model.Register(model.Codec{Name: "skops", Want: "one of skops or a Gaussian process as .npz",
		Begins: func(head []byte) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) }, Read: read})
}

// read reads a zip archive: the arrays of a Gaussian process, or a skops file.
func read(data []byte, _ string, b *model.Budget) (*model.Parts, error) {
	if err := b.Take(fileformat.DirectoryBytes(data), 1); err != nil {
		return nil, err
	}
	z, err := zipped.Open(data, "a model, of zip files one of skops or a Gaussian process as .npz")
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(z.File, isProcessArray) {
		return parseProcess(z, b)
	}
	c, err := parseSkops(z, b)
	if err != nil && !errors.Is(err, model.ErrMemory) {
		err = fmt.Errorf("skops file: %w", err)
	}
	return c, err
}

// parseSkops reads a scikit-learn model from a skops file: an archive of schema.json, a tree of the objects'
// attributes, and a .npy file for each array. No code of the file is run. It takes SVC, NuSVC, LinearSVC, SVR and
// NuSVR, with or without a StandardScaler or a MinMaxScaler before them in a Pipeline.
func parseSkops(z *zip.Reader, b *model.Budget) (*model.Parts, error) {
	f := &skopsFile{files: make(map[string]*zip.File), budget: b}
	for _, entry := range z.File {
		f.files[entry.Name] = entry
	}
	schema, err := f.schema()
	if err != nil {
		return nil, err
	}
	var top struct {
		Protocol *int `json:"protocol"`
		skopsNode
	}
	if err = json.Unmarshal(schema, &top); err != nil {
		return nil, fmt.Errorf("schema.json: %w", err)
	}
	if top.Protocol == nil || *top.Protocol != skopsProtocol {
		return nil, fmt.Errorf("found the protocol %s, want %d", shown(top.Protocol), skopsProtocol)
	}
	parts := f.parts(&top.skopsNode)
	if f.err != nil {
		return nil, f.err
	}
	return parts, nil
}

func shown(n *int) string {
	if n == nil {
		return "none"
	}
	return fmt.Sprint(*n)
}

// skopsFile is the archive. After the first error every value reads as empty.
type skopsFile struct {
	files  map[string]*zip.File
	budget *model.Budget
	err    error
}

// fail keeps the first error.
func (f *skopsFile) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

// open opens a file of the archive, within the limit of bytes.
func (f *skopsFile) open(name string) (io.ReadCloser, error) {
	entry := f.files[name]
	if entry == nil {
		return nil, fmt.Errorf("it has no %q", name)
	}
	return entry.Open()
}

// schema reads schema.json. What a decoder may take for it is counted first.
func (f *skopsFile) schema() ([]byte, error) {
	const name = "schema.json"
	r, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := f.budget.ReadAll(r)
	if err == nil {
		err = f.budget.Take(decodedBytes(data), 1)
	}
	if err != nil && !errors.Is(err, model.ErrMemory) {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return data, err
}

// decodedBytes bounds what a decoder takes for a text of JSON: it copies the text of nodes within nodes. Slices grow by
// doubling, so every element is counted twice, and it makes elements for values of a wrong type too.
func decodedBytes(text []byte) int64 {
	const char, element, name, quote = 8, 256, 512, 16
	total := char * int64(len(text))
	within, escaped := false, false // a text, after a backslash
	for _, b := range text {
		switch {
		case escaped:
			escaped = false
		case b == '"':
			within = !within
			total += quote
		case within:
			escaped = b == '\\'
		case b == '[' || b == '{' || b == ',':
			total += element
		case b == ':':
			total += name
		}
	}
	return total
}

// skopsNode is a value: an object with attributes, an array in a file, or JSON.
type skopsNode struct {
	Class   string          `json:"__class__"`
	Module  string          `json:"__module__"`
	Loader  string          `json:"__loader__"`
	Content json.RawMessage `json:"content"`
	Type    string          `json:"type"` // of an array: numpy or json
	File    string          `json:"file"`
}

// skopsAttributes has an object's attributes, by name.
type skopsAttributes struct {
	*skopsFile
	class string
	nodes map[string]skopsNode
}

// attributes returns the attributes of a scikit-learn object; errors begin with where.
func (f *skopsFile) attributes(where string, n *skopsNode) *skopsAttributes {
	a := &skopsAttributes{skopsFile: f, class: n.Class}
	if n.Loader != "ObjectNode" || !strings.HasPrefix(n.Module, "sklearn.") {
		f.fail("%sfound %s.%s, want an estimator of scikit-learn", where, n.Module, n.Class)
		return a
	}
	var dict skopsNode
	err := json.Unmarshal(n.Content, &dict)
	if err == nil {
		err = json.Unmarshal(dict.Content, &a.nodes)
	}
	if err != nil {
		f.fail("%s%s: %w", where, n.Class, err)
	}
	return a
}

// list returns the values of a list or a tuple.
func (n *skopsNode) list() (nodes []skopsNode, err error) {
	if n.Loader != "ListNode" && n.Loader != "TupleNode" {
		return nil, fmt.Errorf("found a %s, want a list", n.Loader)
	}
	err = json.Unmarshal(n.Content, &nodes)
	return nodes, err
}

// plain reads a value that is a string of JSON.
func (n *skopsNode) plain(into any) error {
	var text string
	if n.Loader != "JsonNode" {
		return fmt.Errorf("found a %s %s, want a plain value", n.Loader, n.Class)
	}
	if err := json.Unmarshal(n.Content, &text); err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), into)
}

// get reads an attribute that is a plain value. A missing one, or None, leaves into unchanged.
func (a *skopsAttributes) get(name string, into any) {
	if n, ok := a.nodes[name]; ok {
		if err := n.plain(into); err != nil {
			a.fail("%s.%s: %w", a.class, name, err)
		}
	}
}

// array reads an attribute that is an array of the given number of axes; of no axes: a number.
func (a *skopsAttributes) array(name string, axes int) *fileformat.Array {
	none := &fileformat.Array{Shape: make([]int, axes)}
	n, ok := a.nodes[name]
	if !ok {
		a.fail("%s has no %s: was it fitted?", a.class, name)
	}
	if a.err != nil {
		return none
	}
	array, err := a.arrayOf(&n)
	if err == nil && len(array.Shape) != axes {
		err = fmt.Errorf("found %d axes, want %d", len(array.Shape), axes)
	}
	if err != nil {
		a.fail("%s.%s: %w", a.class, name, err)
		return none
	}
	return array
}

func (f *skopsFile) arrayOf(n *skopsNode) (*fileformat.Array, error) {
	switch {
	case n.Loader == "JsonNode":
		a := &fileformat.Array{Numbers: make([]float64, 1)}
		return a, n.plain(&a.Numbers[0])
	case n.Loader != "NdArrayNode":
		return nil, fmt.Errorf("found a %s %s, want an array", n.Loader, n.Class)
	case n.Type == "json": // an array of Python objects: only strings are of use
		var nodes []skopsNode
		if err := json.Unmarshal(n.Content, &nodes); err != nil {
			return nil, err
		}
		a := &fileformat.Array{Shape: []int{len(nodes)}, Texts: make([]string, len(nodes))}
		for i := range nodes {
			if err := nodes[i].plain(&a.Texts[i]); err != nil {
				return nil, fmt.Errorf("element %d: %w", i, err)
			}
		}
		return a, nil
	}
	r, err := f.open(n.File)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	a, err := fileformat.ReadArray(r, f.budget.Left())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.File, err)
	}
	if err = f.budget.Take(a.Bytes(), 1); err != nil {
		return nil, err
	}
	return a, nil
}

// numbers reads an attribute that is an array of numbers of the given shape; -1 is an axis of any length.
func (a *skopsAttributes) numbers(name string, shape ...int) *fileformat.Array {
	array := a.array(name, len(shape))
	if array.Texts != nil || len(shape) > 0 && !fitsShape(array, shape) {
		a.fail("%s.%s: found the shape %v, want numbers of shape %v", a.class, name, array.Shape, shape)
	}
	return array
}

// scaling reads a fitted scaler of d features.
func (a *skopsAttributes) scaling(d int) *dataset.Scaling {
	s := &dataset.Scaling{Kind: dataset.ScaleZ, Center: make([]float64, d), Spread: make([]float64, d)}
	if a.class == "StandardScaler" {
		var withMean, withDeviation bool
		a.get("with_mean", &withMean)
		a.get("with_std", &withDeviation)
		if withMean {
			copy(s.Center, a.numbers("mean_", d).Numbers)
		}
		if s.Spread = slices.Repeat([]float64{1}, d); withDeviation {
			copy(s.Spread, a.numbers("scale_", d).Numbers)
		}
		return s
	}
	var clip bool
	if a.get("clip", &clip); clip {
		a.fail("%s.clip: found true, which models here do not have", a.class)
	}
	s.Kind = dataset.ScaleMinMax
	s.Lo, s.Hi = a.interval()
	copy(s.Center, a.numbers("data_min_", d).Numbers)
	copy(s.Spread, a.numbers("data_range_", d).Numbers)
	for i, v := range s.Spread {
		if v == 0 { // scikit-learn divides by 1
			s.Spread[i] = 1
		}
	}
	return s
}

// interval reads feature_range.
func (a *skopsAttributes) interval() (lo, hi float64) {
	n := a.nodes["feature_range"]
	ends, err := n.list()
	if err == nil && len(ends) != 2 {
		err = fmt.Errorf("found %d ends", len(ends))
	}
	if err == nil {
		err = cmp.Or(ends[0].plain(&lo), ends[1].plain(&hi))
	}
	if err != nil {
		a.fail("%s.feature_range: %w", a.class, err)
	}
	return lo, hi
}
