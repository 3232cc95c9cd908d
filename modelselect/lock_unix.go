//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package modelselect

import (
	"errors"
	"os"
	"syscall"
)

// lock waits until no other process has the file, and takes it; unlock, or the end of the process, gives it back. File
// systems without locks are used without.
func lock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

func unlock(f *os.File) error { return flock(f, syscall.LOCK_UN) }

func flock(f *os.File, how int) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), how); {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK):
			return nil
		default:
			return err
		}
	}
}

func truncate(f *os.File, size int64) error { return f.Truncate(size) }
