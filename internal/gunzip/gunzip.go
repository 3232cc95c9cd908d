// Package gunzip reads files whether they are compressed or not.
package gunzip

import (
	"bufio"
	"compress/gzip"
	"io"
)

// NewReader returns a buffered reader of what r holds, decompressed when it begins as a
// gzip file does. The error is that of a damaged gzip header, or of reading it.
func NewReader(r io.Reader) (*bufio.Reader, error) {
	const size = 64 << 10
	b := bufio.NewReaderSize(r, size)
	if magic, _ := b.Peek(2); string(magic) != "\x1f\x8b" {
		return b, nil // shorter than a header: a read error comes back at the first read
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(z, size), nil
}
