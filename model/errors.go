package model

import (
	"errors"
	"fmt"
	"strings"
)

// ErrCorrupt is in the chain of the error for a damaged .skm or JSON model: truncated, changed since it was written, or
// with contents that no model has.
var ErrCorrupt = errors.New("model: the file is corrupt")

// VersionError is a model file of a version that this program does not read.
type VersionError struct{ Found, Want int }

// Error names both versions.
func (e *VersionError) Error() string {
	return fmt.Sprintf("model: file of version %d, this program reads versions 1 to %d", e.Found, e.Want)
}

// fault is an error with a text of its own and another error in its chain.
type fault struct {
	text string
	is   error
}

// Error returns the text.
func (f *fault) Error() string { return f.text }

// Unwrap returns the wrapped error.
func (f *fault) Unwrap() error { return f.is }

func corrupt(format string, args ...any) error {
	return &fault{"model: " + fmt.Sprintf(format, args...), ErrCorrupt}
}

// inFile adds the file's name to an error of this package.
func inFile(file string, err error) error {
	if err == nil {
		return nil
	}
	return &fault{file + ": " + strings.TrimPrefix(err.Error(), "model: "), err}
}
