package session

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/sparsekm/sparsekm/learn"
)

// screen is a terminal of 80 columns that knows what the bar writes: lines, and "n lines up, and nothing below".
type screen struct {
	lines []string
	seen  []string // every line that there ever was
	moved bool     // up
	some  chan struct{}
}

func (s *screen) Write(b []byte) (int, error) {
	text := string(b)
	for text != "" {
		if rest, up := strings.CutPrefix(text, "\x1b["); up {
			var n int
			if _, err := fmt.Sscanf(rest, "%dA\x1b[J", &n); err != nil || n > len(s.lines) {
				return 0, fmt.Errorf("%d lines, and %q: %w", len(s.lines), text, cmp.Or(err, errors.New("too far up")))
			}
			s.lines, s.moved = s.lines[:len(s.lines)-n], true
			_, text, _ = strings.Cut(rest, "J")
			continue
		}
		line, rest, whole := strings.Cut(text, "\n")
		if !whole {
			return 0, fmt.Errorf("the cursor stays in the line %q", line)
		}
		s.lines = append(s.lines, line)
		s.seen = append(s.seen, line)
		text = rest
	}
	select {
	case s.some <- struct{}{}:
	default:
	}
	return len(b), nil
}

// TestProgress wants a bar with the last event, its share and its clock, a spinner where nobody knows the share, no
// line wider than the terminal, the cursor below the bar at any time, since a second interrupt may come, and nothing
// at the end.
func TestProgress(t *testing.T) {
	s := &screen{some: make(chan struct{})}
	p := &progress{out: s}
	wait := func() { <-s.some; <-s.some } // the first may have begun before the event
	p.show(learn.Event{Phase: "split", Step: 3, Done: 0.25, Text: "best 4.2 %"})
	wait()
	p.show(learn.Event{Phase: "last training", Done: -1, Text: strings.Repeat("very ", 20)})
	wait()
	p.show(learn.Event{Phase: "split", Done: 2, Text: "more than all"})
	wait()
	wait() // more than the end of the spinner's line
	p.close()
	p.show(learn.Event{Phase: "late", Done: 0.5})
	p.close()
	for _, line := range s.seen {
		if n := utf8.RuneCountInString(line); n > 80 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	all := strings.Join(s.seen, "\n")
	for _, want := range []string{"split 3: best 4.2 %  25% [████", "] [0s:0s]", "last training: very very", "… ",
		" [0s]", "more than all  99% [███"} {
		if !strings.Contains(all, want) {
			t.Errorf("never %q in:\n%s", want, all)
		}
	}
	if len(s.lines) != 0 || !s.moved || strings.Contains(all, "late") {
		t.Errorf("left on the screen: %q", s.lines)
	}
	new(progress).close() // without an event
}

func TestClockOf(t *testing.T) {
	for _, c := range []struct {
		took  time.Duration
		steps int64
		want  string
	}{{0, 0, "[0s]"}, {time.Minute, 0, "[1m0s]"}, {time.Minute, 250, "[1m0s:3m0s]"}, {90 * time.Second, 999, "[1m30s:0s]"}} {
		if got := clockOf(c.took, c.steps); got != c.want {
			t.Errorf("%s after %d steps, want %s", got, c.steps, c.want)
		}
	}
}
