package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/sparsekm/sparsekm/status"
)

// Exit statuses; docs/reference/exit.md has the table of what ends with which.
const (
	Done   = 0
	Failed = 1
	Usage  = 2
	Limit  = 3

	Interrupted = 130 // by a second interrupt, as shells have it
)

// ErrLimit says that a limit came first and that the result written is the best so far.
var ErrLimit = errors.New("stopped by a limit")

// ErrInterrupted says that an interrupt came before there was a result.
var ErrInterrupted = errors.New("interrupted before there was a result")

// usageError is a mistake on the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usagef returns an error for a mistake on the command line, with the words of [fmt.Errorf].
func Usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// AsUsage makes err, which may not be nil, a mistake on the command line.
func AsUsage(err error) error { return usageError{err} }

// Ended turns the end of a context into the words for an interrupt or a time limit. Other errors stay as they are.
func Ended(err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s before there was a result", status.TimeLimit)
	case errors.Is(err, context.Canceled):
		return ErrInterrupted
	}
	return err
}

// StatusOf returns the exit status of a command that ended with err.
func StatusOf(err error) int {
	switch {
	case err == nil:
		return Done
	case errors.Is(err, ErrLimit):
		return Limit
	case errors.As(err, new(usageError)):
		return Usage
	}
	return Failed
}
