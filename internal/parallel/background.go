package parallel

import (
	"context"
	"runtime/debug"
	"time"
)

// look is the time between two looks at a context that does not announce its end.
const look = 5 * time.Millisecond

// Background runs f on another goroutine and waits until it has ended, or ctx has. It reports whether f has ended. If
// not, f goes on, and what it writes belongs to it alone. A panic of f becomes one of Background, a [Panic], if that
// still waits.
func Background(ctx context.Context, f func()) bool {
	if simulated.Load() != nil {
		f()
		return true
	}
	done := make(chan *Panic, 1)
	go func() {
		var failed *Panic
		defer func() { done <- failed }()
		defer func() {
			if v := recover(); v != nil {
				failed = &Panic{v, debug.Stack()}
			}
		}()
		f()
	}()
	clock := time.NewTicker(look)
	defer clock.Stop()
	for {
		select {
		case failed := <-done:
			if failed != nil {
				panic(failed)
			}
			return true
		case <-ctx.Done():
			return false
		case <-clock.C:
			if ctx.Err() != nil {
				return false
			}
		}
	}
}
