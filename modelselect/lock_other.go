//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package modelselect

import "os"

// This system has no locks on files: one process at a time may use a ledger.
func lock(*os.File) error { return nil }

func unlock(*os.File) error { return nil }

func truncate(f *os.File, size int64) error { return f.Truncate(size) }
