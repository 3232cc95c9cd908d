package model

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// MaxBytes bounds one model, in bytes of the file and in bytes of its vectors with every zero stored.
const MaxBytes = 4 << 30

var errTruncated = corrupt("the file is truncated")

// Parse makes a classifier from the bytes of a .skm file, for instance one embedded with go:embed. It keeps no reference
// to data.
func Parse(data []byte) (*Classifier, error) {
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		if len(data) < headerSize && bytes.HasPrefix([]byte(magic), data[:min(len(data), len(magic))]) {
			return nil, errTruncated
		}
		return nil, errors.New("model: not a model file of sparsekm")
	}
	v := binary.LittleEndian.Uint32(data[len(magic):])
	if v < 1 || v > version {
		return nil, &VersionError{Found: int(v), Want: version}
	}
	n := binary.LittleEndian.Uint64(data[headerSize-8:])
	rest := uint64(len(data) - headerSize)
	switch {
	case n > MaxBytes, rest < n+4:
		return nil, errTruncated
	case rest > n+4:
		return nil, corrupt("%d bytes after the end of the model", rest-n-4)
	}
	body := data[:headerSize+int(n)]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(data[len(body):]) {
		return nil, corrupt("the file is corrupt (its checksum does not fit)")
	}
	d := decoder{b: body[headerSize:], total: int(n)}
	p := d.parts()
	if v > 1 {
		p.Columns = d.columns()
		if v == 2 && len(p.Columns) == 0 && d.err == nil {
			d.err = corrupt("a file of version 2 without columns")
		}
	}
	if v > 2 {
		if p.Task = learn.Task(d.u8()); p.Task == learn.Classify && v < 5 && d.err == nil {
			d.err = corrupt("a file of version %d with the task classify", v)
		}
	}
	posterior := v == 4
	if v > 4 {
		p.Sparse = d.sparse(p.N, p.D)
		posterior = d.flag()
	}
	if posterior {
		p.Posterior = &learn.Posterior{Noise: d.f64(), Covariance: d.floats()}
	}
	if d.err == nil && len(d.b) > 0 {
		d.err = corrupt("%d bytes too many in the file", len(d.b))
	}
	if d.err != nil {
		return nil, d.err
	}
	return newOwned(p)
}

// UnmarshalBinary makes c the classifier of a .skm file. Nobody else may use c meanwhile.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	n, err := Parse(data)
	if err == nil {
		*c = *n
	}
	return err
}

// ReadFrom makes c the classifier of the .skm file that r continues with, and reads no further than the file's end.
// Nobody else may use c meanwhile.
func (c *Classifier) ReadFrom(r io.Reader) (int64, error) {
	var b bytes.Buffer
	n, err := io.CopyN(&b, r, int64(headerSize))
	if err == nil && string(b.Bytes()[:len(magic)]) == magic {
		size := binary.LittleEndian.Uint64(b.Bytes()[headerSize-8:])
		if size > MaxBytes {
			return n, fmt.Errorf("model: a file of %d bytes, want at most %d", size, int64(MaxBytes))
		}
		var m int64
		m, err = io.CopyN(&b, r, int64(size)+4) // allocates for bytes that arrive, not for the claimed size
		n += m
	}
	if err != nil && err != io.EOF {
		return n, err
	}
	return n, c.UnmarshalBinary(b.Bytes())
}

// decoder reads the payload. After the first error everything reads as zero. Every count is compared with the bytes
// that are left before anything is allocated for it.
type decoder struct {
	b     []byte
	total int // bytes of the whole payload
	err   error
}

// take returns the next n bytes, or nil.
func (d *decoder) take(n int) []byte {
	if d.err == nil && n > len(d.b) {
		d.err = errTruncated
	}
	if d.err != nil {
		return nil
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

// count checks that n elements of the given size are left.
func (d *decoder) count(n uint64, size int) int {
	if d.err == nil && n > uint64(len(d.b)/size) {
		d.err = errTruncated
	}
	if d.err != nil {
		return 0
	}
	return int(n)
}

func (d *decoder) u8() uint8 {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) u32() uint32 {
	if b := d.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) u64() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) f64() float64 { return math.Float64frombits(d.u64()) }

// size reads a number that must fit an int32, such as a dimension.
func (d *decoder) size() int {
	v := d.u32()
	if v > math.MaxInt32 && d.err == nil {
		d.err = corrupt("a size of %d in the file", v)
	}
	return int(int32(v))
}

// long reads a number that must fit an int.
func (d *decoder) long() int {
	v := d.u64()
	if v > math.MaxInt && d.err == nil {
		d.err = corrupt("a size of %d in the file", v)
	}
	return int(v)
}

func (d *decoder) flag() bool {
	v := d.u8()
	if v > 1 && d.err == nil {
		d.err = corrupt("a flag of value %d in the file", v)
	}
	return v == 1
}

func (d *decoder) str() string { return string(d.take(d.count(uint64(d.u32()), 1))) }

// floats reads an array; an empty one is nil.
func (d *decoder) floats() []float64 {
	n := d.count(d.u64(), 8)
	if n == 0 {
		return nil
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = d.f64()
	}
	return v
}

func (d *decoder) kernel() gram.Kernel {
	k := gram.Kernel{Kind: gram.Kind(d.u8()), Gamma: d.f64(), Coef0: d.f64(), Degree: d.size(), Weights: d.floats()}
	if !k.HasCode() {
		return k
	}
	k, err := gram.Registered(d.str())
	if d.err == nil && err != nil {
		d.err = fmt.Errorf("model: %w", err)
	}
	return k
}

func (d *decoder) scaling() *dataset.Scaling {
	kind := dataset.ScaleKind(d.u8())
	if kind == dataset.ScaleNone {
		return nil
	}
	return &dataset.Scaling{Kind: kind, Lo: d.f64(), Hi: d.f64(), Center: d.floats(), Spread: d.floats()}
}

func (d *decoder) submodel() learn.Submodel {
	m := learn.Submodel{Pos: d.size(), Neg: int(int32(d.u32()))}
	m.Bias, m.Coef = d.f64(), d.floats()
	m.Support = make([]int, d.count(uint64(len(m.Coef)), 4))
	for s := range m.Support {
		m.Support[s] = d.size()
	}
	if d.flag() {
		k := d.kernel()
		m.Kernel = &k
	}
	return m
}

// sparse reads n rows of so many features; Validate checks them later.
func (d *decoder) sparse(n, features int) *csr.Matrix {
	m := &csr.Matrix{N: d.count(uint64(n), 4), D: features}
	m.Start = make([]int, m.N+1)
	for i := range m.N {
		m.Start[i+1] = m.Start[i] + int(d.u32())
	}
	total := d.count(uint64(m.Start[m.N]), 12)
	m.Index, m.Value = make([]int32, total), make([]float64, total)
	for k := range m.Index {
		m.Index[k] = int32(d.u32())
	}
	for k := range m.Value {
		m.Value[k] = d.f64()
	}
	return m
}

func (d *decoder) columns() dataset.Columns {
	n := d.count(uint64(d.u32()), 18)
	if n == 0 {
		return nil
	}
	c := make(dataset.Columns, n)
	for i := range c {
		c[i].Name, c[i].Role = d.str(), dataset.Role(d.u8())
		if n := d.count(uint64(d.u32()), 4); n > 0 {
			c[i].Categories = make([]string, n)
			for k := range c[i].Categories {
				c[i].Categories[k] = d.str()
			}
		}
		c[i].Filled, c[i].Fill = d.flag(), d.f64()
	}
	return c
}

func (d *decoder) parts() (p Parts) {
	p.Method = d.str()
	if n := d.count(uint64(d.u32()), 12); n > 0 {
		p.Params = make(map[string]float64, n)
		for range n {
			name := d.str()
			p.Params[name] = d.f64()
		}
	}
	p.Trained, p.Features = d.long(), d.size()
	p.Kernel = d.kernel()
	p.Scaling = d.scaling()
	p.Labels = make([]string, d.count(uint64(d.u32()), 4))
	for i := range p.Labels {
		p.Labels[i] = d.str()
	}
	p.Scheme = Scheme(d.u8())
	p.Submodels = make([]learn.Submodel, d.count(uint64(d.u32()), 25))
	for i := range p.Submodels {
		p.Submodels[i] = d.submodel()
	}
	p.PlattStale = d.flag()
	if n := d.count(uint64(d.u32()), 16); n > 0 {
		p.Platt = make([]Platt, n)
		for i := range p.Platt {
			p.Platt[i] = Platt{d.f64(), d.f64()}
		}
	}
	if n := d.count(uint64(d.u32()), 8); n > 0 {
		p.Rows = make([]int, n)
		for i := range p.Rows {
			p.Rows[i] = d.long()
		}
	}
	p.N, p.D = d.long(), d.size()
	p.Vectors = d.floats()
	if p.D == 0 && p.N > d.total && d.err == nil {
		d.err = corrupt("%d vectors without features in the file", p.N)
	}
	return p
}
