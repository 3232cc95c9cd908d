package testutil

import (
	"context"
	"sync/atomic"
)

// Ending is a context that is cancelled when its error is asked for the (n+1)-th time. It counts the
// questions, so tests of cancellation need no clock. Goroutines may share it.
type Ending struct {
	context.Context
	n     int64
	looks atomic.Int64
}

// EndAfter returns a context that answers nil n times.
func EndAfter(ctx context.Context, n int) *Ending { return &Ending{Context: ctx, n: int64(n)} }

// Err implements [context.Context].
func (c *Ending) Err() error {
	if c.looks.Add(1) > c.n {
		return context.Canceled
	}
	return nil
}

// Looks is how often Err was called.
func (c *Ending) Looks() int { return int(c.looks.Load()) }
