package modelselect

import (
	"os"

	"golang.org/x/sys/windows"
)

// The lock is on a byte far behind the end of the file: Windows refuses to read bytes that another process has locked.
var behind = windows.Overlapped{OffsetHigh: 1 << 30}

// lock waits until no other process has the file, and takes it; unlock, or the end of the process, gives it back.
func lock(f *os.File) error {
	start := behind
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &start)
}

func unlock(f *os.File) error {
	start := behind
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &start)
}

// truncate goes by the name, since a file opened to be appended to cannot be cut.
func truncate(f *os.File, size int64) error { return os.Truncate(f.Name(), size) }
