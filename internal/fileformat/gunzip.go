package fileformat

import (
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"io"
)

// bzip2Magic is the beginning of a bzip2 file: any digit may replace the 9, and the rest begins a block.
const bzip2Magic = "BZh9\x31\x41\x59\x26\x53\x59"

// Decompress returns a buffered reader of r, decompressed if r begins like a gzip or bzip2 file. It returns an error
// if the gzip header is damaged or cannot be read.
func Decompress(r io.Reader) (*bufio.Reader, error) {
	const size = 64 << 10
	b := bufio.NewReaderSize(r, size)
	switch magic, _ := b.Peek(2); string(magic) { // on a short file, Read returns the error
	case "\x1f\x8b":
	case "BZ":
		if magic, _ = b.Peek(len(bzip2Magic)); len(magic) == len(bzip2Magic) &&
			string(magic[:3])+string(magic[4:]) == bzip2Magic[:3]+bzip2Magic[4:] {
			return bufio.NewReaderSize(bzip2.NewReader(b), size), nil
		}
		return b, nil
	default:
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(z, size), nil
}
