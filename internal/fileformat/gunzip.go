package fileformat

import (
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"io"
)

// bzip2Magic is the beginning of a bzip2 file: any digit, then the beginning of a block.
const bzip2Magic = "BZh9\x31\x41\x59\x26\x53\x59"

// Decompress returns a buffered reader of what r holds, decompressed when it begins as a
// gzip or a bzip2 file does. The error is that of a damaged gzip header, or of reading it.
func Decompress(r io.Reader) (*bufio.Reader, error) {
	const size = 64 << 10
	b := bufio.NewReaderSize(r, size)
	switch magic, _ := b.Peek(2); string(magic) { // shorter than a header: a read error comes back at the first read
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
