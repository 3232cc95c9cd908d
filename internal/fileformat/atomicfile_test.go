package fileformat

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func put(text string, err error) func(io.Writer) error {
	return func(w io.Writer) error {
		io.WriteString(w, text)
		return err
	}
}

func check(t *testing.T, path, want string) {
	t.Helper()
	if b, err := os.ReadFile(path); err != nil || string(b) != want {
		t.Errorf("%s has %q (%v), want %q", filepath.Base(path), b, err, want)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := Write(path, put("one", nil)); err != nil {
		t.Fatal(err)
	}
	check(t, path, "one")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, put("two", nil)); err != nil {
		t.Fatal(err)
	}
	check(t, path, "two")
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	broken := errors.New("broken")
	if err := Write(path, put("three", broken)); !errors.Is(err, broken) {
		t.Error(err)
	}
	check(t, path, "two")
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("%d files, want the file and the link", len(files))
	}
}

func TestWriteErrors(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "no", "f")} {
		if err := Write(path, put("x", nil)); err == nil {
			t.Errorf("%s was written", path)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("%d files are left", len(files))
	}
}

// TestAbandoned: what a killed writer left goes with the next write; what another writer may be
// at work on, and files that only look alike, stay.
func TestAbandoned(t *testing.T) {
	dir := t.TempDir()
	stay := []string{".f.sparsekm-2", ".g.sparsekm-1", ".f.123", "f.sparsekm-1"}
	for _, name := range append(stay, ".f.sparsekm-1") {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if name != stay[0] {
			old := time.Now().Add(-2 * abandoned)
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := Write(filepath.Join(dir, "f"), put("x", nil)); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(stay, "f") {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ".f.sparsekm-1")); err == nil {
		t.Error("what a killed writer left is still there")
	}
}

// TestErrorsNamePath: errors are of the path that was asked for, not of the file that waits.
func TestErrorsNamePath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no", "f")
	for _, err := range []error{Write(path, put("x", nil)), Writable(path)} {
		var p *fs.PathError
		if !errors.As(err, &p) || p.Path != path {
			t.Errorf("%v, want an error of %s", err, path)
		}
	}
}

func TestWriteToADevice(t *testing.T) {
	if err := Write(os.DevNull, put("x", nil)); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Error("the device is a file now")
	}
}
