package fileformat

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// Gzip, Bzip2 and EachInZip read compressed files. Package compressed sets them; they are nil in a program that does
// not import it. EachInZip calls do with every file of an archive; want is what the error of another file says.
var (
	Gzip, Bzip2 func(io.Reader) (io.Reader, error)
	EachInZip   func(data []byte, want string, do func(name string, open func() (io.ReadCloser, error)) error) error
)

// bzip2Magic is the beginning of a bzip2 file: any digit may replace the 9, and the rest begins a block.
const bzip2Magic = "BZh9\x31\x41\x59\x26\x53\x59"

// Decompress returns a buffered reader of r, decompressed if r begins like a gzip or bzip2 file. It returns an error
// if the gzip header is damaged or cannot be read, and in a program that does not decompress.
func Decompress(r io.Reader) (*bufio.Reader, error) {
	const size = 64 << 10
	b := bufio.NewReaderSize(r, size)
	name, decompress := "gzip", Gzip
	switch magic, _ := b.Peek(2); string(magic) { // on a short file, Read returns the error
	case "\x1f\x8b":
	case "BZ":
		if magic, _ = b.Peek(len(bzip2Magic)); len(magic) < len(bzip2Magic) ||
			string(magic[:3])+string(magic[4:]) != bzip2Magic[:3]+bzip2Magic[4:] {
			return b, nil
		}
		name, decompress = "bzip2", Bzip2
	default:
		return b, nil
	}
	if decompress == nil {
		return nil, NotLinked("a file compressed by " + name)
	}
	z, err := decompress(b)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(z, size), nil
}

// NotLinked is the error of a file that a program cannot read without package compressed.
func NotLinked(found string) error {
	return fmt.Errorf("found %s, want a plain file: only programs that import package sparsekm read it", found)
}

// DirectoryBytes bounds the memory that package archive/zip takes for the directory of an archive. An archive may name
// very many files that are empty.
func DirectoryBytes(archive []byte) int64 {
	const entry = 512
	return entry * int64(bytes.Count(archive, []byte("PK\x01\x02")))
}
