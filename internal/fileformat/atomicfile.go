package fileformat

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// file holds the operations of Write on the file that it fills.
type file interface {
	io.Writer
	Name() string
	Chmod(os.FileMode) error
	Sync() error
	Close() error
}

// system holds the file operations that Write needs. Tests replace them.
type system struct {
	create  func(name string, perm os.FileMode) (file, error)
	rename  func(from, to string) error
	remove  func(name string) error
	syncDir func(dir string) error
}

var disk = system{
	create:  create,
	rename:  os.Rename,
	remove:  os.Remove,
	syncDir: syncDir,
}

// Write calls write to fill a new file in the folder of path, and then renames it to path. If a step fails, an
// existing file at path stays unchanged. A device or a pipe (/dev/stdout) is written directly.
//
// Write syncs the new file before the rename, and the folder before it returns, on file systems that support this.
// After a loss of power, path holds the complete old file or the complete new one.
func Write(path string, write func(w io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(fill(f, write), f.Close())
	}
	return disk.replace(path, write)
}

// replace is Write for a path that names a regular file or nothing. A replaced file keeps its mode. A new file gets
// mode 0666 minus the umask.
func (s *system) replace(path string, write func(w io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // replace the link's target, not the link
	}
	dir, base := filepath.Split(path)
	clean(dir, base)
	perm, keep := os.FileMode(0o666), false
	if info, err := os.Stat(path); err == nil {
		perm, keep = info.Mode().Perm(), true
	}
	f, err := s.create(dir+mark(base)+strconv.FormatUint(rand.Uint64(), 10), perm)
	if err != nil {
		return of(path, err)
	}
	err = fill(f, write)
	if err == nil && keep {
		err = f.Chmod(perm)
	}
	err = finish(f, err)
	if err == nil {
		err = s.rename(f.Name(), path)
	}
	if err != nil {
		_ = s.remove(f.Name()) // the caller sees the first error
		return of(path, err)
	}
	return s.syncDir(filepath.Dir(path))
}

// create makes a file that does not exist yet. The system applies the umask to perm.
func create(name string, perm os.FileMode) (file, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
}

// mark is the beginning of the names of temporary files for base. No other files have such names.
func mark(base string) string { return "." + base + ".sparsekm-" }

// abandoned is the time since the last change after which a temporary file counts as left by a killed process.
const abandoned = time.Minute

// clean removes temporary files of base that killed processes left. Failures do not matter.
func clean(dir, base string) {
	entries, _ := os.ReadDir(filepath.Clean(dir))
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), mark(base)) || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(dir + e.Name())
		}
	}
}

// of turns an error about the temporary file into an error about path, the only name that the caller knows.
func of(path string, err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p) && strings.HasPrefix(filepath.Base(p.Path), mark(filepath.Base(path))):
		return &fs.PathError{Op: p.Op, Path: path, Err: p.Err}
	case errors.As(err, &l) && l.New == path:
		return &fs.PathError{Op: l.Op, Path: path, Err: l.Err}
	}
	return err
}

// Writable returns an error if Write could not create or replace path now.
func Writable(path string) error {
	dir, base := filepath.Split(path)
	name := dir + mark(base) + strconv.FormatUint(rand.Uint64(), 10)
	f, err := create(name, 0o600)
	if err != nil {
		return of(path, err)
	}
	return errors.Join(f.Close(), os.Remove(name))
}

// finish syncs f to the disk, unless err is set, and closes it in any case.
func finish(f file, err error) error {
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

func fill(f io.Writer, write func(w io.Writer) error) error {
	b := bufio.NewWriter(f)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// syncDir syncs the names in a folder to the disk, if possible. A writable folder may not be readable, and Windows
// and some file systems do not support this.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
