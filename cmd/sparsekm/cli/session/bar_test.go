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

// TestBar wants a line with the last event that changes in its place, and nothing at the end.
func TestBar(t *testing.T) {
	s := &screen{some: make(chan struct{})}
	bar := &ticker{screen: s, every: time.Millisecond}
	end := bar.begin()
	for _, e := range []learn.Event{{Phase: "split", Step: 3, Done: 0.25, Text: "best 4.2 %"},
		{Phase: "last training", Done: -1, Text: strings.Repeat("very ", 20)},
		{Phase: "split", Done: 2, Text: "more than all"}} {
		bar.show(e)
		for range 6 {
			<-s.some
		}
	}
	go func() {
		for range s.some {
		}
	}()
	end()
	close(s.some)
	all := strings.Join(s.seen, "\n")
	for _, want := range []string{"split 3: best 4.2 %  25% [███ ", "] [0s:0s]", "last training: very very", "… [0s]",
		"more than all  99% [███"} {
		if !strings.Contains(all, want) {
			t.Errorf("never %q in:\n%s", want, all)
		}
	}
	if len(s.lines) != 0 || !s.moved {
		t.Errorf("left on the screen: %q", s.lines)
	}
}

// TestBarOf holds the line to the terminal's width, and its clock to the pace.
func TestBarOf(t *testing.T) {
	for _, c := range []struct {
		done float64
		took time.Duration
		want string
	}{{-1, 0, "x [0s]"}, {0, time.Minute, "] [1m0s]"}, {0.25, time.Minute, "] [1m0s:3m0s]"},
		{1, 99 * time.Second, "] [1m39s:1s]"}} {
		if got := barOf(learn.Event{Phase: "x", Done: c.done}, c.took, 80); !strings.HasSuffix(got, c.want) {
			t.Errorf("%s after %v, want %s", got, c.took, c.want)
		}
	}
	long := barOf(learn.Event{Phase: strings.Repeat("long ", 30), Done: 0.5}, 100*time.Hour, 80)
	if n := utf8.RuneCountInString(long); n > 80 {
		t.Errorf("%d columns: %q", n, long)
	}
}
