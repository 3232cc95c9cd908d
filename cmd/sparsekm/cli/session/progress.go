package session

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
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
	s.Quiet = f.Quiet
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

// progress shows a training's events on the terminal, as a bar while the
// fraction done is known and as a spinner otherwise. It draws by a goroutine of
// its own, so that the clock goes on between two events, until close.
type progress struct {
	out   io.Writer
	all   *mpb.Progress // nil before the first event and after the last
	bar   *mpb.Bar
	phase string
	sized bool
	ended bool
	says  atomic.Pointer[string] // of the last event
}

const progressSteps = 1000

func (p *progress) show(e learn.Event) {
	if p.ended {
		return
	}
	says, sized := e.String(), e.Done >= 0
	p.says.Store(&says)
	if p.bar == nil || e.Phase != p.phase || sized != p.sized {
		p.phase, p.sized = e.Phase, sized
		p.restart()
	}
	if sized {
		p.bar.SetCurrent(int64(min(e.Done*progressSteps, progressSteps-1))) // the end is close's to show
	}
}

// restart begins another bar instead of the last one.
func (p *progress) restart() {
	if p.all == nil {
		p.all = mpb.New(mpb.WithOutput(p.out), mpb.WithAutoRefresh(), mpb.WithRefreshRate(65*time.Millisecond))
	} else {
		p.bar.Abort(true)
		p.bar.Wait()
	}
	start := time.Now()
	says := decor.Any(func(at decor.Statistics) string { return p.text(at) })
	clock := decor.Any(func(at decor.Statistics) string { return clockOf(time.Since(start), at.Current) })
	steps, style := int64(progressSteps), mpb.BarFillerBuilder(mpb.BarStyle().Filler("█").Tip("█").Padding(" "))
	if !p.sized {
		steps, style = 0, mpb.SpinnerStyle().PositionLeft()
	}
	p.bar = p.all.New(steps, style, mpb.PrependDecorators(says), mpb.AppendDecorators(clock))
}

// text is the last event, cut where a bar and its clock would have no room, and the share done if at knows it.
func (p *progress) text(at decor.Statistics) string {
	const room = 32
	says := text.Snip(*p.says.Load(), max(at.AvailableWidth-room, 1), "…")
	if at.Total > 0 {
		says += fmt.Sprintf(" %3d%%", 100*at.Current/at.Total)
	}
	return says
}

// clockOf is the time that a phase took and, once some of its steps are done, the time that the others will
// take at that pace.
func clockOf(took time.Duration, steps int64) string {
	if steps == 0 {
		return fmt.Sprintf("[%s]", took.Round(time.Second))
	}
	left := time.Duration(float64(took) * float64(progressSteps-steps) / float64(steps))
	return fmt.Sprintf("[%s:%s]", took.Round(time.Second), left.Round(time.Second))
}

// close removes the bar from the screen.
func (p *progress) close() {
	if p.all != nil {
		p.bar.Abort(true)
		p.all.Wait()
		p.all = nil
	}
	p.ended = true
}
