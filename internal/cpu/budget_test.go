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
		"wall time":      func(f *fake, _ func()) { f.now = f.now.Add(10 * time.Second) },
		"processor time": func(f *fake, _ func()) { f.used += 20 },
		"the parent":     func(_ *fake, cancel func()) { cancel() },
	} {
		f := &fake{now: time.Unix(1000, 0), used: 7}
		ctx, cancel := context.WithCancel(t.Context())
		b := NewBudget(ctx, 10*time.Second, 20*time.Second, f.clock())
		below, stop := context.WithTimeout(b, time.Hour)
		f.now, f.used = f.now.Add(9*time.Second), f.used+19
		f.next()
		if b.Err() != nil || f.within > time.Second || f.within <= 0 {
			t.Errorf("%s: %v before the end, the next look within %v", what, b.Err(), f.within)
		}
		if d, ok := below.Deadline(); !ok || !d.Equal(time.Unix(1010, 0)) {
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
