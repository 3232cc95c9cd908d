package inputs

import (
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// Pixels is the number of features of a digit, 28×28.
const Pixels = 28 * 28

// Digits holds n images, row-major with pixels in [0, 1], and their labels 0 to 9.
type Digits struct {
	X     []float64
	Label []byte
}

// ReadDigits reads the first n digits (all for n ≤ 0) of an image file and its label file.
func ReadDigits(images, labels string, n int) (*Digits, error) {
	head, pix, err := idx(images, 0x803, 4)
	if err != nil {
		return nil, err
	}
	lhead, lab, err := idx(labels, 0x801, 2)
	if err != nil {
		return nil, err
	}
	if head[2]*head[3] != Pixels {
		return nil, fmt.Errorf("%s: images of %d×%d pixels, want 28×28", images, head[2], head[3])
	}
	if head[1] != lhead[1] {
		return nil, fmt.Errorf("%s: %d images but %d labels", images, head[1], lhead[1])
	}
	if n <= 0 {
		n = int(head[1])
	}
	if len(pix) < n*Pixels || len(lab) < n {
		return nil, fmt.Errorf("%s: fewer than %d digits", images, n)
	}
	d := &Digits{X: make([]float64, n*Pixels), Label: lab[:n]}
	for i := range d.X {
		d.X[i] = float64(pix[i]) / 255
	}
	return d, nil
}

// Against returns labels that are +1 for the digit and −1 for the rest.
func (d *Digits) Against(digit byte) []float64 {
	y := make([]float64, len(d.Label))
	for i, l := range d.Label {
		y[i] = -1
		if l == digit {
			y[i] = 1
		}
	}
	return y
}

// idx reads a gzipped idx file: its header of k big-endian words, the first of which is magic, and its bytes.
func idx(path string, magic uint32, k int) (head []uint32, data []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	head = make([]uint32, k)
	if err = binary.Read(z, binary.BigEndian, head); err != nil {
		return nil, nil, fmt.Errorf("%s: header: %w", path, err)
	}
	if head[0] != magic {
		return nil, nil, fmt.Errorf("%s: magic number %#x, want %#x", path, head[0], magic)
	}
	data, err = io.ReadAll(z)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return head, data, nil
}
