package dataset

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
)

// TestSharedFile reads files of all lengths around those at which reads are shared.
func TestSharedFile(t *testing.T) {
	text := make([]byte, 5*sharedRead+7)
	for i := range text {
		text[i] = byte(i * i >> 5)
	}
	path := filepath.Join(t.TempDir(), "f")
	for _, size := range []int{0, 1, sharedRead, 2*sharedRead - 1, 3*sharedRead + 1, len(text)} {
		if err := os.WriteFile(path, text[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{1, 2, 3} {
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if err = iotest.TestReader(&sharedFile{f: f, threads: threads}, text[:size]); err != nil {
				t.Errorf("%d bytes, %d goroutines: %v", size, threads, err)
			}
			got := make([]byte, len(text))
			if n, err := io.ReadFull(&sharedFile{f: f, threads: threads}, got); !bytes.Equal(got[:n], text[:size]) {
				t.Errorf("%d bytes, %d goroutines: %d bytes, %v", size, threads, n, err)
			}
			f.Close()
		}
	}
}

// TestSharedFileEnds reads a file that is cut off between two reads.
func TestSharedFileEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, 5*sharedRead), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, got := &sharedFile{f: f, threads: 2}, make([]byte, 2*sharedRead)
	for k, want := range []struct {
		n   int
		err error
	}{{2 * sharedRead, nil}, {5, nil}, {0, io.EOF}} {
		if n, err := r.Read(got); n != want.n || !errors.Is(err, want.err) {
			t.Errorf("read %d: %d, %v; want %d, %v", k, n, err, want.n, want.err)
		}
		if err := f.Truncate(2*sharedRead + 5); err != nil {
			t.Fatal(err)
		}
	}
}
