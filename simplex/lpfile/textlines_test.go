package lpfile

import (
	"bufio"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestTextLines wants the lines of a bufio.Scanner, and the fields of package strings, from readers that return a byte
// at a time, the last error with the last bytes, or fail in the middle.
func TestTextLines(t *testing.T) {
	pieces := []string{" ", "\t", "\r", "\v", "\n", "\n", "a", "x1", "3.5e-7", "'é'", "\u00a0", "\u2003", "\xff", "*",
		strings.Repeat("long ", 5000), strings.Repeat(" ", 40000)}
	broken := errors.New("broken")
	for seed := range uint64(80) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var b strings.Builder
		for range rng.IntN(60) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		for k, wrap := range []func(io.Reader) io.Reader{
			func(r io.Reader) io.Reader { return r },
			iotest.OneByteReader,
			iotest.DataErrReader,
			func(r io.Reader) io.Reader {
				return io.MultiReader(io.LimitReader(r, int64(b.Len()/2)), iotest.ErrReader(broken))
			},
		} {
			if k == 1 && b.Len() > 10000 {
				continue
			}
			want := bufio.NewScanner(wrap(strings.NewReader(b.String())))
			want.Buffer(nil, maxLine)
			got := newTextLines(wrap(strings.NewReader(b.String())))
			for want.Scan() {
				line, err := got.next()
				if err != nil || strings.TrimSuffix(line, "\r") != want.Text() {
					t.Fatalf("seed %d, reader %d: line %.40q, %v, want %.40q", seed, k, line, err, want.Text())
				}
				if f := got.fields(line); !slices.Equal(f, strings.Fields(line)) {
					t.Fatalf("seed %d: fields %q of %.40q", seed, f, line)
				}
			}
			end := want.Err()
			if end == nil {
				end = io.EOF
			}
			if line, err := got.next(); err != end || line != "" {
				t.Fatalf("seed %d, reader %d: %q, %v after the last line, want %v", seed, k, line, err, end)
			}
		}
	}
	for length, want := range map[int]error{maxLine: nil, maxLine + 1: bufio.ErrTooLong} {
		got := newTextLines(strings.NewReader(strings.Repeat("a", length) + "\n"))
		if line, err := got.next(); err != want || err == nil && len(line) != length {
			t.Errorf("%d bytes in a line: %v", length, err)
		}
	}
	got := newTextLines(idleReader{})
	if _, err := got.next(); err != io.ErrNoProgress {
		t.Errorf("a reader that never returns a byte: %v", err)
	}
}

// idleReader returns nothing.
type idleReader struct{}

func (idleReader) Read([]byte) (int, error) { return 0, nil }
