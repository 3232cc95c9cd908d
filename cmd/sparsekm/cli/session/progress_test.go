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
	l.show(learn.OfRound("round", 2, learn.Round{Objective: 1.5, Nonzeros: 3}))
	for range 3 {
		<-w.some
	}
	end()
	text := w.b.String()
	if !strings.Contains(text, "] training\n") || !strings.HasSuffix(text, "] round 2: objective 1.5, 3 vectors\n") {
		t.Errorf("%q", text)
	}
}
