//go:build !nolog

// The library of Python's wheels has the tag: nobody could call LogTo, and log/slog brings 40 kB with it.

package sparsekm

import (
	"context"
	"log/slog"
	"math"

	"github.com/sparsekm/sparsekm/learn"
)

// LogTo returns what Options.Progress and that of package reduce take to log a training: a record "training" of level
// Info for each event, with the attributes phase, done, text, step, vectors, violation, and after a round
// objective, hinge, gap and inner_iterations. What an event does not know has no attribute.
func LogTo(l *slog.Logger) func(learn.Event) {
	return func(e learn.Event) {
		l.LogAttrs(context.Background(), slog.LevelInfo, "training", attributes(&e)...)
	}
}

func attributes(e *learn.Event) []slog.Attr {
	a := []slog.Attr{slog.String("phase", e.Phase)}
	number := func(name string, v float64, known bool) {
		if known && !math.IsNaN(v) && !math.IsInf(v, 0) {
			a = append(a, slog.Float64(name, v))
		}
	}
	count := func(name string, v int, known bool) {
		if known {
			a = append(a, slog.Int(name, v))
		}
	}
	number("done", e.Done, e.Done >= 0)
	if e.Text != "" {
		a = append(a, slog.String("text", e.Text))
	}
	count("step", e.Step, e.Step > 0)
	count("vectors", e.Vectors, e.Vectors > 0 || e.Round != nil)
	number("violation", e.Violation, e.Violation > 0)
	if r := e.Round; r != nil {
		number("objective", r.Objective, true)
		number("hinge", r.Hinge, true)
		number("gap", r.Gap, true)
		count("inner_iterations", r.InnerIterations, true)
	}
	return a
}
