package model

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// A model file, all numbers little-endian:
//
//	"sparsekm"  8 bytes
//	version     uint32: 1; 2 with columns of a CSV file; 3 for another task than classification; 4 for regression
//	            with variances; 5 for sparse vectors
//	length      uint64, of the payload
//	payload
//	checksum    uint32, CRC-32C of everything before it
//
// The payload is the fields of Parts in the order of [encoder.parts]. A string or an array is written as its length, a
// uint32 (uint64 for coefficients and vectors), then its elements.
const (
	magic      = "sparsekm"
	version    = 5 // the last one
	headerSize = len(magic) + 4 + 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// AppendBinary appends the model to b as a .skm file.
func (c *Classifier) AppendBinary(b []byte) ([]byte, error) {
	if err := c.parts.storable(); err != nil {
		return b, err
	}
	start := len(b)
	e := encoder{append(b, magic...)}
	e.u32(uint32(c.parts.version()))
	e.u64(0)
	e.parts(&c.parts)
	binary.LittleEndian.PutUint64(e.b[start+headerSize-8:], uint64(len(e.b)-start-headerSize))
	e.u32(crc32.Checksum(e.b[start:], castagnoli))
	return e.b, nil
}

// MarshalBinary returns the model as a .skm file.
func (c *Classifier) MarshalBinary() ([]byte, error) { return c.AppendBinary(nil) }

// WriteTo writes the model as a .skm file.
func (c *Classifier) WriteTo(w io.Writer) (int64, error) {
	b, err := c.AppendBinary(nil)
	if err != nil {
		return 0, err
	}
	n, err := w.Write(b)
	return int64(n), err
}

// version returns the first version that can hold the model, so that older programs can read it.
func (p *Parts) version() int {
	switch {
	case p.Sparse != nil:
		return 5
	case p.Posterior != nil:
		return 4
	case p.Task != learn.Classify:
		return 3
	case len(p.Columns) > 0:
		return 2
	}
	return 1
}

// storable reports whether a file can hold the model: a kernel in Go code is written by its name, if it has one.
func (p *Parts) storable() error {
	ok := p.Kernel.Storable()
	for _, m := range p.Submodels {
		ok = ok && (m.Kernel == nil || m.Kernel.Storable())
	}
	if !ok {
		return errors.New("model: a custom kernel can be written to a file by its name only, " +
			"and this one was not registered by gram.Register")
	}
	return nil
}

type encoder struct{ b []byte }

func (e *encoder) u8(v uint8)    { e.b = append(e.b, v) }
func (e *encoder) u32(v uint32)  { e.b = binary.LittleEndian.AppendUint32(e.b, v) }
func (e *encoder) u64(v uint64)  { e.b = binary.LittleEndian.AppendUint64(e.b, v) }
func (e *encoder) f64(v float64) { e.u64(math.Float64bits(v)) }

func (e *encoder) flag(v bool) {
	if v {
		e.u8(1)
	} else {
		e.u8(0)
	}
}

func (e *encoder) str(s string) {
	e.u32(uint32(len(s)))
	e.b = append(e.b, s...)
}

func (e *encoder) floats(v []float64) {
	e.u64(uint64(len(v)))
	for _, x := range v {
		e.f64(x)
	}
}

func (e *encoder) kernel(k gram.Kernel) {
	e.u8(uint8(k.Kind))
	e.f64(k.Gamma)
	e.f64(k.Coef0)
	e.u32(uint32(k.Degree))
	e.floats(k.Weights)
	if k.HasCode() {
		e.str(k.Name)
	}
}

func (e *encoder) scaling(s *dataset.Scaling) {
	if s == nil {
		e.u8(0)
		return
	}
	e.u8(uint8(s.Kind))
	e.f64(s.Lo)
	e.f64(s.Hi)
	e.floats(s.Center)
	e.floats(s.Spread)
}

func (e *encoder) submodel(m *learn.Submodel) {
	e.u32(uint32(m.Pos))
	e.u32(uint32(int32(m.Neg)))
	e.f64(m.Bias)
	e.floats(m.Coef)
	for _, j := range m.Support {
		e.u32(uint32(j))
	}
	e.flag(m.Kernel != nil)
	if m.Kernel != nil {
		e.kernel(*m.Kernel)
	}
}

func (e *encoder) parts(p *Parts) {
	e.str(p.Method)
	e.u32(uint32(len(p.Params)))
	for _, name := range slices.Sorted(maps.Keys(p.Params)) {
		e.str(name)
		e.f64(p.Params[name])
	}
	e.u64(uint64(p.Trained))
	e.u32(uint32(p.Features))
	e.kernel(p.Kernel)
	e.scaling(p.Scaling)
	e.u32(uint32(len(p.Labels)))
	for _, l := range p.Labels {
		e.str(l)
	}
	e.u8(uint8(p.Scheme))
	e.u32(uint32(len(p.Submodels)))
	for i := range p.Submodels {
		e.submodel(&p.Submodels[i])
	}
	e.flag(p.PlattStale)
	e.u32(uint32(len(p.Platt)))
	for _, q := range p.Platt {
		e.f64(q.A)
		e.f64(q.B)
	}
	e.u32(uint32(len(p.Rows)))
	for _, r := range p.Rows {
		e.u64(uint64(r))
	}
	e.u64(uint64(p.N))
	e.u32(uint32(p.D))
	e.floats(p.Vectors)
	if p.version() > 1 {
		e.columns(p.Columns)
	}
	if p.version() > 2 {
		e.u8(uint8(p.Task))
	}
	if p.Sparse != nil {
		e.sparse(p.Sparse)
		e.flag(p.Posterior != nil)
	}
	if p.Posterior != nil {
		e.f64(p.Posterior.Noise)
		e.floats(p.Posterior.Covariance)
	}
}

// sparse writes each row's number of non-zero features, then all indices and all values.
func (e *encoder) sparse(m *csr.Matrix) {
	for i := range m.N {
		e.u32(uint32(m.Start[i+1] - m.Start[i]))
	}
	for _, k := range m.Index {
		e.u32(uint32(k))
	}
	for _, v := range m.Value {
		e.f64(v)
	}
}

func (e *encoder) columns(c dataset.Columns) {
	e.u32(uint32(len(c)))
	for i := range c {
		e.str(c[i].Name)
		e.u8(uint8(c[i].Role))
		e.u32(uint32(len(c[i].Categories)))
		for _, v := range c[i].Categories {
			e.str(v)
		}
		e.flag(c[i].Filled)
		e.f64(c[i].Fill)
	}
}
