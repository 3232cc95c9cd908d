//go:build unix

package fileformat

import (
	"os"
	"path/filepath"
	"testing"

	"syscall"
)

// TestUmask: a new file has what the umask leaves; a file that is replaced keeps its mode.
func TestUmask(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	path := filepath.Join(t.TempDir(), "f")
	for _, want := range []os.FileMode{0o600, 0o664, 0o444} {
		if want != 0o600 {
			if err := os.Chmod(path, want); err != nil {
				t.Fatal(err)
			}
		}
		if err := Write(path, put("x", nil)); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("the file has mode %v (%v), want %v", info.Mode(), err, want)
		}
	}
}
