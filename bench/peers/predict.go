package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
)

func init() {
	compare("predict", "`sparsekm predict` of 1 GB through a pipe: memory, speed, wait for a line", runPredict)
}

const (
	predictBytes = 1e9
	predictWaits = 200 // lines whose labels are waited for, one by one
)

// runPredict classifies a gigabyte of rows that are made on the way, and rows that are sent when
// the label of the last one has come. The bars are 64 MiB and 50 ms.
func runPredict(ctx context.Context, e *env) error {
	command, err := e.build(ctx)
	if err != nil {
		return err
	}
	file, err := e.points(1000)
	if err != nil {
		return err
	}
	model := filepath.Join(e.Tmp, "predict.skm")
	for _, method := range []string{"ssvc-a", "svc"} {
		train := exec.CommandContext(ctx, string(command), "train", "-m", method, "--calibrate", "--force", "-o", model,
			file)
		if out, failed := train.CombinedOutput(); failed != nil {
			return fmt.Errorf("a model: %w\n%s", failed, out)
		}
		harness.Header(method+", 20 features", "peak, MiB (64)", "MB a second of processor time",
			"first label of a process, ms", "worst of the next, ms (50)")
		for _, form := range []struct {
			name  string
			write func(*dataset.Set, io.Writer) error
		}{{"CSV", (*dataset.Set).WriteCSV}, {"LIBSVM text", (*dataset.Set).WriteLIBSVM}} {
			var text bytes.Buffer
			if err = form.write(dataset.Ringnorm(10000, 1), &text); err != nil {
				return err
			}
			for _, args := range [][]string{nil, {"--probability", "--decisions", "--write", "jsonl"}} {
				args = append(append([]string{"predict"}, args...), model, "-")
				row := []string{form.name}
				if len(args) > 3 {
					row[0] += ", probabilities and decisions as JSON lines"
				}
				mib, rate, failed := command.stream(ctx, text.Bytes(), form.name == "CSV", args)
				if failed != nil {
					return failed
				}
				first, worst, failed := command.wait(ctx, text.Bytes(), args)
				if failed != nil {
					return failed
				}
				harness.Row(append(row, fmt.Sprintf("%.1f", mib), fmt.Sprintf("%.0f", rate), fmt.Sprintf("%.1f", first),
					fmt.Sprintf("%.2f", worst))...)
			}
		}
		fmt.Println()
	}
	return nil
}

// repeated is a text again and again, without its header after the first time, up to a number of bytes.
type repeated struct {
	text, rest []byte
	header     int
	left       int
}

func (r *repeated) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.left <= 0 {
			return 0, io.EOF
		}
		r.rest = r.text[r.header:]
	}
	n := copy(p, r.rest)
	r.rest, r.left = r.rest[n:], r.left-n
	return n, nil
}

// stream returns the peak memory in MiB and the megabytes for each second of processor time.
func (b built) stream(ctx context.Context, text []byte, header bool, args []string) (mib, rate float64, err error) {
	r := &repeated{text: text, rest: text, left: predictBytes}
	if header {
		r.header = bytes.IndexByte(text, '\n') + 1
	}
	cmd := exec.CommandContext(ctx, string(b), args...)
	cmd.Stdin = r
	var messages bytes.Buffer
	cmd.Stderr = &messages
	if err = cmd.Run(); err != nil {
		return 0, 0, fmt.Errorf("predict: %w\n%s", err, messages.Bytes())
	}
	p := cmd.ProcessState
	return peakMiB(p), float64(predictBytes-r.left) / 1e6 / (p.UserTime() + p.SystemTime()).Seconds(), nil
}

// wait sends a line when the label of the one before has come, and returns the milliseconds to the first label, from
// the start of the process, and the most of the others.
func (b built) wait(ctx context.Context, text []byte, args []string) (first, worst float64, err error) {
	cmd := exec.CommandContext(ctx, string(b), args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err = cmd.Start(); err != nil {
		return 0, 0, err
	}
	labels := bufio.NewReader(out)
	lines := bytes.SplitAfter(text, []byte("\n"))
	if i := bytes.IndexByte(lines[0], 'x'); i >= 0 { // a header
		lines = append([][]byte{slices.Concat(lines[0], lines[1])}, lines[2:]...)
	}
	for i, line := range lines[:predictWaits] {
		if i > 0 {
			began = time.Now()
		}
		if _, err = in.Write(line); err != nil {
			return 0, 0, err
		}
		if _, err = labels.ReadBytes('\n'); err != nil {
			return 0, 0, err
		}
		took := time.Since(began).Seconds() * 1e3
		if i == 0 {
			first = took
		} else {
			worst = max(worst, took)
		}
	}
	if err = in.Close(); err != nil {
		return 0, 0, err
	}
	return first, worst, cmd.Wait()
}
