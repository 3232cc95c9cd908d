package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
)

func init() {
	compare("memory", "peak resident memory of `sparsekm train` against --mem", runMemory)
}

// memoryLimit ends a training that would only repeat its peak.
const memoryLimit = 5 * time.Second

var (
	memorySizes  = []int{1000, 4000, 8000}
	memoryShares = []float64{0.5, 1, 2} // budgets, in what the method says that it needs
	needPattern  = regexp.MustCompile(`need at least ([0-9.]+) (MiB|GiB)`)
)

// runMemory trains every method within 0.5, 1 and 2 times of what it says it needs. The
// bar is a peak of 1.1 budgets and 30 MB, or a refusal before the start.
func runMemory(ctx context.Context, e *env) error {
	command, err := e.build(ctx)
	if err != nil {
		return err
	}
	harness.Header("method", "n", "need, MiB", "× 0.5", "× 1", "× 2, peak MiB (peak − 30 MB over budget)", "over")
	for _, m := range sparsekm.Methods() {
		for _, n := range memorySizes {
			file, failed := e.points(n)
			if failed != nil {
				return failed
			}
			if err = command.shares(ctx, m.Name, file, n); err != nil {
				return err
			}
		}
	}
	const n, many = 4000, 200000
	three, err := e.write("waveform", n, dataset.Waveform(n, 1))
	if err != nil {
		return err
	}
	for _, method := range []string{"svc", "ssvc-a", "ssvc-b", "lssvm-lda"} { // several models share it
		if err = command.shares(ctx, method, three, n); err != nil {
			return err
		}
	}
	text, err := e.points(many)
	if err != nil {
		return err
	}
	table, err := e.table(many)
	if err != nil {
		return err
	}
	for _, file := range []string{text, table} { // what is read is most of it
		if err := command.shares(ctx, "svc", file, many); err != nil {
			return err
		}
	}
	return nil
}

// shares is a row: the method's peaks within shares of what it says it needs.
func (b built) shares(ctx context.Context, method, file string, n int) error {
	need, err := b.need(ctx, method, file, n)
	if err != nil {
		return err
	}
	row, over := []string{method, strconv.Itoa(n), fmt.Sprintf("%.1f", need)}, 0
	for _, share := range memoryShares {
		peak, refused, err := b.peak(ctx, method, file, share*need)
		if err != nil {
			return err
		}
		ratio := (peak - 30e6/(1<<20)) / (share * need)
		cell := fmt.Sprintf("%.0f (%.2f)", peak, ratio)
		if refused {
			cell = fmt.Sprintf("refused at %.0f", peak)
		}
		if ratio > 1.1 {
			over++
		}
		row = append(row, cell)
	}
	harness.Row(append(row, strconv.Itoa(over))...)
	return nil
}

// samples writes n samples of ringnorm and returns the file.
func (e *env) points(n int) (string, error) { return e.write("ringnorm", n, dataset.Ringnorm(n, 1)) }

// write writes n samples as LIBSVM text and returns the file.
func (e *env) write(problem string, n int, set *dataset.Set) (string, error) {
	return e.file(fmt.Sprintf("%s-%d.libsvm", problem, n), set.WriteLIBSVM)
}

// table writes n samples of ringnorm as CSV and returns the file.
func (e *env) table(n int) (string, error) {
	return e.file(fmt.Sprintf("ringnorm-%d.csv", n), dataset.Ringnorm(n, 1).WriteCSV)
}

func (e *env) file(name string, write func(io.Writer) error) (string, error) {
	name = filepath.Join(e.Tmp, name)
	f, err := os.Create(name)
	if err != nil {
		return "", err
	}
	return name, errors.Join(write(f), f.Close())
}

// built is the path of the built command.
type built string

// build builds the command of this checkout as the releases are built, see .goreleaser.yaml.
func (e *env) build(ctx context.Context) (built, error) {
	path := filepath.Join(e.Tmp, "sparsekm")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-tags", "nethttpomithttp2",
		"-o", e.Tmp+"/", "./cmd/sparsekm", "./cmd/sparsekm-serve")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building the command: %w\n%s", err, out)
	}
	return built(path), nil
}

// train runs a training and returns its messages and its peak resident memory in MiB.
func (b built) train(ctx context.Context, args ...string) (text string, peak float64, err error) {
	args = append([]string{"train", "--scale", "zscore", "--time-limit", memoryLimit.String()}, args...)
	cmd := exec.CommandContext(ctx, string(b), args...)
	var messages bytes.Buffer
	cmd.Stderr = &messages
	if err = cmd.Run(); cmd.ProcessState == nil {
		return "", 0, err
	}
	return messages.String(), peakMiB(cmd.ProcessState), ctx.Err()
}

// need is what the command says, in MiB, from a budget that little more than reading takes to one that it
// does with: the scaled copy is refused before the method is asked.
func (b built) need(ctx context.Context, method, file string, n int) (float64, error) {
	const features, bytes = 20, 32 // of a value while it is read
	budget := float64(n*features*bytes) / (1 << 20)
	for {
		text, _, err := b.train(ctx, "-m", method, "--mem", fmt.Sprintf("%.1fMiB", budget), file)
		if err != nil {
			return 0, err
		}
		found := needPattern.FindStringSubmatch(text)
		if found == nil {
			return budget, nil
		}
		more, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			return 0, err
		}
		if found[2] == "GiB" {
			more *= 1024
		}
		budget = max(more, budget+0.1)
	}
}

// peak trains within a budget in MiB.
func (b built) peak(ctx context.Context, method, file string, budget float64) (mib float64, refused bool, err error) {
	text, mib, err := b.train(ctx, "-m", method, "--mem", fmt.Sprintf("%.1fMiB", budget), file)
	return mib, bytes.Contains([]byte(text), []byte("memory budget")), err
}
