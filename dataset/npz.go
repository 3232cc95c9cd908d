package dataset

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/sparsekm/sparsekm/internal/npy"
)

// readZip reads the arrays of an .npz file, all of them within maxBytes.
func readZip(r io.Reader, maxBytes int64) ([]*npy.Array, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, err
	}
	left := maxBytes - int64(len(data))
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	var arrays []*npy.Array
	for _, entry := range z.File {
		if !strings.HasSuffix(entry.Name, ".npy") {
			return nil, fmt.Errorf("found a zip file with %q, want one of NumPy arrays (.npz)", entry.Name)
		}
		f, err := entry.Open()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name, err)
		}
		a, err := npy.Read(f, left)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name, err)
		}
		left -= 16 * int64(a.Len())
		arrays = append(arrays, a)
	}
	return arrays, nil
}
