package cli

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

// hostile is what somebody may give the command, and what must come of it. IN stands for
// the input's file, OUT for an output's, MODEL, DATA, TEXT and LABELS for sound files.
type hostile struct {
	what   string
	file   string // the input's name; its ending may matter
	text   string // of the input
	args   []string
	stdin  string
	code   int
	says   string                                   // part of the one sentence of a refusal
	result func(t *testing.T, out string, r result) // of what is done
}

// patience is far more than the 2 s that the longest case may take on a host that does nothing else.
const patience = 30 * time.Second

// fixture is a folder of sound files.
type fixture map[string]string

func newFixture(t *testing.T) fixture {
	dir := t.TempDir()
	f := fixture{"DATA": filepath.Join(dir, "d.libsvm"), "TEXT": filepath.Join(dir, "d.csv"),
		"MODEL": filepath.Join(dir, "m.skm"), "NAMED": filepath.Join(dir, "n.skm"),
		"LABELS": filepath.Join(dir, "labels"), "NAMES": filepath.Join(dir, "names")}
	for name, text := range map[string]string{"DATA": plainData, "TEXT": plainText} {
		if err := os.WriteFile(f[name], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	must(t, "train", "-m", "svc", "-o", f["MODEL"], f["DATA"])
	must(t, "train", "-m", "svc", "-o", f["NAMED"], f["TEXT"])
	must(t, "predict", "--decisions", "-o", f["LABELS"], f["MODEL"], f["DATA"])
	must(t, "predict", "--decisions", "-o", f["NAMES"], f["NAMED"], f["TEXT"])
	return f
}

// run runs a case in a folder of its own and holds it to what every command promises.
func (f fixture) run(t *testing.T, h *hostile) {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, h.file), filepath.Join(dir, "out.skm")
	if h.file != "" {
		if err := os.WriteFile(in, []byte(h.text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := slices.Clone(h.args)
	for i, arg := range args {
		for _, name := range slices.Sorted(maps.Keys(f)) {
			if arg == name {
				args[i] = f[name]
			}
		}
		args[i] = strings.ReplaceAll(strings.ReplaceAll(args[i], "IN", in), "OUT", out)
	}
	done := make(chan result, 1)
	go func() { done <- runIn(t.Context(), h.stdin, args...) }()
	var r result
	select {
	case r = <-done:
	case <-time.After(patience):
		t.Fatalf("%s: sparsekm %s does not end", h.what, strings.Join(args, " "))
	}
	if r.code != h.code || !strings.Contains(r.stderr, h.says) {
		t.Errorf("%s: sparsekm %s\nstatus %d, want %d; want %q, standard error\n%.600s", h.what, strings.Join(args, " "),
			r.code, h.code, h.says, r.stderr)
		return
	}
	f.left(t, h, dir, out)
	if r.code == session.Failed || r.code == session.Usage {
		refusal(t, h, r)
	} else if h.result != nil {
		h.result(t, out, r)
	}
}

// left holds what a command leaves behind: the input as it was, the output whole or absent, nothing else.
func (f fixture) left(t *testing.T, h *hostile, dir, out string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		path := filepath.Join(dir, file.Name())
		text, err := os.ReadFile(path)
		switch {
		case err != nil:
			t.Fatal(err)
		case file.Name() == h.file && string(text) != h.text:
			t.Errorf("%s: the input has changed", h.what)
		case file.Name() == h.file:
		case path != out || h.code == session.Failed || h.code == session.Usage:
			t.Errorf("%s: status %d left %s behind", h.what, h.code, file.Name())
		case h.args[0] != "predict":
			if _, err = sparsekm.Parse(text); err != nil {
				t.Errorf("%s: the model that was written: %v", h.what, err)
			}
		}
	}
}

// refusal holds the words of one: a line on standard error that names the command, a
// name for what is wrong, and no result.
func refusal(t *testing.T, h *hostile, r result) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(r.stderr, "\n"), "\n")
	last := lines[len(lines)-1]
	if !strings.HasPrefix(last, "sparsekm: ") || len(last) > 1000 {
		t.Errorf("%s: the refusal is %q", h.what, r.stderr)
	}
	for _, word := range []string{"goroutine", "runtime error", "sparsekm: sparsekm", "unsupported value", "MarshalJSON"} {
		if strings.Contains(r.stderr, word) {
			t.Errorf("%s: standard error has %q: %s", h.what, word, r.stderr)
		}
	}
	if r.stdout != "" && h.args[0] != "predict" && h.args[0] != "lp" {
		t.Errorf("%s: refused, and standard output has %.200q", h.what, r.stdout)
	}
}

// TestHostile gives the command what people and programs that go wrong give it.
func TestHostile(t *testing.T) {
	f, count, step := newFixture(t), 0, 1
	if testing.Short() { // under a race detector or an emulator a command takes a tenth of a second
		step = 7
	}
	for name, cases := range map[string][]hostile{
		"data":     dataCases(t, f),
		"columns":  columnCases(t, f),
		"models":   modelCases(t, f),
		"programs": programCases(),
		"flags":    flagCases(),
		"files":    fileCases(),
	} {
		t.Run(name, func(t *testing.T) {
			for i := 0; i < len(cases); i += step {
				f.run(t, &cases[i])
			}
		})
		count += len(cases)
	}
	if count < 400 {
		t.Errorf("%d cases, want 400", count)
	}
}
