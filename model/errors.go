package model

import (
	"errors"
	"fmt"
	"strings"
)

// ErrCorrupt is in the chain of the error for a model file of our own that is damaged: cut
// short, changed since it was written, or with contents that no model has.
var ErrCorrupt = errors.New("model: the file is corrupt")

// VersionError is a model file of a version that this program does not read.
type VersionError struct{ Found, Want int }

func (e *VersionError) Error() string {
	return fmt.Sprintf("model: file of version %d, this program reads versions 1 to %d", e.Found, e.Want)
}

// fault is an error with a text of its own and another error in its chain.
type fault struct {
	text string
	is   error
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.is }

func corrupt(format string, args ...any) error {
	return &fault{"model: " + fmt.Sprintf(format, args...), ErrCorrupt}
}

// inFile says in which file an error of this package is.
func inFile(file string, err error) error {
	if err == nil {
		return nil
	}
	return &fault{file + ": " + strings.TrimPrefix(err.Error(), "model: "), err}
}
