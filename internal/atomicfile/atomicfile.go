// Package atomicfile writes files that are either whole or not there.
package atomicfile

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

// Write calls write to fill a new file in the folder of path and then gives it that name. If
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

// replace is Write for a path that is a regular file or nothing yet. What is replaced
// keeps its mode; a new file gets what the umask leaves of 0666.
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
		_ = s.remove(f.Name()) // the error to show is the first one
		return of(path, err)
	}
	return s.syncDir(filepath.Dir(path))
}

// create makes a file that nobody has yet. The system applies the umask to perm.
func create(name string, perm os.FileMode) (file, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
}

// mark begins the names of the files that wait to be called base: nobody else's begin so.
func mark(base string) string { return "." + base + ".sparsekm-" }

// abandoned is how long after its last change a waiting file is taken for one whose writer was killed.
const abandoned = time.Minute

// clean removes what writers of base that were killed have left. It may fail: it is a courtesy.
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

// of makes an error one of path, for nobody has asked for the file that waits to be called so.
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

// Writable reports whether Write could make path or replace it now.
func Writable(path string) error {
	dir, base := filepath.Split(path)
	name := dir + mark(base) + strconv.FormatUint(rand.Uint64(), 10)
	f, err := create(name, 0o600)
	if err != nil {
		return of(path, err)
	}
	return errors.Join(f.Close(), os.Remove(name))
}

// finish brings f to the disk, unless filling it failed, and closes it in any case.
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
