package parallel

import (
	"runtime"
	"sync/atomic"
	"time"
)

const (
	// patient is how long a goroutine polls for work before it sleeps or ends. It equals the time to wake a
	// goroutine, so polling never costs more than twice the better choice.
	patient = 100 * time.Microsecond
	// lifetime bounds the life of a helper. A helper keeps the profiling labels of the goroutine that started it,
	// which may have changed its labels since.
	lifetime = 10 * time.Millisecond
	places   = 64 // helpers that can poll at a time
)

// helper is a goroutine that works on the jobs of other goroutines.
type helper struct {
	job atomic.Pointer[job] // the job given to it
	_   [15]uint64          // padding: no other data shares this cache line
}

var (
	idle    [places]atomic.Pointer[helper] // helpers that poll
	looking atomic.Int32                   // their approximate number
)

// enlist gives j to the given number of helpers: to polling ones first, then to new ones.
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

// serve works on j, and on jobs that arrive soon after.
func (h *helper) serve(j *job) {
	for end := time.Now().Add(lifetime); j != nil; {
		j.work()
		if j = nil; time.Now().Before(end) {
			j = h.look()
		}
	}
}

// look returns the next job, or nil if none arrives in time.
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

// patience is the state of a wait.
type patience struct {
	looks int
	until time.Time
}

func newPatience() patience { return patience{until: time.Now().Add(patient)} }

// more reports whether to poll again. It yields the processor to other goroutines every few microseconds.
func (w *patience) more() bool {
	const interval = 4096
	if w.looks++; w.looks%interval != 0 {
		return true
	}
	runtime.Gosched()
	return time.Now().Before(w.until)
}
