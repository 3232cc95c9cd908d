package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/internal/testing/asks"
)

func init() {
	compare("timelimit", "every method with a time limit: longest time without a look at the context, how late it ends",
		runTimeLimit)
}

var (
	limitPoints     = flag.String("points", "1000,3000,8000", "timelimit: numbers of samples")
	limitSeconds    = flag.String("seconds", "0.5,2,5", "timelimit: limits in seconds")
	limitGammas     = flag.String("gammas", "0.1,1,10", "timelimit: kernel widths")
	limitCosts      = flag.String("costs", "1,1000", "timelimit: costs C")
	limitProcessors = flag.String("processors", "1,2", "timelimit: values of GOMAXPROCS")
	limitWall       = flag.Bool("wall", false, "timelimit: by wall time, for a host without other work")
	limitTraining   = flag.String("training", "", "timelimit: the training of this name alone")
)

// runTimeLimit trains with every limit in this process, so that neither start nor files count. Each row is the worst of
// all kernels and costs. By processor time, work on two processors counts twice.
func runTimeLimit(ctx context.Context, e *env) error {
	var lists [5][]float64
	for i, text := range []string{*limitProcessors, *limitPoints, *limitSeconds, *limitGammas, *limitCosts} {
		for _, field := range strings.Split(text, ",") {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return err
			}
			lists[i] = append(lists[i], v)
		}
	}
	harness.Header("training", "n", "processors", "limit, s", "ms unasked", "ms late", "may be", "done", "stopped",
		"no model", "longest unasked")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, processors := range lists[0] {
		runtime.GOMAXPROCS(int(processors))
		for _, n := range lists[1] {
			for _, limit := range lists[2] {
				if err := limitRows(ctx, int(n), limit, lists[3], lists[4]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// limited is how trainings with one limit ended.
type limited struct {
	worst                  asks.Gap
	late                   float64
	done, stopped, nothing int
}

// limitRows prints a row for each training of the methods that are asked for, as soon as it is complete.
func limitRows(ctx context.Context, n int, limit float64, gammas, costs []float64) error {
	var all [][]asks.Training // for every width and cost
	for _, gamma := range gammas {
		for _, c := range costs {
			trainings, err := asks.Trainings(n, gamma, c)
			if err != nil {
				return err
			}
			all = append(all, trainings)
		}
	}
	for i, t := range all[0] {
		if !asked(t.Method) || *limitTraining != "" && t.Name != *limitTraining {
			continue
		}
		var l limited
		for _, trainings := range all {
			if err := l.train(ctx, &trainings[i], limit); err != nil {
				return fmt.Errorf("%s, n = %d: %w", t.Name, n, err)
			}
		}
		harness.Row(t.Name, strconv.Itoa(n), strconv.Itoa(runtime.GOMAXPROCS(0)), fmt.Sprint(limit),
			fmt.Sprintf("%.0f", 1000*l.worst.Work), fmt.Sprintf("%.0f", 1000*l.late), fmt.Sprintf("%.0f", 100*limit+200),
			strconv.Itoa(l.done), strconv.Itoa(l.stopped), strconv.Itoa(l.nothing), l.worst.From+" → "+l.worst.To)
	}
	return nil
}

// train runs one training.
func (l *limited) train(ctx context.Context, t *asks.Training, limit float64) error {
	start := time.Now()
	clock := func(int) float64 { return time.Since(start).Seconds() }
	if !*limitWall {
		clock = func(int) float64 { return processor.Seconds() }
	}
	runtime.GC() // of the last one's memory
	watch := asks.New(ctx, clock, limit)
	_, err := t.Run(watch, 0)
	worst, late := watch.End()
	if worst.Work > l.worst.Work {
		l.worst = worst
	}
	l.late = max(l.late, late)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !errors.Is(err, context.DeadlineExceeded):
		return err
	case err != nil:
		l.nothing++
	case late > 0:
		l.stopped++
	default:
		l.done++
	}
	return nil
}
