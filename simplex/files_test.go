package simplex

import (
	"compress/gzip"
	"io"
	"os"
	"testing"
)

// ReadMPS and WriteMPS are package lpfile's, which the tests of this package cannot import.
var (
	ReadMPS  func(r io.Reader) (LP, error)
	WriteMPS func(w io.Writer, lp LP) error
)

// readProgram reads a gzipped MPS file.
func readProgram(t testing.TB, path string) LP {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lp, err := ReadMPS(z)
	if err != nil {
		t.Fatal(err)
	}
	return lp
}
