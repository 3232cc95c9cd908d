// These tests show how much work a training does between two looks at its context. A look that is missing from a
// long loop makes a time limit late.
package all_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
)

// Context is a context that notes what a clock says whenever it is asked for its error. It ends when the clock
// reaches a limit. The clock may be anything that grows with work, also the number of questions so far. Goroutines
// may share a Context.
type Context struct {
	context.Context
	clock func(questions int) float64
	limit float64 // on the clock

	mu        sync.Mutex
	questions int
	last      float64
	callers   callers // of the last question
	worst     Gap
}

// Gap is the work between two questions, with the functions that asked them, innermost first.
type Gap struct {
	Work     float64
	From, To string
}

// New returns a context that ends when the clock has advanced by limit.
func New(ctx context.Context, clock func(questions int) float64, limit float64) *Context {
	now := clock(0)
	return &Context{Context: ctx, clock: clock, limit: now + limit, last: now}
}

// Err implements [context.Context].
func (c *Context) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ask()
	if c.last > c.limit {
		return context.DeadlineExceeded
	}
	return c.Context.Err()
}

// End notes the end of a training. It returns the largest gap, and the work since the limit.
func (c *Context) End() (worst Gap, late float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ask()
	return c.worst, max(0, c.last-c.limit)
}

// ask notes a question.
func (c *Context) ask() {
	c.questions++
	now := c.clock(c.questions)
	var here callers
	runtime.Callers(3, here[:])
	if work := now - c.last; work > c.worst.Work {
		c.worst = Gap{Work: work, From: c.callers.String(), To: here.String()}
	}
	c.last, c.callers = now, here
}

// callers are the innermost calls of a goroutine.
type callers [8]uintptr

// String lists the functions of this module with their lines, innermost first.
func (c callers) String() string {
	var names []string
	for frames := runtime.CallersFrames(c[:]); ; {
		f, more := frames.Next()
		if _, name, ok := strings.Cut(f.Function, "sparsekm/sparsekm/"); ok {
			names = append(names, fmt.Sprintf("%s:%d", name, f.Line))
		}
		if !more {
			return strings.Join(names, " < ")
		}
	}
}
