package fileformat

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"
)

// NumPyMagic is the beginning of an .npy file.
const NumPyMagic = "\x93NUMPY"

// maxHeader bounds the bytes of a header, as NumPy does.
const maxHeader = 10000

// Array is an array in row-major order, of either numbers or strings.
type Array struct {
	Shape   []int // empty for a scalar
	Numbers []float64
	Texts   []string // strings; nil for numbers
	Whole   bool     // the type of the numbers is integer or boolean
	Truth   bool     // the type is boolean; numbers are 0 and 1
}

// Len returns the number of elements.
func (a *Array) Len() int { return len(a.Numbers) + len(a.Texts) }

// Bytes is the memory of the elements.
func (a *Array) Bytes() int64 {
	total := 8*int64(len(a.Numbers)) + stringBytes*int64(len(a.Texts))
	for _, s := range a.Texts {
		total += int64(len(s))
	}
	return total
}

// stringBytes is the size of a string without its text.
const stringBytes = 16

// ReadArray reads one array, which may take at most maxBytes in the file and at most maxBytes in memory. It does not
// read bytes after the array.
func ReadArray(r io.Reader, maxBytes int64) (*Array, error) {
	in, err := NewArrayReader(r, maxBytes)
	if err != nil {
		return nil, err
	}
	return in.All()
}

// ArrayReader reads an array in pieces.
type ArrayReader struct {
	h     *header
	from  io.Reader
	n, at int // number of elements, and number read so far
	piece []byte
	max   int64 // bytes of memory
}

// NewArrayReader reads the header of an array; [ReadArray] states the limits.
func NewArrayReader(r io.Reader, maxBytes int64) (*ArrayReader, error) {
	b := bufio.NewReader(r)
	h, err := readHeader(b)
	if err != nil {
		return nil, fmt.Errorf("NumPy array: %w", err)
	}
	n := 1
	for _, side := range h.shape {
		if side > 0 && n > math.MaxInt/side {
			return nil, fmt.Errorf("NumPy array: found the shape %v, want fewer elements", h.shape)
		}
		n *= side
	}
	in := &ArrayReader{h: h, from: b, n: n, max: maxBytes}
	if len(h.shape) > 2 {
		return nil, fmt.Errorf("NumPy array: found %d axes, want at most 2", len(h.shape))
	}
	if err = in.fits(max(h.size, stringBytes)); err != nil {
		return nil, err
	}
	return in, nil
}

// fits returns an error if the elements of so many bytes of memory are more than the limit.
func (r *ArrayReader) fits(each int) error {
	if int64(r.n) > r.max/int64(each) {
		return fmt.Errorf("NumPy array: %d elements of %d bytes are more than the limit of %d bytes", r.n, r.h.size, r.max)
	}
	return nil
}

// Shape returns the array's shape. The caller must not change it.
func (r *ArrayReader) Shape() []int { return r.h.shape }

// RowByRow reports whether the file holds the elements in row-major order, as [ArrayReader.Next] needs them.
func (r *ArrayReader) RowByRow() bool { return !r.h.fortran || len(r.h.shape) < 2 }

// All reads the whole array. While a slice grows, the elements are there more than twice.
func (r *ArrayReader) All() (*Array, error) {
	each := 3 * 8
	if r.h.kind == 'U' || r.h.kind == 'S' {
		each = 4*stringBytes + r.h.size
	}
	if err := r.fits(each); err != nil {
		return nil, err
	}
	a := &Array{Shape: r.h.shape, Whole: r.h.kind != 'f', Truth: r.h.kind == 'b'}
	if err := r.fill(a, r.n); err != nil {
		return nil, err
	}
	if !r.RowByRow() {
		a.Numbers, a.Texts = transposed(a.Numbers, r.h.shape), transposed(a.Texts, r.h.shape)
	}
	return a, nil
}

// Next stores the next m elements of the file in a, or fewer if fewer are left.
func (r *ArrayReader) Next(a *Array, m int) error {
	a.Numbers, a.Texts = a.Numbers[:0], a.Texts[:0]
	return r.fill(a, min(m, r.n-r.at))
}

// fill reads m elements. It allocates piece by piece, as far as the file has data, because a header may lie.
func (r *ArrayReader) fill(a *Array, m int) error {
	largest := max(1, 1<<16/max(1, r.h.size))
	for m > 0 {
		k := min(m, largest)
		if need := k * r.h.size; len(r.piece) < need {
			r.piece = make([]byte, need)
		}
		if _, err := io.ReadFull(r.from, r.piece[:k*r.h.size]); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return fmt.Errorf("NumPy array: the file ends within its %d elements", r.n)
			}
			return fmt.Errorf("NumPy array: %w", err)
		}
		for i := range k {
			if err := a.add(r.piece[i*r.h.size:][:r.h.size], r.h); err != nil {
				return fmt.Errorf("NumPy array: element %d: %w", r.at+i, err)
			}
		}
		r.at, m = r.at+k, m-k
	}
	return nil
}

// add appends an element.
func (a *Array) add(b []byte, h *header) error {
	switch h.kind {
	case 'U', 'S':
		s, err := text(b, h)
		a.Texts = append(a.Texts, s)
		return err
	}
	v, err := number(b, h)
	a.Numbers = append(a.Numbers, v)
	return err
}

// number decodes a number. It returns an error for an integer beyond ±2⁵³, which float64 may not represent.
func number(b []byte, h *header) (float64, error) {
	var u uint64
	switch h.size {
	case 1:
		u = uint64(b[0])
	case 2:
		u = uint64(h.order.Uint16(b))
	case 4:
		u = uint64(h.order.Uint32(b))
	default:
		u = h.order.Uint64(b)
	}
	switch h.kind {
	case 'f':
		if h.size == 4 {
			return float64(math.Float32frombits(uint32(u))), nil
		}
		return math.Float64frombits(u), nil
	case 'b':
		if u > 1 {
			return 0, fmt.Errorf("found the truth value %d", u)
		}
	case 'i':
		shift := 64 - 8*h.size
		i := int64(u<<shift) >> shift
		if v := float64(i); math.Abs(v) <= 1<<53 {
			return v, nil
		}
		return 0, fmt.Errorf("found %d, which float64 may not have", i)
	}
	if u > 1<<53 {
		return 0, fmt.Errorf("found %d, which float64 may not have", u)
	}
	return float64(u), nil
}

// text decodes a string padded with zeros: UTF-32 or bytes.
func text(b []byte, h *header) (string, error) {
	if h.kind == 'S' {
		for len(b) > 0 && b[len(b)-1] == 0 {
			b = b[:len(b)-1]
		}
		if !utf8.Valid(b) {
			return "", errors.New("found bytes that are no text")
		}
		return string(b), nil
	}
	var runes []rune
	for i := 0; i < len(b); i += 4 {
		r := h.order.Uint32(b[i:])
		if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
			return "", fmt.Errorf("found %#x, which is no character", r)
		}
		runes = append(runes, rune(r))
	}
	for len(runes) > 0 && runes[len(runes)-1] == 0 {
		runes = runes[:len(runes)-1]
	}
	return string(runes), nil
}

// transposed converts a matrix of the given shape from column-major to row-major order.
func transposed[T any](x []T, shape []int) []T {
	if len(x) == 0 {
		return x
	}
	out, rows, columns := make([]T, len(x)), shape[0], shape[1]
	for k := range out {
		out[k] = x[k%columns*rows+k/columns]
	}
	return out
}

// header is the information that precedes the elements of an array.
type header struct {
	kind    byte // f, i, u, b, U or S
	size    int  // bytes of an element
	order   binary.ByteOrder
	fortran bool
	shape   []int
}
