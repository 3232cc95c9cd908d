package dataset

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/fileformat"
)

// zipMagic is the beginning of a zip file, such as NumPy's .npz.
const zipMagic = "PK\x03\x04"

// readArrays presents NumPy's files as CSV tables without a header: a row a sample, with the columns of the matrix. An
// array of one axis next to the matrix in an .npz is the last column.
func readArrays(b *bufio.Reader, file string, o *Options) (*bufio.Reader, error) {
	fail := func(found, want string) error { return &Error{File: file, Found: found, Want: want} }
	if o.Header == HeaderYes {
		return nil, fail("a NumPy file", "a header, which NumPy files do not have")
	}
	var parts []*fileformat.Array
	var rows *fileformat.ArrayReader
	if head, _ := b.Peek(len(zipMagic)); string(head) == zipMagic {
		var err error
		if parts, err = readZip(b, o.maxBytes()); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	} else {
		a, in, err := openArray(b, o.maxBytes())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		parts, rows = []*fileformat.Array{a}, in
	}
	for _, a := range parts { // they stay while the samples are made of them
		o.MaxBytes = max(1, o.maxBytes()-a.Bytes())
	}
	// the matrix first
	deal.Sort(parts, func(a, b *fileformat.Array) int { return len(b.Shape) - len(a.Shape) })
	shapes := make([]string, len(parts))
	for i, a := range parts {
		shapes[i] = fmt.Sprint(a.Shape)
	}
	if len(parts) == 0 || len(parts) > 2 || len(parts[0].Shape) != 2 ||
		len(parts) == 2 && (len(parts[1].Shape) != 1 || parts[1].Shape[0] != parts[0].Shape[0]) {
		return nil, fail("arrays of the shapes "+strings.Join(shapes, ", "),
			"a matrix with a row a sample, and in .npz perhaps an array with a label each")
	}
	o.Header, o.Delimiter, o.Decimal, o.Guess = HeaderNo, ',', 0, false
	return bufio.NewReaderSize(&table{file: file, rows: rows, parts: parts, n: parts[0].Shape[0]}, 64<<10), nil
}

// readZip reads the arrays of an .npz file, all of them and the file within maxBytes.
func readZip(r io.Reader, maxBytes int64) ([]*fileformat.Array, error) {
	largest := maxBytes / 3 // ReadAll copies what it has read
	data, err := io.ReadAll(io.LimitReader(r, largest+1))
	if err != nil {
		return nil, err
	}
	left := maxBytes - int64(len(data)) - fileformat.DirectoryBytes(data)
	if int64(len(data)) > largest || left < 0 {
		return nil, fmt.Errorf("found a zip file too large to read, want %s", larger(maxBytes))
	}
	var arrays []*fileformat.Array
	err = fileformat.EachInZip(data, "CSV, ARFF, LIBSVM text or NumPy arrays (.npz)",
		func(name string, open func() (io.ReadCloser, error)) error {
			if !strings.HasSuffix(name, ".npy") {
				return fmt.Errorf("found a zip file with %q, want one of NumPy arrays (.npz)", name)
			}
			f, failed := open()
			if failed != nil {
				return fmt.Errorf("%s: %w", name, failed)
			}
			array, failed := fileformat.ReadArray(f, left)
			f.Close()
			if failed != nil {
				return fmt.Errorf("%s: %w", name, failed)
			}
			left -= array.Bytes()
			arrays = append(arrays, array)
			return nil
		})
	return arrays, err
}

// openArray returns an array; of a row-major one only the shape, with a reader of its rows.
func openArray(b *bufio.Reader, maxBytes int64) (*fileformat.Array, *fileformat.ArrayReader, error) {
	in, err := fileformat.NewArrayReader(b, maxBytes)
	if err != nil {
		return nil, nil, err
	}
	if in.RowByRow() {
		return &fileformat.Array{Shape: in.Shape()}, in, nil
	}
	a, err := in.All()
	return a, nil, err
}

// table is the CSV text of arrays: each sample's rows of all arrays, one after the other.
type table struct {
	file  string
	rows  *fileformat.ArrayReader // of the only part, if it is row-major
	parts []*fileformat.Array
	n     int // samples
	row   int
	line  []byte
	next  int // byte of the line
}

// Read returns the text of the next rows.
func (t *table) Read(to []byte) (int, error) {
	if t.next == len(t.line) {
		if t.row == t.n {
			return 0, io.EOF
		}
		t.line, t.next = t.line[:0], 0
		for _, a := range t.parts {
			width := 1
			if len(a.Shape) == 2 {
				width = a.Shape[1]
			}
			from := t.row * width
			if t.rows != nil {
				if err := t.rows.Next(a, width); err != nil {
					return 0, fmt.Errorf("%s: %w", t.file, err)
				}
				from = 0
			}
			for k := from; k < from+width; k++ {
				t.line = append(appendCell(t.line, a, k), ',')
			}
		}
		t.line = append(t.line[:max(0, len(t.line)-1)], '\n')
		t.row++
	}
	n := copy(to, t.line[t.next:])
	t.next += n
	return n, nil
}

// appendCell appends an element, quoted if it is text.
func appendCell(b []byte, a *fileformat.Array, k int) []byte {
	if len(a.Texts) > 0 {
		return append(append(append(b, '"'), strings.ReplaceAll(a.Texts[k], `"`, `""`)...), '"')
	}
	return appendNumber(b, a.Numbers[k])
}
