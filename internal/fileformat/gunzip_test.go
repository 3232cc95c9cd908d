package fileformat

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func compressed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDecompress(t *testing.T) {
	long := strings.Repeat("0123456789", 20000)
	for name, c := range map[string]struct{ in, want string }{
		"empty":      {"", ""},
		"one byte":   {"\x1f", "\x1f"},
		"plain":      {"text", "text"},
		"compressed": {compressed(t, "text"), "text"},
		"long":       {compressed(t, long), long},
		"twice":      {compressed(t, "a") + compressed(t, "b"), "ab"},
	} {
		r, err := Decompress(iotest.OneByteReader(strings.NewReader(c.in)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != c.want {
			t.Errorf("%s: %d bytes, %v; want %d", name, len(got), err, len(c.want))
		}
	}
}

func TestDamage(t *testing.T) {
	if _, err := Decompress(strings.NewReader("\x1f\x8bnot gzip at all")); err == nil {
		t.Error("a damaged header is accepted")
	}
	whole := compressed(t, "text that ends too early")
	r, err := Decompress(strings.NewReader(whole[:len(whole)-6]))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = io.ReadAll(r); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a truncated file: %v", err)
	}
	broken := errors.New("broken")
	if r, err = Decompress(iotest.ErrReader(broken)); err == nil {
		_, err = io.ReadAll(r)
	}
	if !errors.Is(err, broken) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}
