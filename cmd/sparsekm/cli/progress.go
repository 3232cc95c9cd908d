package cli

import (
	"cmp"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/sparsekm/sparsekm/learn"
)

// progress shows a training's events on the terminal, as a bar while the
// fraction done is known and as a spinner otherwise. Without a terminal it shows
// nothing, so that logs stay readable.
type progress struct {
	bar    *progressbar.ProgressBar
	out    io.Writer
	phase  string
	sized  bool
	closed bool
}

// newProgress returns nil when nobody watches.
func newProgress(out io.Writer) *progress {
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return &progress{out: out}
}

// callback is what learn.Resources.Progress takes: nil when nobody watches.
func (p *progress) callback() func(learn.Event) {
	if p == nil {
		return nil
	}
	return p.show
}

const progressSteps = 1000

func (p *progress) show(e learn.Event) {
	if p.closed {
		return
	}
	sized := e.Done >= 0
	if p.bar == nil || e.Phase != p.phase || sized != p.sized {
		p.restart(e.Phase, sized)
	}
	p.bar.Describe(cmp.Or(e.Text, e.Phase))
	if sized {
		p.bar.Set(min(int(e.Done*progressSteps), progressSteps-1)) // a failure to draw is no failure of the training
	} else {
		p.bar.Add(1)
	}
}

func (p *progress) restart(phase string, sized bool) {
	if p.bar != nil {
		p.bar.Clear()
	}
	steps := -1
	if sized {
		steps = progressSteps
	}
	p.phase, p.sized = phase, sized
	p.bar = progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(p.out),
		progressbar.OptionThrottle(65*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(sized),
		progressbar.OptionFullWidth(),
	)
}

// close removes the bar from the screen.
func (p *progress) close() {
	if p != nil && p.bar != nil && !p.closed {
		p.bar.Clear()
		p.closed = true
	}
}
