package session

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/learn"
)

// slowWriter tells when there was a line.
type slowWriter struct {
	mu   sync.Mutex
	b    bytes.Buffer
	some chan struct{}
}

func (w *slowWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.b.Write(p)
	select {
	case w.some <- struct{}{}:
	default:
	}
	return len(p), nil
}

// TestTicker wants the last event again and again, and silence after the end.
func TestTicker(t *testing.T) {
	w := &slowWriter{some: make(chan struct{}, 1)}
	l := &ticker{s: &Session{Stderr: w, Start: time.Now()}, every: time.Millisecond}
	end := l.begin()
	<-w.some
	l.show(learn.OfRound("round", 2, 0, learn.Round{Objective: 1.5, Nonzeros: 3}))
	for range 3 {
		<-w.some
	}
	end()
	text := w.b.String()
	const round = "] round 2: objective 1.5, 3 vectors, some 0s left\n"
	if !strings.Contains(text, "] training\n") || !strings.HasSuffix(text, round) {
		t.Errorf("%q", text)
	}
}

// TestLeft: what is left follows from the share done and the time since the work began. An event with a smaller share
// is of other work, which began at the event before it.
func TestLeft(t *testing.T) {
	for _, c := range []struct {
		done float64
		want string
	}{{-1, ""}, {0, ""}, {1, ""}, {0.5, ", some 1m0s left"}, {0.75, ", some 20s left"}} {
		if got := leftOf(learn.Event{Done: c.done}, time.Minute); got != c.want {
			t.Errorf("%v done: %q, want %q", c.done, got, c.want)
		}
	}
	l := &ticker{at: time.Unix(1, 0), since: time.Unix(1, 0)}
	for _, c := range []struct {
		done  float64
		began bool
	}{{0.2, false}, {0.5, false}, {0.1, true}, {0.9, false}, {-1, true}, {-1, false}, {0.3, true}} {
		since, before := l.since, l.at
		l.show(learn.Event{Done: c.done})
		if began := l.since == before && l.since != since; began != c.began && !(c.began && since == before) {
			t.Errorf("%v done: other work %v, want %v", c.done, began, c.began)
		}
	}
}
