package cpu

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"
)

// fake is a clock that stands until a test moves it.
type fake struct {
	now    time.Time
	used   float64
	next   func()
	within time.Duration
}

func (f *fake) clock() Clock {
	return Clock{Now: func() time.Time { return f.now }, Seconds: func() float64 { return f.used },
		After: func(d time.Duration, next func()) func() {
			f.next, f.within = next, d
			return func() {}
		}}
}

// TestBudget ends by wall time, by processor time, and with the context that it is made from; a context made from it
// ends too.
func TestBudget(t *testing.T) {
	for what, change := range map[string]func(f *fake, cancel func()){
		"time":           func(f *fake, _ func()) { f.now, f.used = f.now.Add(time.Second), f.used+1 },
		"processor time": func(f *fake, _ func()) { f.used += 11 },
		"the parent":     func(_ *fake, cancel func()) { cancel() },
		"waiting":        func(f *fake, _ func()) { f.now = f.now.Add(21 * time.Second) },
	} {
		f := &fake{now: time.Unix(1000, 0), used: 7}
		ctx, cancel := context.WithCancel(t.Context())
		b := NewBudget(ctx, 10*time.Second, 20*time.Second, f.clock())
		below, stop := context.WithTimeout(b, time.Hour)
		f.now, f.used = f.now.Add(9*time.Second), f.used+9
		f.next()
		if b.Err() != nil || f.within > time.Second || f.within <= 0 || b.Counted() != 9*time.Second {
			t.Errorf("%s: %v before the end, the next look within %v", what, b.Err(), f.within)
		}
		if d, ok := below.Deadline(); !ok || !d.Equal(time.Unix(1030, 0)) {
			t.Errorf("%s: deadline %v", what, d)
		}
		want := context.DeadlineExceeded
		if change(f, cancel); what == "the parent" {
			want = context.Canceled
		}
		f.next()
		<-b.Done()
		<-below.Done()
		if !errors.Is(b.Err(), want) || !errors.Is(below.Err(), want) {
			t.Errorf("%s: %v, below %v", what, b.Err(), below.Err())
		}
		b.Stop()
		stop()
		cancel()
	}
}

// TestBudgetLoaded: where others have the processors, the time counts that one thread has worked, and a third of the
// wall time.
func TestBudgetLoaded(t *testing.T) {
	f := &fake{now: time.Unix(0, 0)}
	b := NewBudget(t.Context(), 10*time.Second, 20*time.Second, f.clock())
	defer b.Stop()
	for _, c := range []struct{ wall, used, counted float64 }{{9, 3, 3}, {15, 9.5, 9.5}, {24, 1, 8}, {9, 18, 9}} {
		f.now, f.used = time.Unix(0, int64(c.wall*1e9)), c.used
		f.next()
		if got := b.Counted().Seconds(); b.Err() != nil || got != c.counted || f.within < 5*time.Millisecond {
			t.Errorf("%v s, of them %v of work: %v counted, %v, next in %v", c.wall, c.used, got, b.Err(), f.within)
		}
	}
	f.now, f.used = time.Unix(15, 0), 10
	if f.next(); b.Err() != context.DeadlineExceeded {
		t.Errorf("10 s of work in 15: %v", b.Err())
	}
}

// TestBudgetSystem: the system's clocks end one too, and a host that does not know processor time has wall time.
func TestBudgetSystem(t *testing.T) {
	b := NewBudget(t.Context(), time.Millisecond, time.Hour, Clock{Seconds: func() float64 { return math.NaN() }})
	<-b.Done()
	if wall, used := b.Used(); wall < time.Millisecond || used >= 0 || b.Err() != context.DeadlineExceeded {
		t.Errorf("%v, processor %v, %v", wall, used, b.Err())
	}
	own := NewBudget(t.Context(), time.Hour, time.Millisecond, Clock{})
	for own.Err() == nil { // uses processor time
		own.Check()
	}
	stopped := NewBudget(t.Context(), time.Hour, time.Hour, Clock{})
	stopped.Stop()
	if stopped.Err() != context.Canceled {
		t.Error(stopped.Err())
	}
}
