package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

// same makes a second name for a file, and a third one through a linked folder.
func same(t *testing.T, file string) (names []string) {
	t.Helper()
	dir := t.TempDir()
	hard := filepath.Join(filepath.Dir(file), "hard")
	soft, folder := filepath.Join(dir, "soft"), filepath.Join(dir, "folder")
	for _, f := range []func() error{
		func() error { return os.Link(file, hard) },
		func() error { return os.Symlink(file, soft) },
		func() error { return os.Symlink(filepath.Dir(file), folder) },
	} {
		if err := f(); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	return []string{file, hard, soft, filepath.Join(folder, filepath.Base(file))}
}

// TestOutputIsNoInput holds that no command writes a file that it reads, whatever its name is,
// or two outputs into one file: it ends before anything is read, and everything stays.
func TestOutputIsNoInput(t *testing.T) {
	text, err := os.ReadFile(ripley(t))
	if err != nil {
		t.Fatal(err)
	}
	data := write(t, "data.libsvm", string(text))
	model := filepath.Join(t.TempDir(), "m.skm")
	must(t, "train", "-m", "svc", "-o", model, data)
	before, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	models, points := same(t, model), same(t, data)
	for i := range models {
		m, p := models[i], points[i]
		for _, args := range [][]string{
			{"train", "-o", p, data},
			{"train", "-o", p, "--test", data, ripley(t)},
			{"train", "-o", p, "-m", "lssvm-prune", "--val", data, ripley(t)},
			{"train", "--force", "-o", p, data},
			{"train", "--path", "-m", "lpsvc", "-o", p, data},
			{"train", "--profile", "cpu=" + p, data},
			{"train", "--profile", "trace=" + p, data},
			{"predict", "-o", p, model, data},
			{"predict", "-o", m, model, data},
			{"reduce", "--train", data, "-o", m, model},
			{"reduce", "--train", data, "--curve", p, model},
			{"reduce", "--train", data, "--plot", p, model},
			{"reduce", "--train", ripley(t), "--val", data, "--curve", p, model},
			{"convert", "--to", "json", "-o", m, model},
			{"info", "--profile", "mem=" + m, model},
			{"verify", "--against", p, "--profile", "mem=" + data, model, ripley(t)},
			{"lp", "--profile", "mem=" + p, data},
		} {
			r := command(t, "", args...)
			if r.code != session.Usage || !strings.Contains(r.stderr, "name another one") || r.stdout != "" {
				t.Errorf("%s: status %d, %q, %q", args, r.code, r.stderr, r.stdout)
			}
		}
	}
	out := filepath.Join(t.TempDir(), "out")
	linked := filepath.Join(filepath.Dir(models[3]), filepath.Base(out)) // that is not there yet
	for _, names := range [][2]string{{out, out}, {linked, filepath.Join(filepath.Dir(model), "out")}} {
		r := command(t, "", "reduce", "--train", data, "-o", names[0], "--curve", names[1], model)
		if r.code != session.Usage || !strings.Contains(r.stderr, "name another one") {
			t.Errorf("two outputs %s: status %d, %q", names, r.code, r.stderr)
		}
	}
	if after, err := os.ReadFile(model); err != nil || string(after) != string(before) {
		t.Errorf("the model has changed (%v)", err)
	}
	if after, err := os.ReadFile(data); err != nil || string(after) != string(text) {
		t.Errorf("the samples have changed (%v)", err)
	}
}

// Standard streams that are files count as files.
func TestStandardStreamsAreFiles(t *testing.T) {
	text, err := os.ReadFile(ripley(t))
	if err != nil {
		t.Fatal(err)
	}
	data := write(t, "data.libsvm", string(text))
	model := filepath.Join(t.TempDir(), "m.skm")
	must(t, "train", "-m", "svc", "-o", model, data)
	in, err := os.OpenFile(data, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var messages strings.Builder
	if code := run(t.Context(), []string{"train", "-o", data, "-"}, in, &messages, &messages); code != session.Usage {
		t.Errorf("the samples of standard input are the output: status %d, %q", code, messages.String())
	}
	messages.Reset()
	if code := run(t.Context(), []string{"predict", model, data}, nil, in, &messages); code != session.Usage {
		t.Errorf("standard output is a file of samples: status %d, %q", code, messages.String())
	}
	if after, err := os.ReadFile(data); err != nil || string(after) != string(text) {
		t.Errorf("the samples have changed (%v)", err)
	}
}

// TestForce holds that a model replaces one of its own kind only, unless it is told to.
func TestForce(t *testing.T) {
	dir := t.TempDir()
	small := write(t, "small.libsvm", "1 1:1\n-1 1:2\n1 1:1.5\n-1 1:3\n")
	out, alone := filepath.Join(dir, "m.skm"), filepath.Join(dir, "alone.skm")
	must(t, "train", "-m", "svc", "-o", out, ripley(t))
	must(t, "train", "-m", "lpsvc", "-o", alone, ripley(t))
	for _, row := range []struct {
		args []string
		says string // "" where it may
	}{
		{[]string{"train", "-m", "svc", "--c", "2", "-o", out, ripley(t)}, ""},
		{[]string{"train", "-m", "ssvc-a", "-o", out, ripley(t)}, "a model of svc, not of ssvc-a"},
		{[]string{"train", "-m", "svc", "-o", out, small}, "a model of 2 features, not of 1"},
		{[]string{"train", "-m", "svc", "-o", write(t, "list", "milk"), small}, "no model that can be read"},
		{[]string{"train", "-m", "svc", "-o", write(t, "new", ""), small}, ""},
		{[]string{"reduce", alone, "--train", ripley(t), "-o", out}, "a model of svc, not of lpsvc"},
		{[]string{"convert", alone, "--to", "skm", "-o", out}, "a model of svc, not of lpsvc"},
		{[]string{"train", "-m", "lpsvc", "--path=0.01..1000:2", "-o", filepath.Join(dir, "p"), ripley(t)}, ""},
		{[]string{"train", "-m", "lpsvc", "--path=0.01..1000:3", "-o", filepath.Join(dir, "p"), ripley(t)}, ""},
		{[]string{"train", "-m", "l1svm", "--path=0.01..1000:2", "-o", filepath.Join(dir, "p"), ripley(t)},
			"a model of lpsvc, not of l1svm"},
	} {
		before, _ := os.ReadFile(out)
		r := command(t, "", row.args...)
		if row.says == "" {
			if r.code != session.Done {
				t.Errorf("%s: status %d, %q", row.args, r.code, r.stderr)
			}
			continue
		}
		after, _ := os.ReadFile(out)
		if r.code != session.Failed || !strings.Contains(r.stderr, row.says) || !strings.Contains(r.stderr, "--force") ||
			string(before) != string(after) {
			t.Errorf("%s: status %d, %q, want %q", row.args, r.code, r.stderr, row.says)
		}
		must(t, append(row.args, "--force")...)
		must(t, "train", "--force", "-m", "svc", "-o", out, ripley(t))
	}
}
