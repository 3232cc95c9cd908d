package model

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/sparsekm/sparsekm/internal/fileformat"
	"github.com/sparsekm/sparsekm/learn"
)

// A model file, all numbers little-endian:
//
//	"sparsekm"  8 bytes
//	version     uint32: 1; 2 with columns of a CSV file; 3 for another task than classification; 4 for regression
//	            with variances; 5 for sparse vectors; 6 with prediction sets; 7 with planes or steps; 8 with columns of
//	            dates or yes and no, or marks of missing cells; 9 with learnt values of categories; 10 for a Gaussian
//	            process; 11 for a classifier of them; 12 with indices from 0 in LIBSVM text or LIBSVM's marks; 14 with
//	            forms of numbers, later forms of dates or words for missing cells
//	length      uint64, of the payload
//	payload
//	checksum    uint32, CRC-32C of everything before it
//
// The payload is the fields of Parts in the order of [coder.payload]. A string or an array is written as its length, a
// uint32 (uint64 for coefficients and vectors), then its elements.
const (
	magic      = "sparsekm"
	version    = 14 // the last one; 13 is one of JSON
	headerSize = len(magic) + 4 + 8
)

// checksum is the CRC-32C of a file's bytes.
func checksum(b []byte) uint32 {
	return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) // the table is made once, and not before it is used
}

// AppendBinary appends the model to b as a .skm file.
func (c *Classifier) AppendBinary(b []byte) ([]byte, error) {
	if err := c.parts.storable(); err != nil {
		return b, err
	}
	start := len(b)
	version := c.parts.version()
	b = binary.LittleEndian.AppendUint32(append(b, magic...), uint32(version))
	e := coder{stream: stream{b: binary.LittleEndian.AppendUint64(b, 0)}}
	e.payload(&c.parts, version)
	binary.LittleEndian.PutUint64(e.b[start+headerSize-8:], uint64(len(e.b)-start-headerSize))
	return binary.LittleEndian.AppendUint32(e.b, checksum(e.b[start:])), nil
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
	columns := 0
	for i := range p.Columns {
		columns = max(columns, p.Columns[i].Since())
	}
	switch {
	case columns == 14:
		return 14
	case p.ZeroBased, p.Marks != nil:
		return 12
	case p.Latent != nil:
		return 11
	case p.process() != nil:
		return 10
	case columns > 7:
		return columns
	case !p.Simple():
		return 7
	case p.Conformal != nil:
		return 6
	case p.Sparse != nil:
		return 5
	case p.Posterior != nil:
		return 4
	case p.Task != learn.Classify:
		return 3
	}
	return max(1, columns)
}

// storable reports whether a file can hold the model: a kernel in Go code is written by its name, if it has one.
func (p *Parts) storable() error {
	custom := func(m learn.Submodel) bool { return !p.kernelOf(&m).Storable() }
	if !p.Kernel.Storable() || slices.ContainsFunc(p.Submodels, custom) {
		return errors.New("model: a custom kernel can be written to a file by its name only, " +
			"and this one was not registered by gram.Register")
	}
	return nil
}

// MaxBytes bounds the file of one model, and in formats of text its vectors with every zero stored.
const MaxBytes = 4 << 30

var errNoModel = errors.New("model: not a model file of sparsekm")

var errTruncated = corrupt("the file is truncated")

// parse reads a .skm file.
func parse(data []byte, b *Budget) (*Parts, error) {
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		if len(data) < headerSize && bytes.HasPrefix([]byte(magic), data[:min(len(data), len(magic))]) {
			return nil, errTruncated
		}
		return nil, errNoModel
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
	if checksum(body) != binary.LittleEndian.Uint32(data[len(body):]) {
		return nil, corrupt("the file is corrupt (its checksum does not fit)")
	}
	d := coder{stream: stream{b: body[headerSize:], reading: true, budget: b}}
	var parts Parts
	d.payload(&parts, int(v))
	if len(d.b) > 0 {
		d.fail("%d bytes too many in the file", len(d.b))
	}
	if d.err != nil {
		return nil, d.err
	}
	return &parts, nil
}

// UnmarshalBinary makes c the classifier of a .skm file. Nobody else may use c meanwhile.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	b := fileformat.NewBudget(DefaultMemory)
	p, err := parse(data, b)
	return c.become(p, b, err)
}

// become makes c the classifier of the parts, unless there is an error.
func (c *Classifier) become(p *Parts, b *Budget, err error) error {
	if err != nil {
		return err
	}
	n, err := newWithin(*p, b)
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
