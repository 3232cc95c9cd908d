package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// result is what a run of the command left behind.
type result struct {
	code           int
	stdout, stderr string
}

// command runs the command in this process.
func command(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	return runIn(t.Context(), stdin, args...)
}

func runIn(ctx context.Context, stdin string, args ...string) result {
	var out, err bytes.Buffer
	code := run(ctx, args, strings.NewReader(stdin), &out, &err)
	return result{code, out.String(), err.String()}
}

// must fails the test unless the command did its work.
func must(t *testing.T, args ...string) result {
	t.Helper()
	r := command(t, "", args...)
	if r.code != session.Done {
		t.Fatalf("sparsekm %s: exit status %d, standard error:\n%s", strings.Join(args, " "), r.code, r.stderr)
	}
	return r
}

// object runs the command with --json and returns the only object that it printed.
func object(t *testing.T, args ...string) map[string]any {
	t.Helper()
	r := must(t, append(args, "--json")...)
	dec := json.NewDecoder(strings.NewReader(r.stdout))
	var o map[string]any
	if err := dec.Decode(&o); err != nil {
		t.Fatalf("%v in %q", err, r.stdout)
	}
	if dec.More() {
		t.Fatalf("more than one value on standard output: %q", r.stdout)
	}
	return o
}

func ripley(t *testing.T) string { return testutil.Testdata(t, "ripley.train.libsvm") }

// write puts text into a file of the test's own.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"--help"}, {"train", "--help"}, {"predict", "--help"}} {
		if r := command(t, "", args...); r.code != session.Done || !strings.Contains(r.stdout, "Usage: sparsekm") ||
			r.stderr != "" {
			t.Errorf("sparsekm %v: status %d, %q on standard error", args, r.code, r.stderr)
		}
	}
	for _, args := range [][]string{{"frobnicate"}, {"train"}, {"predict", "x"}, {"train", "--frobnicate", "x"},
		{"cpu", "x"}} {
		if r := command(t, "", args...); r.code != session.Usage || r.stdout != "" || r.stderr == "" {
			t.Errorf("sparsekm %v: status %d, %q on standard output, %q on standard error", args, r.code, r.stdout, r.stderr)
		}
	}
}

func TestCPU(t *testing.T) {
	o := object(t, "cpu")
	for _, name := range []string{"cpu", "level", "why", "levels", "override", "features", "cache", "blocks"} {
		if _, ok := o[name]; !ok {
			t.Errorf("cpu --json has no %q", name)
		}
	}
	text := must(t, "cpu").stdout
	if level := o["level"].(string); !strings.Contains(text, level) {
		t.Errorf("cpu does not print the level %s:\n%s", level, text)
	}
}

func TestProfiles(t *testing.T) {
	dir := t.TempDir()
	names := []string{"cpu.pprof", "mem.pprof", "trace.out"}
	args := []string{"train", "--method", "svc", ripley(t)}
	for i, flag := range []string{"cpu=", "mem=", "trace="} {
		args = append(args, "--profile", flag+filepath.Join(dir, names[i]))
	}
	must(t, args...)
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s was not written (%v)", name, err)
		}
	}
	if r := command(t, "", "cpu", "--profile", "cpu="+filepath.Join(dir, "no", "such")); r.code != session.Failed {
		t.Errorf("a profile that cannot be written: status %d", r.code)
	}
}
