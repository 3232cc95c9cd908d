package learn

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"
)

// Resources bounds a training and receives its progress. The zero value means
// one thread for each core, 4 GiB of memory and no progress.
type Resources struct {
	Threads  int         // worker goroutines; 0 means GOMAXPROCS. The result does not depend on it.
	Memory   int64       // budget in bytes for everything a trainer allocates; 0 means [DefaultMemory]
	InUse    int64       // bytes of Memory that the caller has allocated already, such as the samples
	Progress func(Event) // called from the training goroutine, at most every 50 ms or so; may be nil
}

// DefaultMemory is the budget in bytes when none is named.
const DefaultMemory = 4 << 30

// Throttle returns a function for tight loops to call instead of Progress. It passes on at most one event each 50 ms,
// and makes no other. Without a Progress it does nothing.
func (r Resources) Throttle() func(event func() Event) {
	var last time.Time
	return func(event func() Event) {
		if r.Progress == nil || time.Since(last) < 50*time.Millisecond {
			return
		}
		last = time.Now()
		r.Progress(event())
	}
}

// Budget returns the memory budget of a training of n samples of dimension d;
// method begins the text of its errors.
func (r Resources) Budget(method string, n, d int) *Budget {
	b := &Budget{method: method, n: n, d: d, have: r.Memory}
	if b.have <= 0 {
		b.have = DefaultMemory
	}
	b.left = b.have - r.InUse
	return b
}

// Budget counts what a training allocates against its limit.
type Budget struct {
	method     string
	n, d       int
	have, left int64
}

// Take sets bytes aside, or returns a [*BudgetError] if fewer are left.
func (b *Budget) Take(bytes int64) error {
	if bytes > b.left {
		return &BudgetError{Method: b.method, N: b.n, D: b.d, Need: b.InUse() + bytes, Have: b.have}
	}
	b.left -= bytes
	return nil
}

// Left returns the bytes that are not taken, which caches may use.
func (b *Budget) Left() int64 { return b.left }

// InUse returns the bytes that are taken, with those that were in use before.
func (b *Budget) InUse() int64 { return b.have - b.left }

// BudgetError is a training that does not fit its memory budget.
type BudgetError struct {
	Method     string
	N, D       int   // samples and features
	Need, Have int64 // bytes
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("%s: %d samples of dimension %d need at least %s, "+
		"the memory budget is %s: give a larger budget or fewer samples",
		e.Method, e.N, e.D, byteSize(e.Need, math.Ceil), byteSize(e.Have, math.Floor))
}

// byteSize rounds to tenths of a MiB or GiB, from a MiB on. A need is rounded up, so that a budget of the printed size
// is enough.
func byteSize(b int64, round func(float64) float64) string {
	unit, name := float64(1<<20), "MiB"
	if b < 1<<20 {
		return fmt.Sprintf("%d bytes", b)
	}
	if b >= 1<<30 {
		unit, name = 1<<30, "GiB"
	}
	return fmt.Sprintf("%.1f %s", round(10*float64(b)/unit)/10, name)
}

const collected = 16 << 20

// Collect runs the garbage collector after a training of so many bytes, from 16 MiB on. By itself it would begin only
// after the next training has allocated as much again.
func Collect(bytes int64) {
	if bytes >= collected {
		runtime.GC()
	}
}

// Nothing is the error of a training that the context ended before there was a model. It wraps the context's error.
func Nothing(ctx context.Context, method string) error {
	return fmt.Errorf("%s: stopped before anything was learnt: %w", method, ctx.Err())
}

// Event reports the progress of a training. Unknown numbers are 0, and an unknown Round is nil.
type Event struct {
	Phase     string  // "round", "program", "smo", "select", "prune", "move", "delta", "models", ...
	Done      float64 // fraction of the time done in [0, 1], or −1 when it cannot be known
	Text      string  // what is trained, for people: "class 2 against the rest"
	Step      int     // rounds, steps or models done
	Vectors   int     // support vectors of the model now: chosen so far, or left
	Violation float64 // largest violation of the optimality conditions
	Round     *Round  // the round that has just ended; the receiver may keep it
}

// OfRound returns the event at the end of round number step, from 1, of a training that began with so many
// coefficients, 0 for few. The first round takes the most time, and a later one the less, the fewer coefficients are
// left: what is done is an estimate, which bench/peers/peer/estimates.py judges.
func OfRound(phase string, step, coefficients int, r Round) Event {
	done := float64(step+2) / float64(step+3)
	if coefficients > 0 {
		done *= 1 - float64(r.Nonzeros)/float64(2*coefficients)
	}
	return Event{Phase: phase, Done: done, Step: step, Vectors: r.Nonzeros, Violation: r.KKT, Round: &r}
}

// String formats the event for people: "round 3: objective 73.61, 12 vectors".
func (e Event) String() string {
	head := e.Phase
	if e.Step > 0 {
		head += fmt.Sprintf(" %d", e.Step)
	}
	var says []string
	if e.Text != "" {
		says = append(says, e.Text)
	}
	if e.Round != nil {
		says = append(says, fmt.Sprintf("objective %.6g", e.Round.Objective))
	}
	if e.Vectors > 0 {
		says = append(says, fmt.Sprintf("%d vectors", e.Vectors))
	}
	if e.Violation > 0 {
		says = append(says, fmt.Sprintf("violation %.2g", e.Violation))
	}
	if len(says) == 0 {
		return head
	}
	return head + ": " + strings.Join(says, ", ")
}
