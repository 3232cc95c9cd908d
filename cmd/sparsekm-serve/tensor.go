package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// tensor is an output, or the description of an input or output.
type tensor struct {
	Name       string      `json:"name"`
	Datatype   string      `json:"datatype"`
	Shape      []int       `json:"shape"`
	Parameters *parameters `json:"parameters,omitempty"`
	Data       any         `json:"data,omitempty"`
}

// parameters are those of requests, inputs and outputs that change what a body means. All others are not looked at.
type parameters struct {
	Size      *int64          `json:"binary_data_size,omitempty"`     // of an input or output: bytes after the JSON object
	Binary    *bool           `json:"binary_data,omitempty"`          // of an output that is asked for
	AllBinary bool            `json:"binary_data_output,omitempty"`   // of a request: the same for all outputs
	Region    json.RawMessage `json:"shared_memory_region,omitempty"` // refused
	Classes   json.RawMessage `json:"classification,omitempty"`       // refused
}

// refuse says which parameter cannot be followed.
func (p *parameters) refuse() error {
	asked := func(v json.RawMessage) bool { return len(v) > 0 && string(v) != "false" && string(v) != "null" }
	switch {
	case asked(p.Region):
		return fmt.Errorf("found the parameter shared_memory_region, want the numbers in the request")
	case asked(p.Classes):
		return fmt.Errorf("found the parameter classification, want the outputs labels, decisions or probabilities")
	}
	return nil
}

// kind is a datatype of numbers. All its values are float64, but for whole numbers beyond 2⁵³.
type kind struct {
	name   string
	size   int // bytes of a value
	lo, hi float64
	value  func(b []byte) float64 // of one value in binary data; NaN for a whole number that float64 lacks
}

// kinds are the datatypes of numbers. Whole numbers are features as they are; BOOL counts as 0 and 1, as NumPy has it.
var kinds = []kind{
	{"FP64", 8, -math.MaxFloat64, math.MaxFloat64, func(b []byte) float64 {
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}},
	{"FP32", 4, -math.MaxFloat32, math.MaxFloat32, func(b []byte) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}},
	{"INT64", 8, -1 << 53, 1 << 53, func(b []byte) float64 { return exactly(int64(binary.LittleEndian.Uint64(b))) }},
	{"INT32", 4, math.MinInt32, math.MaxInt32, func(b []byte) float64 {
		return float64(int32(binary.LittleEndian.Uint32(b)))
	}},
	{"INT16", 2, math.MinInt16, math.MaxInt16, func(b []byte) float64 {
		return float64(int16(binary.LittleEndian.Uint16(b)))
	}},
	{"INT8", 1, math.MinInt8, math.MaxInt8, func(b []byte) float64 { return float64(int8(b[0])) }},
	{"UINT64", 8, 0, 1 << 53, func(b []byte) float64 {
		return exactly(int64(min(binary.LittleEndian.Uint64(b), math.MaxInt64)))
	}},
	{"UINT32", 4, 0, math.MaxUint32, func(b []byte) float64 { return float64(binary.LittleEndian.Uint32(b)) }},
	{"UINT16", 2, 0, math.MaxUint16, func(b []byte) float64 { return float64(binary.LittleEndian.Uint16(b)) }},
	{"UINT8", 1, 0, math.MaxUint8, func(b []byte) float64 { return float64(b[0]) }},
	{"BOOL", 1, 0, 1, func(b []byte) float64 { return float64(min(b[0], 1)) }},
}

// exactly returns a whole number, NaN where float64 may lack its neighbours.
func exactly(v int64) float64 {
	if v < -1<<53 || v > 1<<53 {
		return math.NaN()
	}
	return float64(v)
}

// whole reports whether a datatype has whole numbers only.
func (k *kind) whole() bool { return k.name[0] != 'F' }

// cells are the values of an input, row by row: numbers or text.
type cells struct {
	name string
	bool bool
	x    []float64
	text []string // instead of x
	n, d int      // d is 1 for the shape [n]
}

// read takes an input apart, and returns what is left of the binary data.
func (in *inferInput) read(rest []byte) (c cells, left []byte, err error) {
	c, left, err = in.cells(rest)
	if err != nil {
		err = fmt.Errorf("input %q: %w", in.Name, err)
	}
	return c, left, err
}

func (in *inferInput) cells(rest []byte) (c cells, left []byte, err error) {
	if err = in.Parameters.refuse(); err != nil {
		return c, nil, err
	}
	c = cells{name: in.Name, bool: in.Datatype == "BOOL", d: 1}
	pos := slices.IndexFunc(kinds, func(k kind) bool { return k.name == in.Datatype })
	if pos < 0 && in.Datatype != "BYTES" {
		return c, nil, fmt.Errorf("found the datatype %q, want FP64, FP32, INT8 to INT64, UINT8 to UINT64, BOOL or BYTES",
			in.Datatype)
	}
	if len(in.Shape) < 1 || len(in.Shape) > 2 || slices.Min(in.Shape) < 0 {
		return c, nil, fmt.Errorf("found the shape %v, want [rows, features], or [rows] for one column", in.Shape)
	}
	if c.n = in.Shape[0]; len(in.Shape) == 2 {
		c.d = in.Shape[1]
	}
	data := in.Data
	if string(data) == "null" {
		data = nil
	}
	size := in.Parameters.Size
	switch {
	case size != nil && data != nil:
		return c, nil, fmt.Errorf("found data and the parameter binary_data_size, want one of both")
	case size == nil && data == nil:
		return c, nil, fmt.Errorf("found no data, want data or the parameter binary_data_size")
	case size == nil && pos < 0:
		c.text, err = in.words(&c)
		return c, rest, err
	case size == nil:
		c.x, err = in.numbers(&c, &kinds[pos])
		return c, rest, err
	case *size < 0 || *size > int64(len(rest)):
		return c, nil, fmt.Errorf("found binary_data_size %d, want at most the %d bytes that follow", *size, len(rest))
	case pos < 0:
		c.text, err = in.binaryWords(rest[:*size])
	default:
		c.x, err = in.binaryNumbers(rest[:*size], &kinds[pos])
	}
	return c, rest[*size:], err
}

// fits reports whether a number of values is that of the shape, whose product may overflow.
func (in *inferInput) fits(values int) bool {
	for _, s := range in.Shape {
		if s == 0 {
			return values == 0
		}
	}
	for _, s := range in.Shape {
		if values%s != 0 {
			return false
		}
		values /= s
	}
	return values == 1
}

// numbers reads data in JSON, flat or in rows.
func (in *inferInput) numbers(c *cells, k *kind) ([]float64, error) {
	text := []byte(in.Data)
	if c.bool {
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("true"), []byte("1")), []byte("false"), []byte("0"))
	}
	var m matrix
	if err := m.UnmarshalJSON(text); err != nil {
		return nil, err
	}
	if m.n >= 0 && (m.n != c.n || c.n > 0 && m.d != c.d) {
		return nil, fmt.Errorf("found data of %d rows of %d numbers, want the shape %v", m.n, m.d, in.Shape)
	}
	if !in.fits(len(m.x)) {
		return nil, fmt.Errorf("found %d numbers, want as many as the shape %v has", len(m.x), in.Shape)
	}
	for i, v := range m.x {
		if k.name == "FP32" {
			m.x[i] = float64(float32(v))
		}
		if v = m.x[i]; !(v >= k.lo && v <= k.hi) || k.whole() && v != math.Trunc(v) {
			return nil, fmt.Errorf("found %v at number %d (from 0), want one that %s has%s", v, i, k.name, exactness(k))
		}
	}
	return m.x, nil
}

// binaryNumbers reads values without gaps, row by row.
func (in *inferInput) binaryNumbers(data []byte, k *kind) ([]float64, error) {
	if len(data)%k.size != 0 || !in.fits(len(data)/k.size) {
		return nil, fmt.Errorf("found binary_data_size %d, want %d bytes for each value of the shape %v", len(data), k.size,
			in.Shape)
	}
	x := make([]float64, len(data)/k.size)
	for i := range x {
		if x[i] = k.value(data[i*k.size:]); math.IsInf(x[i], 0) || k.whole() && math.IsNaN(x[i]) {
			return nil, fmt.Errorf("found a value at number %d (from 0) that is no finite %s%s", i, k.name, exactness(k))
		}
	}
	return x, nil
}

// exactness says what of 64-bit integers is refused.
func exactness(k *kind) string {
	if k.whole() && k.size == 8 {
		return " of at most 2⁵³, since features are float64"
	}
	return ""
}

// words reads text in JSON, flat or in rows; null is a missing cell.
func (in *inferInput) words(c *cells) ([]string, error) {
	var flat []string
	if json.Unmarshal(in.Data, &flat) != nil {
		var rows [][]string
		if err := json.Unmarshal(in.Data, &rows); err != nil {
			return nil, fmt.Errorf("found data of other kinds, want text in an array, or in arrays of a row each")
		}
		for i, row := range rows {
			if len(row) != c.d || len(rows) != c.n {
				return nil, fmt.Errorf("found %d rows, and %d cells in row %d (from 0), want the shape %v", len(rows), len(row),
					i, in.Shape)
			}
		}
		flat = slices.Concat(rows...)
	}
	if !in.fits(len(flat)) {
		return nil, fmt.Errorf("found %d cells, want as many as the shape %v has", len(flat), in.Shape)
	}
	return flat, lines(flat)
}

// binaryWords reads text, each after the number of its bytes.
func (in *inferInput) binaryWords(data []byte) (text []string, err error) {
	for len(data) > 0 {
		n := int64(math.MaxInt64)
		if len(data) >= 4 {
			n = int64(binary.LittleEndian.Uint32(data))
		}
		if n > int64(len(data))-4 {
			return nil, fmt.Errorf("found the end of the data in cell %d (from 0), want 4 bytes of length and the text",
				len(text))
		}
		text = append(text, string(data[4:4+n]))
		data = data[4+n:]
	}
	if !in.fits(len(text)) {
		return nil, fmt.Errorf("found %d cells, want as many as the shape %v has", len(text), in.Shape)
	}
	return text, lines(text)
}

// lines refuses what no cell of a table is. Without line ends a row of the table is a line of its text.
func lines(text []string) error {
	for i, cell := range text {
		if !utf8.ValidString(cell) || strings.ContainsAny(cell, "\r\n\x00") {
			return fmt.Errorf("found %.40q in cell %d (from 0), want a line of UTF-8", cell, i)
		}
	}
	return nil
}

// appendBinary appends an output's data as the protocol has it.
func appendBinary(b []byte, data any) []byte {
	switch data := data.(type) {
	case []float64:
		for _, v := range data {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	case []bool:
		for _, v := range data {
			one := byte(0)
			if v {
				one = 1
			}
			b = append(b, one)
		}
	case []string:
		for _, text := range data {
			b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
			b = append(b, text...)
		}
	default:
		panic(fmt.Sprintf("serve: an output of %T", data))
	}
	return b
}
