package fileformat

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var errDisk = errors.New("the disk says no")

// recorder is a system that works, notes what it is asked to do, and fails at one operation.
type recorder struct {
	t      *testing.T
	target string
	log    []string
	fail   string // the operation that fails
}

// note adds an operation to the log and tells what the target holds by then.
func (r *recorder) note(op string) error {
	holds := "nothing"
	if b, err := os.ReadFile(r.target); err == nil {
		holds = string(b)
	}
	r.log = append(r.log, op+": "+holds)
	if r.fail == op {
		return errDisk
	}
	return nil
}

// spied is a real file whose operations are noted.
type spied struct {
	*os.File
	r *recorder
}

func (f spied) Write(b []byte) (int, error) {
	if err := f.r.note("write"); err != nil {
		n, _ := f.File.Write(b[:len(b)/2]) // a full disk takes a part
		return n, err
	}
	return f.File.Write(b)
}

func (f spied) Chmod(m os.FileMode) error { return errors.Join(f.r.note("chmod"), f.File.Chmod(m)) }
func (f spied) Sync() error               { return errors.Join(f.r.note("sync"), f.File.Sync()) }
func (f spied) Close() error              { return errors.Join(f.r.note("close"), f.File.Close()) }

func (r *recorder) system() *system {
	return &system{
		create: func(name string, perm os.FileMode) (file, error) {
			if err := r.note("create"); err != nil {
				return nil, err
			}
			if dir := filepath.Dir(name); dir != filepath.Dir(r.target) {
				r.t.Errorf("the new file is made in %s, a rename from there may be a copy", dir)
			}
			f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
			return spied{f, r}, err
		},
		rename: func(from, to string) error {
			if err := r.note("rename"); err != nil {
				return err
			}
			return os.Rename(from, to)
		},
		remove:  func(name string) error { return errors.Join(r.note("remove"), os.Remove(name)) },
		syncDir: func(dir string) error { return errors.Join(r.note("sync folder"), syncDir(dir)) },
	}
}

// The new file is filled and brought to the disk before it takes the name, and the old one is
// whole until then; at last the folder is brought to the disk.
func TestOrder(t *testing.T) {
	for _, before := range []string{"nothing", "old"} {
		r := &recorder{t: t, target: filepath.Join(t.TempDir(), "f")}
		if before != "nothing" {
			if err := os.WriteFile(r.target, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.system().replace(r.target, put("new", nil)); err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, op := range []string{"create", "write", "chmod", "sync", "close", "rename"} {
			if op != "chmod" || before == "old" { // the umask's word is the last one on a new file
				want = append(want, op+": "+before)
			}
		}
		if want = append(want, "sync folder: new"); !slices.Equal(r.log, want) {
			t.Errorf("operations and what the target held:\n%s\nwant\n%s",
				strings.Join(r.log, "\n"), strings.Join(want, "\n"))
		}
		check(t, r.target, "new")
	}
}

// Whatever fails, the old file is as it was and no other file is left.
func TestFailures(t *testing.T) {
	const large = 100_000 // several writes
	for _, op := range []string{"create", "write", "chmod", "sync", "close", "rename", "sync folder", "the caller"} {
		r := &recorder{t: t, target: filepath.Join(t.TempDir(), "f"), fail: op}
		if err := os.WriteFile(r.target, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		err := r.system().replace(r.target, func(w io.Writer) error {
			for i := range large / 10 {
				if _, err := fmt.Fprintf(w, "%09d\n", i); err != nil {
					return err
				}
				if op == "the caller" && i == large/20 {
					return errDisk
				}
			}
			return nil
		})
		if !errors.Is(err, errDisk) {
			t.Errorf("%s fails: %v", op, err)
		}
		if op != "sync folder" { // by then the name is the new file's
			check(t, r.target, "old")
		}
		if files, _ := os.ReadDir(filepath.Dir(r.target)); len(files) != 1 {
			t.Errorf("%s fails: %d files are left, want the target alone", op, len(files))
		}
		if i := slices.IndexFunc(r.log, func(s string) bool { return strings.HasPrefix(s, "rename") }); i >= 0 &&
			op != "rename" && op != "sync folder" {
			t.Errorf("%s fails and the file is renamed all the same: %v", op, r.log)
		}
	}
}

// Write itself goes by the operations of the system, and those are the real ones.
func TestWriteUsesTheSystem(t *testing.T) {
	r := &recorder{t: t, target: filepath.Join(t.TempDir(), "f")}
	old := disk
	disk = *r.system()
	defer func() { disk = old }()
	if err := Write(r.target, put("new", nil)); err != nil {
		t.Fatal(err)
	}
	if len(r.log) != 6 {
		t.Errorf("operations %v", r.log)
	}
	if err := old.syncDir(filepath.Join(t.TempDir(), "no")); err == nil {
		t.Error("a folder that is not there is synced")
	}
}
