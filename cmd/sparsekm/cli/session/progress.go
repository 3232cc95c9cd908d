package session

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/learn"
)

// ProgressFlags say what standard error shows of long work.
type ProgressFlags struct {
	Quiet   bool   `short:"q" xor:"progress" help:"Show errors and warnings only."`
	Verbose bool   `short:"v" xor:"progress" help:"Show every event of the training in a line of its own."`
	Log     string `rare:"" enum:"text,json" help:"Form of standard error; json: events, warnings and errors as objects, one a line."`
}

// watched is what shows the progress of a command.
func (f *ProgressFlags) watched() *ProgressFlags { return f }

// listen makes standard error what the flags say. It is called once, before anything is written.
func (s *Session) listen(f *ProgressFlags) {
	s.Quiet, s.verbose = f.Quiet, f.Verbose
	if f.Log == "json" {
		s.Log = slog.New(slog.NewJSONHandler(s.Stderr, nil))
	}
}

// Watch returns what takes a training's events, nil if nobody looks at them, and what ends it. The last event is shown
// on a terminal all the time, else now and then, so that a log shows what hours are spent on.
func (s *Session) Watch() (show func(learn.Event), end func()) {
	const often, seldom = 65 * time.Millisecond, 5 * time.Second
	switch {
	case s.Quiet:
		return nil, func() {}
	case s.Log != nil:
		return sparsekm.LogTo(s.Log), func() {}
	case s.verbose:
		return func(e learn.Event) { s.line(e.String()) }, func() {}
	}
	t := &ticker{s: s, every: seldom}
	if out, ok := s.Stderr.(*os.File); ok && term.IsTerminal(int(out.Fd())) {
		t.every, t.screen = often, s.Stderr
	}
	return t.show, t.begin()
}

// line shows where the work is.
func (s *Session) line(what string) {
	fmt.Fprintf(s.Stderr, "sparsekm: [%s] %s\n", time.Since(s.Start).Round(100*time.Millisecond), what)
}

// ticker shows the last event now and then, whether or not there are new ones.
type ticker struct {
	s      *Session
	every  time.Duration
	screen io.Writer // has one line that changes; nil for a line each time

	mu    sync.Mutex
	last  *learn.Event // nil before the first
	at    time.Time    // when it came, or the clock began
	since time.Time    // when that began of which it says what is done
	drawn bool
}

func (t *ticker) show(e learn.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last != nil && (e.Done < t.last.Done || t.last.Done < 0 && e.Done >= 0) { // other work
		t.since = t.at
	}
	t.last, t.at = &e, time.Now()
}

// begin starts the clock, and returns what stops it.
func (t *ticker) begin() (end func()) {
	stop, done := make(chan struct{}), make(chan struct{})
	t.at, t.since = time.Now(), time.Now()
	go func() {
		defer close(done)
		clock := time.NewTicker(t.every)
		defer clock.Stop()
		for {
			select {
			case <-stop:
				t.erase()
				return
			case <-clock.C:
				t.tick()
			}
		}
	}()
	return func() {
		close(stop)
		<-done
	}
}

// tick shows the last event.
func (t *ticker) tick() {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.screen != nil && t.last != nil:
		t.erase()
		fmt.Fprintln(t.screen, barOf(*t.last, time.Since(t.since), columns(t.screen)))
		t.drawn = true
	case t.screen == nil && t.last == nil:
		t.s.line("training")
	case t.screen == nil:
		t.s.line(t.last.String() + leftOf(*t.last, t.at.Sub(t.since)))
	}
}

// erase takes the line from the screen. The cursor is below it at any time, since a second interrupt may come.
func (t *ticker) erase() {
	if t.drawn {
		fmt.Fprint(t.screen, "\x1b[1A\x1b[J")
		t.drawn = false
	}
}

// snipped is a text of at most so many characters.
func snipped(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// leftOf says when the work may end of which an event says what is done, so long after its beginning; empty if it
// cannot be known.
func leftOf(e learn.Event, took time.Duration) string {
	if e.Done <= 0 || e.Done >= 1 {
		return ""
	}
	return fmt.Sprintf(", some %s left", time.Duration(float64(took)*(1-e.Done)/e.Done).Round(time.Second))
}

// barOf is an event in a line of so many columns, with the share done if it is known, the time that its phase took,
// and the time that the rest will take at that pace.
func barOf(e learn.Event, took time.Duration, columns int) string {
	const room, cells, whole = 42, 12, 0.99
	says, clock := snipped(e.String(), max(columns-room, 1)), took.Round(time.Second).String()
	if e.Done < 0 {
		return says + " [" + clock + "]"
	}
	done := min(e.Done, whole)
	if done > 0 {
		clock += ":" + time.Duration(float64(took)*(1-done)/done).Round(time.Second).String()
	}
	full := int(done * cells)
	bar := strings.Repeat("█", full) + strings.Repeat(" ", cells-full)
	return fmt.Sprintf("%s %3d%% [%s] [%s]", says, int(100*done), bar, clock)
}
