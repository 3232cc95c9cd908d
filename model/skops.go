package model

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/fileformat"
)

// skopsProtocol is the version of the file format that the reader knows. The format is internal to skops and may
// change.
const skopsProtocol = 2

// readSkops reads a scikit-learn model from a skops file: a zip archive of schema.json, a tree of the objects'
// attributes, and a .npy file for each array. No code of the file is run. It takes SVC, NuSVC, LinearSVC, SVR and
// NuSVR, with or without a StandardScaler or a MinMaxScaler before them in a Pipeline.
func readSkops(r io.Reader, file string, maxBytes int64) (*Classifier, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	c, err := parseSkops(data, maxBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: skops file: %w", file, err)
	}
	return c, nil
}

func parseSkops(data []byte, maxBytes int64) (*Classifier, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	f := &skopsFile{files: make(map[string]*zip.File), left: maxBytes}
	for _, entry := range z.File {
		f.files[entry.Name] = entry
	}
	schema, err := f.bytes("schema.json")
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
	parts, err := f.parts(&top.skopsNode)
	if err != nil {
		return nil, err
	}
	return newOwned(*parts)
}

func shown(n *int) string {
	if n == nil {
		return "none"
	}
	return fmt.Sprint(*n)
}

// skopsFile is the archive.
type skopsFile struct {
	files map[string]*zip.File
	left  int64 // bytes that may still be read
}

// open opens a file of the archive, within the limit of bytes.
func (f *skopsFile) open(name string) (io.ReadCloser, error) {
	entry := f.files[name]
	if entry == nil {
		return nil, fmt.Errorf("it has no %q", name)
	}
	if entry.UncompressedSize64 > uint64(f.left) {
		return nil, fmt.Errorf("%s: more than the limit of %d bytes", name, f.left)
	}
	f.left -= int64(entry.UncompressedSize64) // package zip fails if the file is longer
	return entry.Open()
}

func (f *skopsFile) bytes(name string) ([]byte, error) {
	r, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
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
	file  *skopsFile
	of    string
	nodes map[string]skopsNode
}

// attributes returns the attributes of a scikit-learn object.
func (f *skopsFile) attributes(n *skopsNode) (*skopsAttributes, error) {
	if n.Loader != "ObjectNode" || !strings.HasPrefix(n.Module, "sklearn.") {
		return nil, fmt.Errorf("found %s.%s, want an estimator of scikit-learn", n.Module, n.Class)
	}
	var dict skopsNode
	a := &skopsAttributes{file: f, of: n.Class}
	if err := json.Unmarshal(n.Content, &dict); err != nil {
		return nil, fmt.Errorf("%s: %w", n.Class, err)
	}
	if err := json.Unmarshal(dict.Content, &a.nodes); err != nil {
		return nil, fmt.Errorf("%s: %w", n.Class, err)
	}
	return a, nil
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
func (a *skopsAttributes) get(name string, into any) error {
	n, ok := a.nodes[name]
	if !ok {
		return nil
	}
	if err := n.plain(into); err != nil {
		return fmt.Errorf("%s.%s: %w", a.of, name, err)
	}
	return nil
}

// array reads an attribute that is an array of the given number of axes; of no axes: a number.
func (a *skopsAttributes) array(name string, axes int) (*fileformat.Array, error) {
	n, ok := a.nodes[name]
	if !ok {
		return nil, fmt.Errorf("%s has no %s: was it fitted?", a.of, name)
	}
	array, err := a.file.array(&n)
	if err == nil && len(array.Shape) != axes {
		err = fmt.Errorf("found %d axes, want %d", len(array.Shape), axes)
	}
	if err != nil {
		return nil, fmt.Errorf("%s.%s: %w", a.of, name, err)
	}
	return array, nil
}

func (f *skopsFile) array(n *skopsNode) (*fileformat.Array, error) {
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
	a, err := fileformat.ReadArray(r, f.left)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.File, err)
	}
	return a, nil
}

// numbers reads an attribute that is an array of numbers of the given shape; -1 is an axis of any length.
func (a *skopsAttributes) numbers(name string, shape ...int) (*fileformat.Array, error) {
	array, err := a.array(name, len(shape))
	if err != nil {
		return nil, err
	}
	fits := array.Texts == nil
	for axis, side := range shape {
		fits = fits && (side < 0 || array.Shape[axis] == side)
	}
	if !fits {
		return nil, fmt.Errorf("%s.%s: found the shape %v, want numbers of shape %v", a.of, name, array.Shape, shape)
	}
	return array, nil
}

// scaling reads a fitted scaler of d features.
func (a *skopsAttributes) scaling(d int) (*dataset.Scaling, error) {
	if a.of == "StandardScaler" {
		s := &dataset.Scaling{Kind: dataset.ScaleZ, Center: make([]float64, d), Spread: make([]float64, d)}
		for i := range s.Spread {
			s.Spread[i] = 1
		}
		var with struct{ mean, deviation bool }
		if err := a.get("with_mean", &with.mean); err != nil {
			return nil, err
		}
		if err := a.get("with_std", &with.deviation); err != nil {
			return nil, err
		}
		return s, a.into(d, map[string][]float64{"mean_": s.Center, "scale_": s.Spread},
			map[string]bool{"mean_": with.mean, "scale_": with.deviation})
	}
	var clip bool
	if err := a.get("clip", &clip); err != nil {
		return nil, err
	}
	if clip {
		return nil, fmt.Errorf("%s.clip: found true, which models here do not have", a.of)
	}
	s := &dataset.Scaling{Kind: dataset.ScaleMinMax, Center: make([]float64, d), Spread: make([]float64, d)}
	interval, err := a.interval()
	if err != nil {
		return nil, err
	}
	s.Lo, s.Hi = interval[0], interval[1]
	err = a.into(d, map[string][]float64{"data_min_": s.Center, "data_range_": s.Spread}, nil)
	for i, v := range s.Spread {
		if v == 0 { // scikit-learn divides by 1
			s.Spread[i] = 1
		}
	}
	return s, err
}

// into reads vectors of d numbers, except those whose use is false.
func (a *skopsAttributes) into(d int, vectors map[string][]float64, use map[string]bool) error {
	for name, v := range vectors {
		if used, ok := use[name]; ok && !used {
			continue
		}
		array, err := a.numbers(name, d)
		if err != nil {
			return err
		}
		copy(v, array.Numbers)
	}
	return nil
}

// interval reads feature_range.
func (a *skopsAttributes) interval() (ends [2]float64, err error) {
	n := a.nodes["feature_range"]
	list, err := n.list()
	if err == nil && len(list) != 2 {
		err = fmt.Errorf("found %d ends", len(list))
	}
	for i := 0; err == nil && i < 2; i++ {
		err = list[i].plain(&ends[i])
	}
	if err != nil {
		err = fmt.Errorf("%s.feature_range: %w", a.of, err)
	}
	return ends, err
}
