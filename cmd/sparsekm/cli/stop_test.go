package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn/svc"
)

// blocked runs the command on a standard input that nobody writes to.
func blocked(ctx context.Context, args ...string) result {
	in, writer := io.Pipe()
	defer writer.Close()
	var out, err bytes.Buffer
	code := run(ctx, args, in, &out, &err)
	return result{code, out.String(), err.String()}
}

// The time limit counts from the start of the command, and ends a read that waits.
func TestTimeLimitWhileReading(t *testing.T) {
	for _, args := range [][]string{{"train", "--time-limit", "20ms", "-"}, {"lp", "--time-limit", "20ms", "-"}} {
		if r := blocked(t.Context(), args...); r.code != session.Failed || !strings.Contains(r.stderr, "time limit") {
			t.Errorf("%s: status %d, %q", args, r.code, r.stderr)
		}
	}
}

// endless is a reader of blank lines, until the test ends.
type endless struct{ ctx context.Context }

func (e endless) Read(p []byte) (int, error) {
	if e.ctx.Err() != nil {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = '\n'
	}
	return len(p), nil
}

// Blank lines without end are no reason to miss the time limit either.
func TestTimeLimitWhileSkipping(t *testing.T) {
	for _, method := range []string{"train", "lp"} {
		var out, err bytes.Buffer
		code := run(t.Context(), []string{method, "--time-limit", "20ms", "-"}, endless{t.Context()}, &out, &err)
		if code != session.Failed || !strings.Contains(err.String(), "time limit") {
			t.Errorf("%s: status %d, %q", method, code, err.String())
		}
	}
}

// Every subcommand looks at an interrupt before it has a result, and leaves no file behind.
func TestInterruptEverywhere(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "m.skm")
	must(t, "train", "-m", "svc", "-o", model, ripley(t))
	out := filepath.Join(dir, "out")
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"gen", "ringnorm", "-o", out},
		{"gen", "ringnorm"},
		{"train", "-o", out, ripley(t)},
		{"train", "-o", out, "-"},
		{"predict", "-o", out, model, ripley(t)},
		{"predict", model, "-"},
		{"reduce", "--train", ripley(t), "-o", out, model},
		{"convert", "--to", "json", "-o", out, model},
		{"info", model},
		{"verify", "--against", ripley(t), model, ripley(t)},
		{"lp", "-"},
	} {
		r := blocked(stopped, args...)
		if r.code != session.Failed || !strings.Contains(r.stderr, "interrupted") || r.stdout != "" {
			t.Errorf("%s: status %d, %q, %q", args, r.code, r.stderr, r.stdout)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%d files, want the model alone (%v)", len(files), err)
	}
}

// An interrupt while samples are written leaves the old file as it was.
func TestInterruptWhileWriting(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &session.Session{Context: ctx}
	path := filepath.Join(t.TempDir(), "out")
	err := s.WriteFile(path, func(w io.Writer) error {
		w = s.Stopping(w)
		if _, err := io.WriteString(w, "a"); err != nil {
			return err
		}
		cancel()
		_, err := io.WriteString(w, "b")
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is there")
	}
}

// A profile that cannot be written is a failure of the command.
func TestProfilesOnAFullDisk(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("no device that is always full")
	}
	for _, flag := range []string{"cpu=", "trace=", "mem="} {
		if r := command(t, "", "methods", "--profile", flag+full); r.code != session.Failed ||
			!strings.Contains(r.stderr, full) {
			t.Errorf("%s: status %d, %q", flag, r.code, r.stderr)
		}
	}
}

// Every command reports a standard output that cannot be written.
func TestFullStandardOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no device that is always full")
	}
	defer full.Close()
	model := filepath.Join(t.TempDir(), "m.skm")
	must(t, "train", "-m", "svc", "-o", model, ripley(t))
	labels := filepath.Join(t.TempDir(), "labels")
	must(t, "predict", "-o", labels, model, ripley(t))
	program := write(t, "plan.mps", plan)
	for _, args := range [][]string{
		{"train", "-m", "svc", ripley(t)},
		{"train", "-m", "lpsvc", "--path=0.01..1000:2", ripley(t)},
		{"predict", model, ripley(t)},
		{"reduce", "--train", ripley(t), model},
		{"info", model},
		{"info", "--json", model},
		{"convert", "--to", "json", "-o", "-", model},
		{"verify", "--against", labels, model, ripley(t)},
		{"lp", program},
		{"gen", "ringnorm", "-n", "5"},
		{"methods"},
		{"cpu"},
		{"bench", "--time", "1ms"},
		{"version"},
		{"man"},
		{"completion", "bash"},
		{"help", "train"},
		{"--help"},
	} {
		var messages bytes.Buffer
		code := run(t.Context(), args, strings.NewReader(""), full, &messages)
		if code != session.Failed || !strings.Contains(messages.String(), "no space") {
			t.Errorf("%s: status %d, %q", args, code, messages.String())
		}
	}
}

// A session that has ended scores a classifier by evenly spaced samples, as few as take no time.
func TestScoreAfterTheEnd(t *testing.T) {
	set := dataset.Ringnorm(1000, 1)
	clf, _, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.Trainer{}})
	if err != nil {
		t.Fatal(err)
	}
	var messages bytes.Buffer
	alive := &session.Session{Context: t.Context(), Stderr: &messages}
	all := newScore(alive, 1, clf, set, 1)
	if all.note(alive, "training"); all.set != set || len(all.class) != set.N || messages.Len() > 0 {
		t.Errorf("%d samples scored, want all of them; %q", len(all.class), &messages)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ended := &session.Session{Context: ctx, Stderr: &messages}
	if few := newScore(ended, 1, clf, set, 1); few.set != set || few.rate() != all.rate() {
		t.Errorf("%d samples scored although all take no time", few.set.N)
	}
	some := newScore(ended, 1<<29/(clf.NumVectors()*(16+set.D))/200, clf, set, 1)
	if n := len(some.class); n < 100 || n > 250 || some.set.N != n {
		t.Errorf("%d samples scored, want some 200", n)
	}
	if ones := some.set.Counts()[1]; ones < 30 || ones > len(some.class)-30 {
		t.Errorf("%d of %d samples are of one class", ones, len(some.class))
	}
	if some.note(ended, "training"); !strings.Contains(messages.String(), "of 1000, evenly spaced") {
		t.Errorf("%q does not say how many samples were scored", &messages)
	}
	if largest := all.rate() + 0.1; !(some.rate() <= largest) {
		t.Errorf("error %v on some of the samples, %v on all", some.rate(), all.rate())
	}
}

// Compressed floods end with the time limit or the budget, whatever they would become.
func TestFloods(t *testing.T) {
	for name, text := range map[string]string{
		"samples.libsvm": strings.Repeat("1 1:1\n-1 2:1\n", 1<<19),
		"samples.csv":    strings.Repeat("1,2\n", 1<<20),
		"blank.libsvm":   strings.Repeat("\n", 8<<20),
		"blank.csv":      strings.Repeat("\n", 8<<20),
		"line.libsvm":    "1" + strings.Repeat(" 1:1", 1<<20),
		"line.csv":       strings.Repeat("1,", 4<<20),
	} {
		path := filepath.Join(t.TempDir(), name+".gz")
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(z.Close(), os.WriteFile(path, packed.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
		r := command(t, "", "train", "--mem", "2MiB", path)
		if r.code != session.Failed || !strings.Contains(r.stderr, name) {
			t.Errorf("%s: status %d, %q", name, r.code, r.stderr)
		}
		r = command(t, "", "train", "--time-limit", "1ns", path)
		if r.code != session.Failed || !strings.Contains(r.stderr, "time limit") {
			t.Errorf("%s: status %d, %q", name, r.code, r.stderr)
		}
	}
}
