package cpu

import (
	"context"
	"math"
	"runtime"
	"sync"
	"time"
)

// Clock is where a [Budget] reads time. The zero value is that of the system.
type Clock struct {
	Now     func() time.Time
	Seconds func() float64 // processor time of the process; NaN where it is not known
	// After calls f once a duration has passed, unless it is stopped before.
	After func(d time.Duration, f func()) (stop func())
}

func (c Clock) filled() Clock {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Seconds == nil {
		c.Seconds = Seconds
	}
	if c.After == nil {
		c.After = func(d time.Duration, f func()) func() {
			t := time.AfterFunc(d, f)
			return func() { t.Stop() }
		}
	}
	return c
}

// Budget is a context that ends, as after a deadline, once so much time has passed, or the process has used so much
// processor time. Where others keep the processors busy, the time counts that one thread has worked, but a third of the
// wall time at least.
type Budget struct {
	context.Context    // that it is made from
	clock              Clock
	start              time.Time
	before             float64 // processor seconds at the start
	counted, processor time.Duration
	done               chan struct{}

	mu   sync.Mutex
	err  error
	stop func() // the next look at the clocks
	free func() bool
}

// waits is how many times as much wall time may pass as counts, at most.
const waits = 3

// NewBudget returns a budget that counts from now. Stop releases it.
func NewBudget(ctx context.Context, counted, processor time.Duration, c Clock) *Budget {
	b := &Budget{Context: ctx, clock: c.filled(), counted: counted, processor: processor, done: make(chan struct{})}
	b.start, b.before = b.clock.Now(), b.clock.Seconds()
	free := context.AfterFunc(ctx, func() { b.end(ctx.Err()) })
	b.mu.Lock()
	b.free = free
	b.mu.Unlock()
	b.Check()
	return b
}

// Used returns the wall time and the processor time since the start; the latter is negative where nobody knows it.
func (b *Budget) Used() (wall, processor time.Duration) {
	wall, processor = b.clock.Now().Sub(b.start), -1
	if s := b.clock.Seconds() - b.before; !math.IsNaN(s) {
		processor = time.Duration(s * float64(time.Second))
	}
	return wall, processor
}

// Counted is the time since the start that counts.
func (b *Budget) Counted() time.Duration {
	wall, processor := b.Used()
	if processor < 0 {
		return wall
	}
	return max(min(wall, processor), wall/waits)
}

// Check ends the budget if one of the times is used up. It is called when that may be so, and may be called by others.
func (b *Budget) Check() {
	if err := b.Context.Err(); err != nil {
		b.end(err)
		return
	}
	wall, processor := b.Used()
	if b.Counted() >= b.counted || processor >= b.processor {
		b.end(context.DeadlineExceeded)
		return
	}
	const least = 5 * time.Millisecond
	next := b.counted - wall
	if processor >= 0 { // the soonest at which either may be used up
		threads := time.Duration(runtime.GOMAXPROCS(0))
		next = max(next, (b.counted-processor)/threads, least)
		next = min(next, max(least, (b.processor-processor)/threads), waits*b.counted-wall)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		if b.stop != nil {
			b.stop()
		}
		b.stop = b.clock.After(next, b.Check)
	}
}

func (b *Budget) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return
	}
	b.err = err
	if b.stop != nil {
		b.stop()
	}
	if b.free != nil {
		b.free()
	}
	close(b.done)
}

// Stop ends the budget as if it were cancelled.
func (b *Budget) Stop() { b.end(context.Canceled) }

// Done implements [context.Context].
func (b *Budget) Done() <-chan struct{} { return b.done }

// Err implements [context.Context].
func (b *Budget) Err() error {
	if err := b.Context.Err(); err != nil {
		b.end(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// Deadline implements [context.Context]: the latest.
func (b *Budget) Deadline() (time.Time, bool) {
	end := b.start.Add(waits * b.counted)
	if d, ok := b.Context.Deadline(); ok && d.Before(end) {
		return d, true
	}
	return end, true
}
