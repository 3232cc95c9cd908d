package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestBadData trains on files that cannot be trained on. Each row has what the
// message must say: where, and what was found.
func TestBadData(t *testing.T) {
	rows := []struct{ name, file, text, want string }{
		{"NaN value", "d.libsvm", "1 1:1 2:2\n-1 1:nan 2:1\n", `d.libsvm:2:6: found "nan"`},
		{"infinite value", "d.libsvm", "1 1:1 2:inf\n-1 1:2 2:1\n", `d.libsvm:1:9: found "inf"`},
		{"value beyond float64", "d.libsvm", "1 1:1 2:1e999\n-1 1:2 2:1\n", "d.libsvm:1:9: found"},
		{"missing value", "d.libsvm", "1 1:1 2:\n-1 1:2 2:1\n", "d.libsvm:1:9: found nothing"},
		{"no colon", "d.libsvm", "1 1:1 junk\n-1 1:2 2:1\n", `d.libsvm:1:7: found "junk"`},
		{"descending indices", "d.libsvm", "1 2:1 1:2\n-1 1:2 2:1\n", "d.libsvm:1:7: found index 1 after a larger one"},
		{"duplicate indices", "d.libsvm", "1 1:1 2:2\n-1 2:2 2:1\n", "d.libsvm:2:8: found index 2 twice"},
		{"index 0 late", "d.libsvm", "1 1:2 0:1\n-1 1:2 2:1\n", "d.libsvm:1:7: found index 0"},
		{"fractional label", "d.libsvm", "1.5 1:1\n-1 1:2\n", `d.libsvm:1:1: found "1.5", want an integer label`},
		{"label of letters", "d.libsvm", "1 1:1\nred 1:2\n", `d.libsvm:2:1: found "red", want an integer label`},
		{"one class", "d.libsvm", "1 1:1\n1 1:2\n", "one class only"},
		{"one sample", "d.libsvm", "1 1:1\n", "one class only"},
		{"no samples", "d.libsvm", "# nothing\n\n", "d.libsvm: found no samples"},
		{"empty file", "d.libsvm", "", "d.libsvm: found no samples"},
		{"binary rubbish", "d.libsvm", "\x7fELF\x02\x01\x01\x00", "d.libsvm:1:1: found"},
		{"CSV missing value", "d.csv", "a,b,label\n1,,x\n2,3,y\n3,4,y\n", "d.csv:2:3: found"},
		{"CSV NaN", "d.csv", "a,b,label\n1,2,x\nNaN,3,y\n3,4,y\n", "d.csv:3:1: found"},
		{"CSV short line", "d.csv", "a,b,label\n1,2,x\n3,y\n", "d.csv:3"},
		{"CSV fractional label", "d.csv", "a,b,label\n1,2,0.5\n2,3,1\n", "d.csv:2:5: found"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			data, out := write(t, row.file, row.text), filepath.Join(t.TempDir(), "m.skm")
			args := []string{"train", "--method", "svc", "--out", out, data}
			if strings.HasPrefix(row.name, "CSV") {
				refused(t, session.Failed, row.want, out, append(args, "--columns=strict")...)
				args = append(args, "--missing=error")
			}
			refused(t, session.Failed, row.want, out, args...)
		})
	}
}

// TestBadFlags trains with values that mean nothing. Wrong usage is status 2 and names the flag.
func TestBadFlags(t *testing.T) {
	rows := []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"C = 0", []string{"--c", "0"}, session.Usage, "--c: found 0"},
		{"C < 0", []string{"--c", "-1"}, session.Usage, "--c: found -1"},
		{"C = NaN", []string{"--c", "nan"}, session.Usage, "--c: found NaN"},
		{"C = infinity", []string{"--c", "inf"}, session.Usage, "--c: found +Inf"},
		{"C = word", []string{"--c", "much"}, session.Usage, "--c"},
		{"sigma = 0", []string{"--sigma", "0"}, session.Usage, "--sigma: found 0"},
		{"sigma < 0", []string{"--sigma", "-2"}, session.Usage, "--sigma: found -2"},
		{"sigma too small", []string{"--sigma", "1e-200"}, session.Usage, "--sigma: found 1e-200"},
		{"gamma = 0", []string{"--gamma", "0"}, session.Usage, `--gamma: found "0"`},
		{"gamma = word", []string{"--gamma", "wide"}, session.Usage, `--gamma: found "wide"`},
		{"gamma and sigma", []string{"--gamma", "1", "--sigma", "1"}, session.Usage, "--gamma and --sigma"},
		{"gamma of a linear kernel", []string{"--kernel", "linear", "--gamma", "1"}, session.Usage, "no gamma"},
		{"degree = 0", []string{"--kernel", "poly", "--param", "degree=0"}, session.Usage, "--param degree: found 0"},
		{"unknown kernel", []string{"--kernel", "magic"}, session.Usage, "--kernel"},
		{"unknown method", []string{"--method", "magic"}, session.Usage, `--method: no method "magic" (have `},
		{"unknown scaling", []string{"--scale", "magic"}, session.Usage, "--scale"},
		{"tolerance = 0", []string{"--tolerance", "0"}, session.Usage, "--tolerance: found 0"},
		{"no iterations", []string{"--max-iter", "0"}, session.Usage, "--max-iter: found 0"},
		{"threads < 0", []string{"--threads", "-1"}, session.Usage, "--threads: found -1"},
		{"time limit < 0", []string{"--time-limit", "-1s"}, session.Usage, "--time-limit: found -1s"},
		{"features < 0", []string{"--features", "-1"}, session.Usage, "--features: found -1"},
		{"memory of words", []string{"--mem", "lots"}, session.Usage, `--mem: "lots" is not a size`},
		{"memory < 0", []string{"--mem", "-1GiB"}, session.Usage, `--mem: "-1GiB" is not a size`},
		{"weight < 0", []string{"--class-weight", "1=-1"}, session.Usage, `weight "-1" of class 1`},
		{"weight of nothing", []string{"--class-weight", "3"}, session.Usage, `"3" is not LABEL=WEIGHT`},
		{"weight of an unknown class", []string{"--class-weight", "7=1"}, session.Failed, `weight for class "7", but the classes are -1, 1`},
		{"budget too small", []string{"--mem", "1KiB"}, session.Failed, "memory budget"},
		{"more features than the flag", []string{"--features", "1"}, session.Failed, "found index 2, want at most 1 features"},
		{"no test file", []string{"--test", "nowhere"}, session.Failed, "nowhere"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "m.skm")
			args := append([]string{"train", "--out", out, ripley(t)}, row.args...)
			if row.name != "unknown method" {
				args = append(args, "--method", "svc")
			}
			refused(t, row.status, row.want, out, args...)
		})
	}
}

// refused fails the test unless the command ends with the status, says want on
// standard error, prints nothing else, and leaves nothing in out's folder.
func refused(t *testing.T, status int, want, out string, args ...string) {
	t.Helper()
	for _, extra := range [][]string{nil, {"--json"}} {
		r := command(t, "", append(args[:len(args):len(args)], extra...)...)
		if r.code != status || !strings.Contains(r.stderr, want) || r.stdout != "" {
			t.Errorf("status %d, want %d\nstandard error %q, want %q\nstandard output %q", r.code, status, r.stderr, want,
				r.stdout)
		}
	}
	if files, err := os.ReadDir(filepath.Dir(out)); err != nil || len(files) > 0 {
		t.Errorf("left behind: %v (%v)", files, err)
	}
}

func TestUnwritableOutput(t *testing.T) {
	dir := t.TempDir()
	data := ripley(t)
	for out, want := range map[string]string{
		filepath.Join(dir, "no", "folder", "m.skm"): "cannot be written",
		dir:                                     "is a folder",
		filepath.Join(data, "below-a-file.skm"): "cannot be written",
	} {
		if r := command(t, "", "train", "--method", "svc", "--out", out, data); r.code != session.Failed ||
			!strings.Contains(r.stderr, want) {
			t.Errorf("--out %s: status %d, %q", out, r.code, r.stderr)
		}
	}
}

// TestOldFileStays fails after the data were read, and wants the old model whole.
func TestOldFileStays(t *testing.T) {
	out := write(t, "m.skm", "the old model")
	r := command(t, "", "train", "--method", "svc", "--mem", "1KiB", "--out", out, ripley(t))
	if text, err := os.ReadFile(out); r.code != session.Failed || err != nil || string(text) != "the old model" {
		t.Errorf("status %d; the old file is %q (%v)", r.code, text, err)
	}
}

// TestBadModels gives predict and info files that are no models for the samples.
func TestBadModels(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "m.skm")
	must(t, "train", "--method", "svc", "--out", model, ripley(t))
	whole, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	flipped := append([]byte(nil), whole...)
	flipped[len(flipped)/2] ^= 1
	for name, text := range map[string]string{
		"truncated":  string(whole[:len(whole)/2]),
		"one short":  string(whole[:len(whole)-1]),
		"one longer": string(whole) + "x",
		"flipped":    string(flipped),
		"empty":      "",
		"data":       "1 1:1 2:2\n",
	} {
		for _, args := range [][]string{{"predict"}, {"info"}} {
			path := write(t, "bad.skm", text)
			if args[0] == "predict" {
				args = append(args, path, ripley(t))
			} else {
				args = append(args, path)
			}
			r := command(t, "", args...)
			if r.code != session.Failed || !strings.Contains(r.stderr, "bad.skm") || r.stdout != "" {
				t.Errorf("%s of a model that is %s: status %d, %q", args[0], name, r.code, r.stderr)
			}
		}
	}
	for name, want := range map[string]string{
		"iris.libsvm": "found 4 features, want 2",
		"nowhere":     "nowhere",
		"SOURCES.md":  "SOURCES.md",
	} {
		if r := command(t, "", "predict", model, testutil.Testdata(t, name)); r.code != session.Failed ||
			!strings.Contains(r.stderr, want) || r.stdout != "" {
			t.Errorf("predict on %s: status %d, %q", name, r.code, r.stderr)
		}
	}
	wide := filepath.Join(dir, "wide.skm")
	must(t, "train", "--method", "svc", "--out", wide, testutil.Testdata(t, "diabetis.libsvm"))
	if r := command(t, "", "predict", wide, ripley(t)); r.code != session.Failed ||
		!strings.Contains(r.stderr, "found 2 features, want 8") {
		t.Errorf("predict on fewer features: status %d, %q", r.code, r.stderr)
	}
	if r := must(t, "predict", "--features", "8", wide, ripley(t)); strings.Count(r.stdout, "\n") != 250 {
		t.Errorf("--features does not widen the samples: %q", r.stderr)
	}
}

// TestSparseRows predicts on a file whose rows leave out trailing zeros.
func TestSparseRows(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.skm")
	must(t, "train", "--method", "svc", "--out", model, write(t, "d.libsvm", "1 1:1 3:1\n-1 2:1\n1 1:2\n-1 2:3 3:1\n"))
	r := must(t, "predict", model, write(t, "t.libsvm", "1 1:1\n-1 2:1\n"))
	if r.stdout != "1\n-1\n" {
		t.Errorf("predictions %q", r.stdout)
	}
}
