package cli

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/sparsekm/sparsekm/learn"
)

// progress shows a training's events on the terminal, as a bar while the
// fraction done is known and as a spinner otherwise.
type progress struct {
	bar    *progressbar.ProgressBar
	out    io.Writer
	phase  string
	sized  bool
	closed bool
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
	p.bar.Describe(e.String())
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
	if p.bar != nil && !p.closed {
		p.bar.Clear()
		p.closed = true
	}
}
