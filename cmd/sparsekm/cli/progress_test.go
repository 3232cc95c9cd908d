package cli

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/modelselect"
)

// objects are the lines of standard error as --log json writes them.
func objects(t *testing.T, text string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(text) {
		var o map[string]any
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		all = append(all, o)
	}
	return all
}

// TestLogJSON wants every round with its numbers, and nothing on standard error that is no object.
func TestLogJSON(t *testing.T) {
	out := filepath.Join(t.TempDir(), "m.skm")
	r := must(t, "train", "-m", "ssvc-b", "--log", "json", "--json", "-o", out, ripley(t))
	var report struct{ Rounds []learn.Round }
	if err := json.Unmarshal([]byte(r.stdout), &report); err != nil {
		t.Fatal(err)
	}
	step, programs := 0, 0
	for _, o := range objects(t, r.stderr) {
		if o["phase"] == "program" {
			programs++
		}
		if o["phase"] != "round" {
			continue
		}
		want := report.Rounds[step]
		step++
		if o["msg"] != "training" || o["step"] != float64(step) || o["objective"] != want.Objective ||
			o["vectors"] != float64(want.Nonzeros) || !strings.HasSuffix(o["text"].(string), " programs") {
			t.Errorf("round %d: %v, want %+v", step, o, want)
		}
	}
	if step != len(report.Rounds) || step == 0 || programs == 0 {
		t.Errorf("%d rounds told, %d in the report", step, len(report.Rounds))
	}
	for _, args := range [][]string{
		{"train", "--log", "json", ripley(t)}, // not kept
		{"train", "--log", "json", "nowhere"}, {"train", "--log", "json", "-m", "svc", "--max-iter", "20", ripley(t)},
		{"reduce", "--log", "json", out, "--max-sv", "2"}, {"reduce", "--log", "json", "nowhere", "--max-sv", "2"},
	} {
		r := command(t, "", args...)
		lines := objects(t, r.stderr)
		if level := ""; r.code == session.Failed {
			level, _ = lines[len(lines)-1]["level"].(string)
			if level != "ERROR" {
				t.Errorf("%v: %q", args, r.stderr)
			}
		}
	}
}

func TestQuietAndVerbose(t *testing.T) {
	out := filepath.Join(t.TempDir(), "m.skm")
	if r := must(t, "train", "-q", "-m", "ssvc-b", "-o", out, ripley(t)); r.stdout != "" || r.stderr != "" {
		t.Errorf("quiet, and %q, %q", r.stdout, r.stderr)
	}
	if r := must(t, "reduce", "-q", "--max-sv", "2", out); r.stdout != "" {
		t.Errorf("quiet, and %q", r.stdout)
	}
	r := must(t, "train", "-q", "-m", "ssvc-b", "--json", "-o", out, ripley(t))
	if !strings.HasPrefix(r.stdout, "{") || r.stderr != "" {
		t.Errorf("quiet with --json, and %q, %q", r.stdout, r.stderr)
	}
	r = must(t, "train", "-v", "-m", "ssvc-a", "-o", out+"a", ripley(t))
	if n := strings.Count(r.stderr, "] round "); n != 12 || !strings.Contains(r.stderr, "objective 73.6065, 4 vectors") {
		t.Errorf("%d rounds, want 12:\n%s", n, r.stderr)
	}
	if r = command(t, "", "train", "-q", "-v", ripley(t)); r.code != session.Usage {
		t.Errorf("quiet and verbose: status %d", r.code)
	}
	grid := []string{"--grid", "c=1,10", "--grid", "gamma=1", ripley(t)}
	for _, args := range [][]string{
		{"cv", "-m", "svc", "--folds", "2", ripley(t)},
		append([]string{"tune", "-m", "svc", "--folds", "2", "--outer", "2"}, grid...),
		append([]string{"tune", "-m", "svc", "--folds", "2", "--shard", "0/2", "--ledger", out + "shard"}, grid...),
		append([]string{"compare", "-m", "svc", "--folds", "2", "--inner", "2", "--ledger", out + "runs"}, grid...),
		{"fit", "--time-limit", "1h", "-o", out + "fit", ripley(t)},
	} {
		if r = must(t, slices.Insert(args, 1, "-q")...); r.stdout != "" || r.stderr != "" {
			t.Errorf("%s: quiet, and %q, %q", args[0], r.stdout, r.stderr)
		}
	}
	r = must(t, "cv", "-v", "-m", "svc", "--folds", "3", ripley(t))
	if n := strings.Count(r.stderr, "] runs "); n != 3 || r.stdout == "" {
		t.Errorf("%d runs, want 3:\n%s", n, r.stderr)
	}
	r = must(t, "cv", "--log", "json", "-m", "svc", "--folds", "3", ripley(t))
	if strings.Count(r.stderr, `"phase":"runs"`) != 3 {
		t.Errorf("events of cv: %q", r.stderr)
	}
}

// TestNotKept wants a word about a model that goes with the process, and none where there is a file.
func TestNotKept(t *testing.T) {
	const says = "the model is not kept"
	if r := must(t, "train", "-m", "svc", ripley(t)); !strings.Contains(r.stderr, says) {
		t.Errorf("standard error %q", r.stderr)
	}
	if r := must(t, "train", "--path=0.01..1000:2", "-m", "lpsvc", ripley(t)); !strings.Contains(r.stderr, says) {
		t.Errorf("a path: standard error %q", r.stderr)
	}
	out := filepath.Join(t.TempDir(), "m.skm")
	if r := must(t, "train", "-m", "svc", "-o", out, ripley(t)); r.stderr != "" {
		t.Errorf("standard error %q", r.stderr)
	}
}

// TestComparing: the progress of fit names what has just run and what has the least mean loss so far.
func TestComparing(t *testing.T) {
	for _, c := range []struct {
		metric modelselect.Metric
		name   string
		want   []string
	}{
		{modelselect.Error, "error", []string{"compare 1: a; best so far: a, 25 %", "compare 2: b; best so far: b, 20 %",
			"compare 3: b; best so far: a, 25 %", "compare 4: c; best so far: a, 25 %"}},
		{modelselect.Error, "rmse", []string{"compare 1: a; best so far: a, 0.25", "compare 2: b; best so far: b, 0.2",
			"compare 3: b; best so far: a, 0.25", "compare 4: c; best so far: a, 0.25"}},
		{modelselect.LogLoss, "error", []string{"compare 1: a", "compare 2: b", "compare 3: b", "compare 4: c"}},
	} {
		var got []string
		run := comparingOn(func(e learn.Event) { got = append(got, e.String()) }, c.metric)
		for i, r := range []modelselect.Run{{Setting: "a", Losses: map[string]float64{c.name: 0.25}},
			{Setting: "b", Losses: map[string]float64{c.name: 0.2}}, {Setting: "b", Losses: map[string]float64{c.name: 0.4}},
			{Setting: "c"}} {
			run(i+1, 4, &r)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.metric, got, c.want)
		}
	}
	if comparingOn(nil, modelselect.Error) != nil {
		t.Error("runs are taken though nobody looks")
	}
}
