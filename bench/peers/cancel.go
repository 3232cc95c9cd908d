package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
)

func init() {
	compare("cancel", "from SIGTERM and from --time-limit to the last word of `sparsekm`, ms (goal: 100), and to its end",
		runCancel)
}

// cancelPoints is the size of trainings that run for seconds; lssvm's matrices are of that order squared.
var cancelPoints = map[string]int{"": 20000, "lssvm": 6000, "lssvm-prune": 4000}

// cancelMoments are when the signal comes, in seconds after the start: while it reads, fills, solves.
var cancelMoments = []float64{0.03, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2}

func runCancel(ctx context.Context, e *env) error {
	command, err := e.build(ctx)
	if err != nil {
		return err
	}
	header := []string{"work", "n"}
	for _, at := range cancelMoments {
		header = append(header, fmt.Sprintf("at %.2f s", at))
	}
	harness.Header(append(header, "limit 1 s")...)
	for _, m := range sparsekm.Methods() {
		if !asked(m.Name) {
			continue
		}
		n := cancelPoints[m.Name]
		if n == 0 {
			n = cancelPoints[""]
		}
		file, err := e.points(n)
		if err != nil {
			return err
		}
		args := []string{"train", "--scale", "zscore", "-m", m.Name, "-o", filepath.Join(e.Tmp, m.Name+".skm"), file}
		if err := command.row(ctx, m.Name, n, args, true); err != nil {
			return err
		}
		if m.Name == "lssvm" {
			args = append(args, "--gamma-grid", "0.1,1,10,100")
			if err := command.row(ctx, "lssvm --gamma-grid", n, args, true); err != nil {
				return err
			}
		}
	}
	if *gridOnly != "" {
		return nil
	}
	if err := command.several(ctx, e); err != nil {
		return err
	}
	return command.others(ctx, e)
}

// several measures trainings of many models: three classes, and a walk along C.
func (b built) several(ctx context.Context, e *env) error {
	const n = 20000
	three, err := e.write("waveform", n, dataset.Waveform(n, 1))
	if err != nil {
		return err
	}
	two, err := e.points(n)
	if err != nil {
		return err
	}
	for _, work := range [][]string{
		{"-m", "svc", "--c", "100", three},
		{"-m", "svc", "--c", "100", "--multiclass", "ovo", three},
		{"-m", "ssvc-a", three},
		{"-m", "ssvc-b", three},
		{"-m", "lpsvc", "--path", two},
	} {
		name := strings.Join(work[:len(work)-1], " ")
		args := append([]string{"train", "--scale", "zscore", "-o", filepath.Join(e.Tmp, "several.skm"), "--force"}, work...)
		if err := b.row(ctx, name, n, args, true); err != nil {
			return err
		}
	}
	return nil
}

// others measures what is no training: drawing, predicting, reducing, waiting for a pipe.
func (b built) others(ctx context.Context, e *env) error {
	const many, vectors = 400000, 8000
	large, err := e.points(many)
	if err != nil {
		return err
	}
	file, err := e.points(vectors)
	if err != nil {
		return err
	}
	table, err := e.table(many)
	if err != nil {
		return err
	}
	model := filepath.Join(e.Tmp, "every-point.skm")
	if out, err := exec.CommandContext(ctx, string(b), "train", "--time-limit", "60s", "-m", "svc", "--c", "1000",
		"--gamma", "10", "-o", model, file).CombinedOutput(); err != nil {
		return fmt.Errorf("a model of many vectors: %w\n%s", err, out)
	}
	out := filepath.Join(e.Tmp, "out")
	for _, work := range []struct {
		name string
		n    int
		args []string
	}{
		{"gen", 20_000_000, []string{"gen", "ringnorm", "-n", "20000000", "-o", out}},
		{"reading LIBSVM text", many, []string{"train", large}},
		{"reading CSV", many, []string{"train", table}},
		{"a pipe that nobody writes to", 0, []string{"train", "-"}},
		{"predict", many, []string{"predict", "-o", out, model, large}},
		{"reduce", vectors, []string{"reduce", "--train", file, "-o", out, model}},
		{"reduce --method downs", vectors, []string{"reduce", "--method", "downs", "-o", out, model}},
		{"reduce --calibrate", many, []string{"reduce", "--max-sv", "7990", "--calibrate", "--val", large, model}},
		{"train, then --test", many, []string{"train", "-m", "svc", "--c", "1000", "--gamma", "10", "--test", large, file}},
	} {
		if err := b.row(ctx, work.name, work.n, work.args, work.args[0] == "train"); err != nil {
			return err
		}
	}
	return nil
}

// row measures one kind of work at every moment, and with a time limit if it has one.
func (b built) row(ctx context.Context, name string, n int, args []string, limit bool) error {
	row := []string{name, strconv.Itoa(n)}
	for _, at := range cancelMoments {
		late, err := b.latency(ctx, time.Duration(at*float64(time.Second)), true, args)
		if err != nil {
			return err
		}
		row = append(row, late)
	}
	last := ""
	if limit {
		var err error
		args = append([]string{args[0], "--time-limit", "1s"}, args[1:]...)
		if last, err = b.latency(ctx, time.Second, false, args); err != nil {
			return err
		}
	}
	harness.Row(append(row, last)...)
	return nil
}

// latency runs the command and returns the milliseconds from the moment, when a signal comes if one is to, to its
// last word, when its files are written; "done" if it ended before. How long the process takes to end is there too
// where the system is slow to take its gigabytes back.
func (b built) latency(ctx context.Context, at time.Duration, signal bool, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, string(b), args...)
	in, err := cmd.StdinPipe() // open and silent until the end
	if err != nil {
		return "", err
	}
	defer in.Close()
	var word lastWord
	cmd.Stderr = &word
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return "", err
	}
	timer := time.AfterFunc(at, func() {
		if signal {
			_ = cmd.Process.Signal(syscall.SIGTERM) // fails if it has ended, which counts as done
		}
	})
	_ = cmd.Wait() // a command that was stopped has a status of its own
	timer.Stop()
	end := time.Since(start) - at
	said := word.at.Sub(start) - at
	if end < 0 || said < 0 || word.at.IsZero() {
		return "done", ctx.Err()
	}
	cell := strconv.FormatInt(said.Milliseconds(), 10)
	if end-said > slowEnd {
		cell += fmt.Sprintf(" (%d)", end.Milliseconds())
	}
	return cell, ctx.Err()
}

// slowEnd is more than a process takes that held little.
const slowEnd = 20 * time.Millisecond

// lastWord keeps the time of the last message.
type lastWord struct{ at time.Time }

func (w *lastWord) Write(p []byte) (int, error) {
	w.at = time.Now()
	return len(p), nil
}
