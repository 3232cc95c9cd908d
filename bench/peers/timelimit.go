package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
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
	limitFresh      = flag.Bool("fresh", false, "timelimit: each training in a process of its own, as the command trains")
	limitTraining   = flag.String("training", "", "timelimit: the training of this name alone")
)

// runTimeLimit trains with every limit without the command, so that neither start nor files count. Each row is the
// worst of all kernels and costs. By processor time, work on two processors counts twice. In a process that has trained
// before, the Go runtime clears memory that it gives again.
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
		for k, trainings := range all {
			gamma, c := gammas[k/len(costs)], costs[k%len(costs)]
			train := func() error { return l.train(ctx, &trainings[i], limit) }
			if *limitFresh {
				train = func() error { return l.trainApart(ctx, &trainings[i], n, limit, gamma, c) }
			}
			if err := train(); err != nil {
				return fmt.Errorf("%s, n = %d: %w", t.Name, n, err)
			}
		}
		harness.Row(t.Name, strconv.Itoa(n), strconv.Itoa(runtime.GOMAXPROCS(0)), fmt.Sprint(limit),
			fmt.Sprintf("%.0f", 1000*l.worst.Work), fmt.Sprintf("%.0f", 1000*l.late), fmt.Sprintf("%.0f", 100*limit+200),
			strconv.Itoa(l.done), strconv.Itoa(l.stopped), strconv.Itoa(l.nothing), l.worst.From+" → "+l.worst.To)
	}
	return nil
}

// trainApart runs one training in a process of its own, and reads the row that it prints.
func (l *limited) trainApart(ctx context.Context, t *asks.Training, n int, limit, gamma, c float64) error {
	args := []string{"-only", t.Method, "-training", t.Name, "-processors", strconv.Itoa(runtime.GOMAXPROCS(0)),
		"-points", strconv.Itoa(n), "-seconds", fmt.Sprint(limit), "-gammas", fmt.Sprint(gamma), "-costs", fmt.Sprint(c),
		"-wall=" + strconv.FormatBool(*limitWall), "timelimit"}
	out, err := exec.CommandContext(ctx, os.Args[0], args...).Output()
	if err != nil {
		return fmt.Errorf("%q: %w", args, err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	cells := strings.Split(lines[len(lines)-1], " | ")
	var v [6]float64 // ms unasked, ms late, may be, done, stopped, no model
	for i := range v {
		if len(cells) != 11 {
			return fmt.Errorf("%q printed %q", args, out)
		}
		if v[i], err = strconv.ParseFloat(cells[4+i], 64); err != nil {
			return err
		}
	}
	if work := v[0] / 1000; work >= l.worst.Work {
		from, to, _ := strings.Cut(strings.TrimSuffix(cells[10], " |"), " → ")
		l.worst = asks.Gap{Work: work, From: from, To: to}
	}
	l.late = max(l.late, v[1]/1000)
	l.done, l.stopped, l.nothing = l.done+int(v[3]), l.stopped+int(v[4]), l.nothing+int(v[5])
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
