package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// alike is a set of which one step of svc learns nothing: two of ten samples on a line are of the other class.
const alike = "1 1:1\n-1 1:1.1\n-1 1:1.2\n-1 1:1.3\n-1 1:1.4\n1 1:1.5\n-1 1:1.6\n-1 1:1.7\n-1 1:1.8\n-1 1:1.9\n"

// TestExitStatuses pins the table of docs/reference/exit.md: what a command ends with, and whether
// the file of --out is written.
func TestExitStatuses(t *testing.T) {
	model := filepath.Join(t.TempDir(), "svc.skm")
	must(t, "train", "--method", "svc", "--out", model, ripley(t))
	labels := filepath.Join(t.TempDir(), "labels")
	must(t, "predict", "--out", labels, model, ripley(t))
	iris := testutil.Testdata(t, "iris.libsvm")
	nothing := write(t, "alike.libsvm", alike)
	numerical := []string{"train", "--method", "svc", "--kernel", "sigmoid", "--gamma", "2", "--param", "coef0=-1", "--c", "100",
		ripley(t)}
	other := write(t, "other.txt", strings.Repeat("7\n", 250))
	bounded := strings.Replace(plan, "L  c", "G  c", 1)
	unbounded := strings.NewReplacer("L  a", "G  a", "L  b", "G  b", "L  c", "G  c").Replace(plan)
	infeasible := strings.NewReplacer("L  c", "E  c", "c  18", "c  180").Replace(plan)
	for _, row := range []struct {
		what    string
		args    []string
		stdin   string
		code    int
		says    string // on standard error
		written bool
	}{
		{"train, optimal", []string{"train", "--method", "svc", ripley(t)}, "", 0, "", true},
		{"train, limit, usable", []string{"train", "--method", "svc", "--max-iter", "20", ripley(t)}, "", 3, "best so far", true},
		{"train, limit, nothing learnt", []string{"train", "--method", "svc", "--time-limit", "1ns", ripley(t)}, "", 1,
			"before there was a result", false},
		{"train, limit, no better than one class", []string{"train", "--method", "svc", "--max-iter", "1", nothing}, "", 1,
			"largest class alone", false},
		{"the same, kept", []string{"train", "--method", "svc", "--max-iter", "1", "--keep-partial", nothing}, "", 1,
			"nevertheless", true},
		{"train, numerical trouble", numerical, "", 1, "numerical trouble", false},
		{"the same, kept", append(numerical, "--keep-partial"), "", 1, "nevertheless", true},
		{"train, the size asked for", []string{"train", "--method", "kmp", "--max-sv", "3", ripley(t)}, "", 0, "", true},
		{"the same, three classes", []string{"train", "--method", "lssvm-chol", "--max-sv", "2", iris}, "", 0, "", true},
		{"train, one round of several", []string{"train", "--method", "ssvc-b", "--max-iter", "1", ripley(t)}, "", 3,
			"best so far", true},
		{"train, one-class samples", []string{"train", write(t, "one.libsvm", "1 1:1\n1 1:2\n")}, "", 1, "one class", false},
		{"train, memory", []string{"train", "--mem", "20KiB", ripley(t)}, "", 1, "memory budget", false},
		{"train, output is an input", []string{"train", "--val", "OUT", "-m", "lssvm-prune", ripley(t)}, "", 2, "another one", true},
		{"train, wrong usage", []string{"train", "--method", "svc", "--c", "-1", ripley(t)}, "", 2, "c", false},
		{"train, no such file", []string{"train", "nowhere"}, "", 1, "nowhere", false},
		{"reduce", []string{"reduce", model, "--train", ripley(t)}, "", 0, "", true},
		{"reduce, no such file", []string{"reduce", "nowhere", "--train", ripley(t)}, "", 1, "nowhere", false},
		{"reduce, wrong usage", []string{"reduce", model, "--max-sv", "0"}, "", 2, "--max-sv", false},
		{"predict", []string{"predict", model, ripley(t)}, "", 0, "", true},
		{"predict, no such file", []string{"predict", "nowhere", ripley(t)}, "", 1, "nowhere", false},
		{"predict, wrong usage", []string{"predict", model, ripley(t), "--threads", "-1"}, "", 2, "--threads", false},
		{"convert", []string{"convert", model, "--to", "json"}, "", 0, "", true},
		{"gen", []string{"gen", "ringnorm", "-n", "5"}, "", 0, "", true},
		{"gen, wrong usage", []string{"gen", "ringnorm", "-n", "0"}, "", 2, "-n", false},
		{"gen, memory", []string{"gen", "ringnorm", "-n", "2000000000000"}, "", 1, "memory", false},
		{"convert, no such file", []string{"convert", "nowhere", "--to", "json"}, "", 1, "nowhere", false},
		{"convert, wrong usage", []string{"convert", model, "--to", "bread"}, "", 2, "--to", false},
		{"info, no such file", []string{"info", "nowhere"}, "", 1, "nowhere", false},
		{"verify, the same answer", []string{"verify", model, "--against", labels, ripley(t)}, "", 0, "", false},
		{"verify, wrong usage", []string{"verify", model, "--against", labels, "--tolerance", "-1", ripley(t)}, "", 2,
			"--tolerance", false},
		{"methods", []string{"methods"}, "", 0, "", false},
		{"methods, wrong usage", []string{"methods", "--c"}, "", 2, "--c", false},
		{"cpu", []string{"cpu"}, "", 0, "", false},
		{"bench", []string{"bench", "--time", "1ms"}, "", 0, "", true},
		{"bench, wrong usage", []string{"bench", "--time", "0s"}, "", 2, "--time", false},
		{"verify, another answer", []string{"verify", model, "--against", other, ripley(t)}, "", 1, "differ", false},
		{"info", []string{"info", model}, "", 0, "", false},
		{"lp, optimal", []string{"lp", "-"}, plan, 0, "", false},
		{"lp, optimal, another sense of a row", []string{"lp", "-"}, bounded, 0, "", false},
		{"lp, limit", []string{"lp", "--max-iter", "1", "-"}, plan, 3, "best so far", false},
		{"lp, no program", []string{"lp", "-"}, "ROWS\n X  c\n", 1, "row type", false},
		{"lp, limit before it was read", []string{"lp", "--time-limit", "1ns", "-"}, plan, 1, "before there was a result", false},
		{"lp, unbounded", []string{"lp", "-"}, unbounded, 1, "unbounded", false},
		{"lp, infeasible", []string{"lp", "-"}, infeasible, 1, "infeasible", false},
		{"lp, wrong usage", []string{"lp", "--tolerance", "0", "-"}, plan, 2, "--tolerance", false},
		{"svm-scale", []string{"svm-scale", ripley(t)}, "", 0, "", false},
		{"svm-predict, wrong usage", []string{"svm-predict"}, "", 1, "", false},
		{"svm-train, no such file", []string{"svm-train", "nowhere"}, "", 1, "nowhere", false},
	} {
		out := filepath.Join(t.TempDir(), "out")
		args := row.args
		if i := slices.Index(args, "OUT"); i >= 0 { // the same file for an input and the output
			args = slices.Replace(slices.Clone(args), i, i+1, out)
			must(t, "gen", "ringnorm", "-n", "5", "--out", out)
		}
		if slices.Contains([]string{"train", "reduce", "predict", "convert", "gen", "bench"}, args[0]) {
			args = append(args, "--out", out)
		}
		r := command(t, row.stdin, args...)
		_, err := os.Stat(out)
		if r.code != row.code || !strings.Contains(r.stderr, row.says) || (err == nil) != row.written {
			t.Errorf("%s: status %d, %q, file written %v; want %d, %q, %v", row.what, r.code, r.stderr, err == nil, row.code,
				row.says, row.written)
		}
	}
}

// TestExitStatusesOfPath does the same for the models of a path, one file each.
func TestExitStatusesOfPath(t *testing.T) {
	path := []string{"train", "--path=0.01..1000:3", "--method", "lpsvc"}
	for _, row := range []struct {
		what string
		args []string
		code int
		some bool // files are written
	}{
		{"optimal", []string{ripley(t)}, 0, true},
		{"wrong usage", []string{"--path=0..1", ripley(t)}, 2, false},
		{"a limit at once", []string{"--time-limit", "1ns", ripley(t)}, 1, false},
		{"a limit on the way", []string{"--method", "ssvc-b", "--max-iter", "1", ripley(t)}, 3, true},
	} {
		dir := t.TempDir()
		r := command(t, "", append(append(path, "--out", filepath.Join(dir, "m.skm")), row.args...)...)
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if r.code != row.code || len(files) > 0 != row.some {
			t.Errorf("%s: status %d, %d files, %q; want %d, files %v", row.what, r.code, len(files), r.stderr, row.code,
				row.some)
		}
	}
}

// TestUnwrittenStays holds that a result of no use leaves an older model as it was.
func TestUnwrittenStays(t *testing.T) {
	out := write(t, "m.skm", "the old model")
	r := command(t, "", "train", "--method", "svc", "--max-iter", "1", "--out", out, write(t, "alike.libsvm", alike))
	if text, err := os.ReadFile(out); r.code != session.Failed || err != nil || string(text) != "the old model" {
		t.Errorf("status %d, the file has %.20q, error %v", r.code, text, err)
	}
}

// TestSecondMachineInterrupted stops several classes: a model of models that learnt nothing is none.
func TestSecondMachineInterrupted(t *testing.T) {
	out := filepath.Join(t.TempDir(), "m.skm")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	three := write(t, "three.csv", "a,1\nb,2\nc,3\na,1.1\nb,2.1\nc,3.1\n")
	r := runIn(ctx, "", "train", "--method", "svc", "--out", out, three)
	if _, err := os.Stat(out); r.code != session.Failed || err == nil {
		t.Errorf("status %d, %q, file %v", r.code, r.stderr, err)
	}
}

func init() { prepare.Late = time.Hour } // no test may depend on how busy the host is

// TestEndLeavesAUsableModel interrupts a training at any look at the context: from the first that comes after the
// reading on, a usable model is in the file, and the status is 3 until it is 0. The usual method has a model of all
// samples at any time, ssvc-b one of some.
func TestEndLeavesAUsableModel(t *testing.T) {
	file := filepath.Join(t.TempDir(), "twonorm.libsvm")
	must(t, "gen", "twonorm", "-n", "400", "-o", file)
	for method, ofSome := range map[string]bool{"direct": false, "ssvc-b": true} {
		left, some, looks := 0, 0, 0
		for ; ; looks += 1 + looks/8 {
			out := filepath.Join(t.TempDir(), "m.skm")
			args := []string{"train", "--threads", "1", "--json", "-o", out, file}
			if method != usualMethods[learn.Classify][0] {
				args = append(args, "-m", method)
			}
			r := runIn(testutil.EndAfter(t.Context(), looks), "", args...)
			_, err := os.Stat(out)
			if r.code == session.Done {
				break
			}
			if (r.code == session.Limit) != (err == nil) || left > 0 && r.code != session.Limit {
				t.Fatalf("%s: end at look %d: status %d, %v, %s", method, looks, r.code, err, r.stderr)
			}
			if err == nil {
				left++
			}
			if strings.Contains(r.stdout, "one of 256 of the 400") {
				some++
			}
		}
		if left < 3 || ofSome != (some >= 3) {
			t.Errorf("%s: %d models, %d of some samples, in %d looks", method, left, some, looks)
		}
	}
}
