// Package atomicfile writes files that are either whole or not there.
package atomicfile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// file is what Write does with the file that it fills.
type file interface {
	io.Writer
	Name() string
	Chmod(os.FileMode) error
	Sync() error
	Close() error
}

// system is the operations on files that Write needs; tests put their own in its place.
type system struct {
	create  func(dir, pattern string) (file, error)
	rename  func(from, to string) error
	remove  func(name string) error
	syncDir func(dir string) error
}

var disk = system{
	create:  func(dir, pattern string) (file, error) { return os.CreateTemp(dir, pattern) },
	rename:  os.Rename,
	remove:  os.Remove,
	syncDir: syncDir,
}

// Write calls write to fill a new file beside path and then gives it that name. If
// anything fails, whatever had the name before stays as it was. A device or a pipe
// (/dev/stdout) is written directly.
//
// The new file is on the disk before it gets the name, and the name is when Write
// returns, on file systems that can say so: after a loss of power the path holds the old
// file or the new one, whole.
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

// replace is Write for a path that is a regular file or nothing yet.
func (s *system) replace(path string, write func(w io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // replace what a link points to, not the link
	}
	dir := filepath.Dir(path)
	f, err := s.create(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	err = finish(f, mode(path), write)
	if err == nil {
		err = s.rename(f.Name(), path)
	}
	if err != nil {
		_ = s.remove(f.Name()) // the error to show is the first one
		return err
	}
	return s.syncDir(dir)
}

// finish fills f, brings it to the disk and closes it, whatever happens.
func finish(f file, perm os.FileMode, write func(w io.Writer) error) error {
	err := fill(f, write)
	if err == nil {
		err = f.Chmod(perm)
	}
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

// mode is that of the file that is replaced, or what most programs give new files.
func mode(path string) os.FileMode {
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}

// syncDir brings the names in a folder to the disk, where that can be done: a folder that
// may be written may not be readable, and some file systems, and Windows, have no such call.
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
