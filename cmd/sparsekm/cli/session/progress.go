package session

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/learn"
)

// ProgressFlags say what standard error shows of long work.
type ProgressFlags struct {
	Quiet   bool   `short:"q" xor:"progress" help:"Show errors and warnings only: no report and no progress."`
	Verbose bool   `short:"v" xor:"progress" help:"Show every event of the training in a line of its own, on a terminal too."`
	Log     string `enum:"text,json" default:"text" help:"Form of standard error: ${enum}. With json events, warnings and the error are objects, one a line."`
}

// Listen makes standard error what the flags say. It is called once, before anything is written.
func (s *Session) Listen(f *ProgressFlags) {
	if f.Log == "json" {
		s.Log = slog.New(slog.NewJSONHandler(s.Stderr, nil))
	}
}

// tick is the time between two lines where nobody watches a terminal.
const tick = 5 * time.Second

// Watch returns what takes a training's events, nil if nobody looks at them, and what ends it. A terminal
// has a bar; without one the last event is shown now and then, so that a log shows what hours are spent on.
func (s *Session) Watch(f *ProgressFlags) (show func(learn.Event), end func()) {
	switch {
	case f.Quiet:
		return nil, func() {}
	case s.Log != nil:
		return sparsekm.LogTo(s.Log), func() {}
	case f.Verbose:
		return func(e learn.Event) { s.line(e.String()) }, func() {}
	case isTerminal(s.Stderr):
		bar := &progress{out: s.Stderr}
		return bar.show, bar.close
	}
	l := &ticker{s: s, every: tick}
	return l.show, l.begin()
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// line shows where the work is.
func (s *Session) line(what string) {
	fmt.Fprintf(s.Stderr, "sparsekm: [%s] %s\n", time.Since(s.Start).Round(100*time.Millisecond), what)
}

// ticker shows the last event now and then, whether or not there are new ones.
type ticker struct {
	s     *Session
	every time.Duration
	mu    sync.Mutex
	last  string
}

func (l *ticker) show(e learn.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = e.String()
}

// begin starts the clock, and returns what stops it.
func (l *ticker) begin() (end func()) {
	l.last = "training"
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		clock := time.NewTicker(l.every)
		defer clock.Stop()
		for {
			select {
			case <-stop:
				return
			case <-clock.C:
				l.mu.Lock()
				l.s.line(l.last)
				l.mu.Unlock()
			}
		}
	}()
	return func() {
		close(stop)
		<-done
	}
}
