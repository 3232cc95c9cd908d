package parallel

import (
	"runtime"
	"sync/atomic"
	"time"
)

const (
	// patient is for how long a goroutine looks for what is about to come before it sleeps or ends: as long as
	// waking one takes, so that it never costs more than twice the better of both.
	patient = 100 * time.Microsecond
	// lifetime is that of a helper. It has the labels, for profiles, of the goroutine that started it, which may
	// have others by now.
	lifetime = 10 * time.Millisecond
	places   = 64 // of helpers that look for work at a time
)

// helper is a goroutine that works on others' jobs.
type helper struct {
	job atomic.Pointer[job] // what it has been given
	_   [15]uint64          // nobody else writes to this cache line
}

var (
	idle    [places]atomic.Pointer[helper] // those that look for work
	looking atomic.Int32                   // about how many
)

// enlist gives j to that many helpers: those that look for work, then new ones.
func enlist(j *job, helpers int) {
	for p := 0; p < places && helpers > 0 && looking.Load() > 0; p++ {
		if h := idle[p].Load(); h != nil && idle[p].CompareAndSwap(h, nil) {
			looking.Add(-1)
			h.job.Store(j)
			helpers--
		}
	}
	for range helpers {
		go new(helper).serve(j)
	}
}

// serve works on j, and on what comes soon after.
func (h *helper) serve(j *job) {
	for end := time.Now().Add(lifetime); j != nil; {
		j.work()
		if j = nil; time.Now().Before(end) {
			j = h.look()
		}
	}
}

// look returns the next job, nil if none comes.
func (h *helper) look() *job {
	h.job.Store(nil)
	p := 0
	for !idle[p].CompareAndSwap(nil, h) {
		if p++; p == places {
			return nil
		}
	}
	looking.Add(1)
	for w := newPatience(); ; {
		if j := h.job.Load(); j != nil {
			return j
		}
		if !w.more() && idle[p].CompareAndSwap(h, nil) {
			looking.Add(-1)
			return nil
		}
	}
}

// patience is a wait in progress.
type patience struct {
	looks int
	until time.Time
}

func newPatience() patience { return patience{until: time.Now().Add(patient)} }

// more reports whether to look again. Other goroutines get the processor every few microseconds, if there are any.
func (w *patience) more() bool {
	const few = 4096
	if w.looks++; w.looks%few != 0 {
		return true
	}
	runtime.Gosched()
	return time.Now().Before(w.until)
}
