package fileformat

import (
	"io"
	"strings"
	"testing"
)

// TestNotLinked: a program without package compressed names what it cannot read, and reads plain text.
func TestNotLinked(t *testing.T) {
	for in, want := range map[string]string{"\x1f\x8bmore": "compressed by gzip", bzip2Magic: "compressed by bzip2"} {
		if _, err := Decompress(strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
	r, err := Decompress(strings.NewReader("BZh text"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(r); string(text) != "BZh text" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}
