package modelselect_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/modelselect"
)

func ripley(t *testing.T) *dataset.Set {
	t.Helper()
	set, err := dataset.ReadFile(testutil.Testdata(t, "ripley.train.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// grid is twelve settings of svc.
func grid(t *testing.T) []modelselect.Setting {
	t.Helper()
	s, err := modelselect.Grid(sparsekm.Options{Trainer: svc.Trainer{}, Scale: dataset.ScaleZ},
		modelselect.Param("c", 0.1, 1, 10, 100), modelselect.GammaTimes(0.1, 1, 10))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func folds(t *testing.T, set *dataset.Set, k, repeats int) []dataset.Split {
	t.Helper()
	f, err := modelselect.Folds(set, k, repeats, 1)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// equal ignores what a clock says.
var equal = cmp.Options{
	cmpopts.IgnoreFields(modelselect.Run{}, "Seconds"), cmpopts.IgnoreUnexported(modelselect.Run{}),
}

// TestRuns holds every run against a training and a count by hand.
func TestRuns(t *testing.T) {
	set, settings := ripley(t), grid(t)
	splits := folds(t, set, 3, 1)
	table, err := modelselect.Evaluate(t.Context(), set, settings, splits, modelselect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range settings {
		for f, sp := range splits {
			clf, _, err := sparsekm.Train(t.Context(), set.Subset(sp.Train), s.Options)
			if err != nil {
				t.Fatal(err)
			}
			wrong := 0
			for _, row := range sp.Test {
				if clf.Label(clf.Predict(set.Row(row))) != set.Labels[set.Y[row]] {
					wrong++
				}
			}
			r := table.Runs[i][f]
			if r.Errors != wrong || r.Vectors != clf.NumVectors() || r.Tested != len(sp.Test) || r.Setting != s.Name {
				t.Errorf("%s, split %d: %+v, want %d errors of %d vectors", s.Name, f, r, wrong, clf.NumVectors())
			}
			testutil.Near(t, "error", r.Losses["error"], float64(wrong)/float64(len(sp.Test)), 1e-15)
		}
	}
}

// TestSameTable: any number of threads, any shards put together, and a ledger that has some of the runs give the same
// table, where runs share what they compute as well.
func TestSameTable(t *testing.T) {
	shared, err := modelselect.Grid(sparsekm.Options{Trainer: svc.Trainer{}}, modelselect.Param("c", 0.1, 10, 1000),
		modelselect.Gamma(0.5, 2, 10, 50))
	if err != nil {
		t.Fatal(err)
	}
	for name, settings := range map[string][]modelselect.Setting{"apart": grid(t), "shared": shared} {
		t.Run(name, func(t *testing.T) { sameTable(t, settings) })
	}
}

func sameTable(t *testing.T, settings []modelselect.Setting) {
	set := ripley(t)
	splits := folds(t, set, 4, 2)
	run := func(o modelselect.Options) *modelselect.Table {
		t.Helper()
		table, err := modelselect.Evaluate(t.Context(), set, settings, splits, o)
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	want := run(modelselect.Options{Threads: 1})
	if d := cmp.Diff(want.Runs, run(modelselect.Options{Threads: 3}).Runs, equal); d != "" {
		t.Error("threads:", d)
	}
	var all []byte
	for shard := range 3 {
		name := filepath.Join(t.TempDir(), "runs.jsonl")
		l, err := modelselect.OpenLedger(name)
		if err != nil {
			t.Fatal(err)
		}
		run(modelselect.Options{Ledger: l, Shard: 2 - shard, Shards: 3})
		if n := l.Len(); n == 0 || n > 50 {
			t.Errorf("shard %d has %d of 96 runs", 2-shard, n)
		}
		l.Close()
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text...)
	}
	name := filepath.Join(t.TempDir(), "all.jsonl")
	if err := os.WriteFile(name, all, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := modelselect.OpenLedger(name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	runs := 0
	got := run(modelselect.Options{Ledger: l, Progress: func(int, int, *modelselect.Run) { runs++ }})
	if d := cmp.Diff(want.Runs, got.Runs, equal); d != "" || runs != 0 {
		t.Errorf("%d runs again; %s", runs, d)
	}
}

// TestResume stops a search again and again, cuts its ledger in the middle of a line as a kill would, and goes on:
// the table is that of one go, and no run is there twice.
func TestResume(t *testing.T) {
	set, settings := ripley(t), grid(t)
	splits := folds(t, set, 3, 2)
	want, err := modelselect.Evaluate(t.Context(), set, settings, splits, modelselect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	var got *modelselect.Table
	stops := 0
	for {
		l, failed := modelselect.OpenLedger(name)
		if failed != nil {
			t.Fatal(failed)
		}
		ctx, cancel := context.WithCancel(t.Context())
		made := 0
		got, err = modelselect.Evaluate(ctx, set, settings, splits, modelselect.Options{Ledger: l, Threads: 2,
			Progress: func(int, int, *modelselect.Run) {
				if made++; made == 3 {
					cancel()
				}
			}})
		cancel()
		l.Close()
		if err == nil {
			break
		}
		stops++
		text, failed := os.ReadFile(name)
		if failed != nil {
			t.Fatal(failed)
		}
		if failed = os.WriteFile(name, text[:len(text)-7*(stops%3)], 0o600); failed != nil {
			t.Fatal(failed)
		}
	}
	if stops < 18 {
		t.Errorf("%d stops for 72 runs, 3 or 4 at a time", stops)
	}
	if d := cmp.Diff(want.Runs, got.Runs, equal); d != "" {
		t.Error(d)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := modelselect.ReadRuns(bytes.NewReader(text), name)
	if err != nil || len(runs) != 72 || bytes.Count(text, []byte{'\n'}) != 72 {
		t.Errorf("%d runs on %d lines, want 72: %v", len(runs), bytes.Count(text, []byte{'\n'}), err)
	}
}

// TestLedgerRefuses what is no ledger, with file and line, and does not touch it.
func TestLedgerRefuses(t *testing.T) {
	name := filepath.Join(t.TempDir(), "letter.txt")
	const text = "Good morning,\nthis is no ledger.\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := modelselect.OpenLedger(name); err == nil || !bytes.Contains([]byte(err.Error()),
		[]byte("letter.txt:1: ")) {
		t.Errorf("error %v", err)
	}
	if now, err := os.ReadFile(name); err != nil || string(now) != text {
		t.Errorf("%q is left, %v", now, err)
	}
}

// TestFailedSetting: what cannot be trained is said and not chosen.
func TestFailedSetting(t *testing.T) {
	set := ripley(t)
	settings := []modelselect.Setting{
		{Name: "bad", Options: sparsekm.Options{Trainer: svc.Trainer{C: -3}}},
		{Name: "good", Options: sparsekm.Options{Trainer: ssvclp.B{C: 1}}},
	}
	table, err := modelselect.Evaluate(t.Context(), set, settings, folds(t, set, 2, 1), modelselect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scores := table.Scores()
	if scores[0].Failed == "" || scores[1].Failed != "" || modelselect.Choose(scores, modelselect.Best) != 1 {
		t.Errorf("%+v", scores)
	}
	if _, err := modelselect.Evaluate(t.Context(), set, slices.Repeat(settings, 2), folds(t, set, 2, 1),
		modelselect.Options{}); err == nil {
		t.Error("two settings of one name")
	}
}

// threaded notes how many threads a training may use.
type threaded struct {
	learn.Trainer
	mu      *sync.Mutex
	threads *[]int
}

func (t threaded) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	t.mu.Lock()
	*t.threads = append(*t.threads, p.Threads)
	t.mu.Unlock()
	return t.Trainer.Train(ctx, p)
}

// TestThreads wants one thread for each run while there are more runs than threads, and all of them for the last.
func TestThreads(t *testing.T) {
	set := ripley(t)
	for _, c := range []struct {
		threads, folds int
		want           []int
	}{{1, 3, []int{1, 1, 1}}, {2, 5, []int{1, 1, 1, 1, 2}}, {8, 5, []int{1, 1, 1, 1, 1}},
		{8, 2, []int{4, 4}}, {3, 3, []int{1, 1, 1}}, {4, 6, []int{1, 1, 1, 1, 2, 2}}} {
		var mu sync.Mutex
		var got []int
		s := modelselect.Setting{Name: "svc", Options: sparsekm.Options{Trainer: threaded{svc.Trainer{}, &mu, &got}}}
		_, err := modelselect.Evaluate(t.Context(), set, []modelselect.Setting{s}, folds(t, set, c.folds, 1),
			modelselect.Options{Threads: c.threads})
		if err != nil {
			t.Fatal(err)
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%d folds on %d threads: trainings on %v threads, want %v", c.folds, c.threads, got, c.want)
		}
	}
}
