package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/modelselect"
	"github.com/sparsekm/sparsekm/status"
)

// answer runs a command with --json and decodes what it prints.
func answer[T any](t *testing.T, args ...string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(must(t, append(args, "--json")...).stdout), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestCV: every sample is tested once a repeat, the mean is that of the folds, the seed decides.
func TestCV(t *testing.T) {
	args := []string{"cv", "-m", "svc", "--folds", "5", "--repeat", "2", ripley(t)}
	j := answer[cvJSON](t, args...)
	points, mean := 0, 0.0
	for _, f := range j.Folds {
		points += f.Tested
		mean += f.Losses["error"] / 10
	}
	if len(j.Folds) != 10 || points != 500 {
		t.Errorf("%d folds of %d samples", len(j.Folds), points)
	}
	testutil.Near(t, "error", j.Error, mean, 1e-15)
	between(t, "error of Ripley's samples", j.Error, 0.08, 0.16)
	again, other := answer[cvJSON](t, append(args, "--threads", "1")...), answer[cvJSON](t, append(args, "--seed", "9")...)
	if d := cmp.Diff(j.Losses, again.Losses); d != "" {
		t.Error("one thread:", d)
	}
	if cmp.Equal(j.Folds, other.Folds, cmpopts.IgnoreUnexported(modelselect.Run{})) {
		t.Error("another seed has the same folds")
	}
	if text := must(t, args...).stdout; !strings.Contains(text, "area under the curve") || !strings.Contains(text,
		"10 splits") {
		t.Error(text)
	}
}

// TestSplitsFile takes the splits of a file.
func TestSplitsFile(t *testing.T) {
	splits := write(t, "a.splits", "0 1 2 3 4 5 130 131 132 133 134 135\n"+"10 11 12 140 141 142\n")
	j := answer[cvJSON](t, "cv", "-m", "svc", "--splits", splits, ripley(t))
	if len(j.Folds) != 2 || j.Folds[0].Tested != 238 || j.Folds[1].Tested != 244 {
		t.Errorf("%+v", j.Folds)
	}
}

// TestTune: the model is that of the chosen parameters on all samples, and a ledger spares every run.
func TestTune(t *testing.T) {
	out, ledger := filepath.Join(t.TempDir(), "tuned.skm"), filepath.Join(t.TempDir(), "runs.jsonl")
	args := []string{"tune", "-m", "svc", "--folds", "4", "--grid", "c=1,10", "--grid", "gamma=2^-3..2^1:2", "--ledger", ledger, ripley(t)}
	j := answer[tuneJSON](t, append(args, "-o", out)...)
	if len(j.Grid) != 6 || j.Best == nil || j.Best.Model != out {
		t.Fatalf("%+v", j)
	}
	clf, err := sparsekm.Load(out)
	if err != nil {
		t.Fatal(err)
	}
	if p := clf.Parts(); p.Params["c"] != j.Best.Params["c"] || p.Kernel.Gamma != j.Best.Params["gamma"] ||
		p.Trained != 250 {
		t.Errorf("model of %v, γ %v, chosen %v", p.Params, p.Kernel.Gamma, j.Best.Params)
	}
	for _, g := range j.Grid { // the rule, from the figures shown
		if float64(g.CVError) < float64(j.Best.CVError-j.Best.CVErrorSE) && g.SV < j.Best.SV {
			t.Errorf("%v is better and smaller than the choice %v", g.Params, j.Best.Params)
		}
	}
	before, err := os.ReadFile(ledger)
	if err != nil {
		t.Fatal(err)
	}
	again := answer[tuneJSON](t, args...)
	after, err := os.ReadFile(ledger)
	if err != nil || string(after) != string(before) || strings.Count(string(after), "\n") != 24 {
		t.Errorf("%d lines before, %d after, %v", strings.Count(string(before), "\n"), strings.Count(string(after),
			"\n"), err)
	}
	if d := cmp.Diff(j.Grid, again.Grid, cmp.AllowUnexported(scored{})); d != "" {
		t.Error(d)
	}
}

// TestTuneShards: two shards into one ledger make the whole table, which then needs no run.
func TestTuneShards(t *testing.T) {
	dir := t.TempDir()
	args := func(more ...string) []string {
		return append([]string{"tune", "-m", "svc", "--folds", "3", "--grid", "c=0.1,1,10", ripley(t)}, more...)
	}
	want := answer[tuneJSON](t, args()...)
	a, b, all := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "all")
	must(t, args("--ledger", a, "--shard", "0/2")...)
	must(t, args("--ledger", b, "--shard", "1/2")...)
	var lines []byte
	for _, name := range []string{b, a} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, text...)
	}
	if err := os.WriteFile(all, lines, 0o600); err != nil {
		t.Fatal(err)
	}
	got := answer[tuneJSON](t, args("--ledger", all)...)
	if n := strings.Count(string(lines), "\n"); n != 9 {
		t.Errorf("%d runs, want 9", n)
	}
	for i := range want.Grid {
		want.Grid[i].Seconds, got.Grid[i].Seconds = 0, 0
	}
	want.Best, got.Best = nil, nil
	if d := cmp.Diff(want, got, cmp.AllowUnexported(scored{}), cmp.AllowUnexported(tuneJSON{})); d != "" {
		t.Error(d)
	}
}

// TestTuneOuter judges the search itself.
func TestTuneOuter(t *testing.T) {
	j := answer[tuneJSON](t, "tune", "-m", "ssvc-b", "--folds", "3", "--outer", "4", "--grid", "c=1,10", ripley(t))
	if j.Outer == nil {
		t.Fatal("no outer folds")
	}
	between(t, "error", j.Outer.Error, 0.08, 0.2)
	between(t, "vectors", j.Outer.SV, 2, 20)
}

// TestGridSyntax names what is wrong with a grid, a shard or splits.
func TestGridSyntax(t *testing.T) {
	for _, row := range []struct {
		args []string
		says string
	}{
		{[]string{"--grid", "c"}, "NAME=VALUES"},
		{[]string{"--grid", "c=1,x"}, `"x"`},
		{[]string{"--grid", "c=2^-5..3^5"}, "one base"},
		{[]string{"--grid", "c=2^0..2^99:0.01"}, "1000 powers"},
		{[]string{"--grid", "c=1", "--grid", "c=2"}, "twice"},
		{[]string{"--grid", "kappa=1"}, "kappa"},
		{[]string{"--grid", "c=-1"}, "--c"},
		{[]string{"--grid", "gamma=1", "--sigma", "2"}, "twice"},
		{[]string{"--grid", "gamma=1", "--grid", "gamma-times=1"}, "twice"},
		{[]string{"--grid", "gamma=1", "--kernel", "linear"}, "no γ"},
		{[]string{"--grid", "gamma=0"}, "> 0"},
		{[]string{"--shard", "2/2", "--ledger", "l"}, "--shard"},
		{[]string{"--shard", "0/2"}, "--ledger"},
		{[]string{"--shard", "0/2", "--ledger", "l", "--outer", "3"}, "--outer"},
		{[]string{"--outer", "1"}, "--outer"},
		{[]string{"--folds", "1"}, "--folds"},
		{[]string{"--folds", "251"}, "--folds"},
		{[]string{"--trials", "0"}, "--trials"},
		{[]string{"--kernel", "precomputed"}, "precomputed"},
	} {
		args := append([]string{"tune", "-m", "svc"}, row.args...)
		r := runIn(t.Context(), "", append(args, ripley(t))...)
		if r.code != session.Usage || !strings.Contains(r.stderr, row.says) {
			t.Errorf("%v: status %d, %s, want it to say %s", row.args, r.code, r.stderr, row.says)
		}
	}
}

// TestFit chooses few vectors, and keeps to what was asked for.
func TestFit(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of trainings")
	}
	out := filepath.Join(t.TempDir(), "fit.skm")
	test := testutil.Testdata(t, "ripley.test.libsvm")
	j := answer[fitJSON](t, "fit", "--max-sv", "4", "-o", out, "--test", test, ripley(t))
	between(t, "test error", *j.TestError, 0.08, 0.115)
	between(t, "vectors", float64(j.SV), 1, 4)
	between(t, "interval of the test error", j.TestInterval.High-j.TestInterval.Low, 0.03, 0.045)
	between(t, "error of the choice", *j.ChoiceError, j.Interval.Low, j.Interval.High)
	between(t, "interval of the held-out error", j.Interval.High-j.Interval.Low, 0.06, 0.12)
	clf, err := sparsekm.Load(out)
	if err != nil || clf.NumVectors() != j.SV || clf.Parts().Method != j.Best.Method {
		t.Errorf("%v, a model of %d vectors by %s", err, clf.NumVectors(), clf.Parts().Method)
	}
	smallest, chosen, tried := 1.0, 0, j.Compared
	for len(tried) > 0 && tried[len(tried)-1].Interval == nil {
		tried = tried[:len(tried)-1] // what was left out stands last
	}
	for i, c := range tried {
		if c.Front != (c.CVError < smallest && c.Failed == "") || i > 0 && c.SV < tried[i-1].SV {
			t.Errorf("no front: %+v, %v above", c, smallest)
		}
		smallest = min(smallest, c.CVError)
		if c.Chosen {
			chosen++
			testutil.Near(t, "error of the chosen", *j.CVError, c.CVError, 0)
		}
	}
	if len(j.Compared) < 3 || chosen != 1 || j.Best.Params["c"] == 0 || j.Why == "" {
		t.Errorf("%+v", j)
	}
}

// TestFitEnded: fit ends with one status wherever the time or an interrupt came, and says how far it was.
func TestFitEnded(t *testing.T) {
	whole := modelselect.Fitted{Ended: status.Optimal, Report: &sparsekm.Report{Status: status.Optimal}, Done: 30, Planned: 30}
	c := &fitCmd{TimeLimit: time.Minute}
	for _, row := range []struct {
		what   string
		change func(f *modelselect.Fitted)
		code   int
		says   string
	}{
		{"whole", func(*modelselect.Fitted) {}, session.Done, ""},
		{"folds", func(f *modelselect.Fitted) { f.Ended, f.Done = status.TimeLimit, 12 }, session.Limit,
			"the time ended the search after 12 of 30 trainings"},
		{"first training", func(f *modelselect.Fitted) {
			f.Ended, f.Done = status.TimeLimit, 0
			f.Report = &sparsekm.Report{Status: status.TimeLimit}
		}, session.Limit, "the time ended the search after 0 of 30 trainings"},
		{"last training", func(f *modelselect.Fitted) { f.Ended = status.TimeLimit }, session.Limit,
			"the time ended the last training"},
		{"interrupt", func(f *modelselect.Fitted) { f.Ended, f.Done = status.Cancelled, 3 }, session.Limit,
			"an interrupt ended the search after 3 of 30 trainings"},
		{"iterations", func(f *modelselect.Fitted) {
			f.Ended, f.Report = status.IterationLimit, &sparsekm.Report{Status: status.IterationLimit}
		}, session.Limit, "iteration limit"},
	} {
		f := whole
		row.change(&f)
		var stderr strings.Builder
		j := &fitJSON{Search: newSearch(f.Done, f.Planned, f.Ended)}
		err := c.ended(&session.Session{Context: t.Context(), Stderr: &stderr}, &f, j)
		if code := session.StatusOf(err); code != row.code || !strings.Contains(stderr.String(), row.says) {
			t.Errorf("%s: status %d, %q", row.what, code, stderr.String())
		}
	}
}

// TestFitInterrupted: whenever an interrupt comes, there is nothing, or a model with its error and interval.
func TestFitInterrupted(t *testing.T) {
	partly := 0
	for _, looks := range []int{50, 400, 1600, 3000} {
		r := runIn(testutil.EndAfter(t.Context(), looks), "", "fit", "--json", "--threads", "1", ripley(t))
		if r.code == session.Failed && r.stdout == "" {
			continue
		}
		var j fitJSON
		if err := json.Unmarshal([]byte(r.stdout), &j); err != nil || r.code != session.Limit || j.CVError == nil ||
			j.Interval == nil || !(j.Interval.Low <= *j.ChoiceError && *j.ChoiceError <= j.Interval.High) ||
			j.Search.EndedBy != "cancelled" || !strings.Contains(r.stderr, "an interrupt ended the search") {
			t.Errorf("%d looks: status %d, %v, %s %s", looks, r.code, err, r.stdout, r.stderr)
		}
		partly++
	}
	if partly == 0 {
		t.Error("no interrupt left a model")
	}
}

// TestIntervalsSaid: people and programs get intervals over the samples, however few splits there are, and never ± 0.
func TestIntervalsSaid(t *testing.T) {
	splits := write(t, "one.splits", "0 1 2 3 4 5 130 131 132 133 134 135\n")
	text := must(t, "cv", "-m", "svc", "--splits", splits, ripley(t)).stdout
	if !strings.Contains(text, " (95 %: ") || strings.Contains(text, "±") {
		t.Error(text)
	}
	j := answer[map[string]any](t, "cv", "-m", "svc", "--splits", splits, ripley(t))
	of, _ := j["interval"].(map[string]any)
	between(t, "error", j["error"].(float64), of["low"].(float64), of["high"].(float64))
	if se, known := j["error_se"]; !known || se != nil {
		t.Errorf("a standard error of one split: %v", se)
	}
	chosen := []string{"tune", "-m", "svc", "--grid", "c=0.1,1,10", "--splits", splits, ripley(t)}
	if text = must(t, chosen...).stdout; !strings.Contains(text, "no estimate") || strings.Contains(text, "judging") {
		t.Error(text)
	}
	best, _ := answer[map[string]any](t, chosen...)["best"].(map[string]any)
	if e, said := best["choice_error"]; !said || e != nil || best["interval"] != nil {
		t.Errorf("of the one split that chose: %v, %v", e, best["interval"])
	}
	tuned := answer[tuneJSON](t, "tune", "-m", "svc", "--folds", "4", "--grid", "c=0.1,1,10", ripley(t))
	between(t, "error of the choice", tuned.Best.ChoiceError, tuned.Best.Interval.Low, tuned.Best.Interval.High)
	for _, g := range tuned.Grid {
		between(t, "error", g.CVError, g.Interval.Low, g.Interval.High)
	}
	if tuned.Search != (searchJSON{Done: 12, Of: 12}) {
		t.Errorf("%+v", tuned.Search)
	}
	model := filepath.Join(t.TempDir(), "m.skm")
	test := testutil.Testdata(t, "ripley.test.libsvm")
	text = must(t, "train", "-m", "svc", "-o", model, "--test", test, ripley(t)).stdout
	said := must(t, "predict", model, test).stderr
	for _, s := range []string{text, said} {
		if !strings.Contains(s, "95 %: ") {
			t.Error(s)
		}
	}
}

// TestFitValues: real numbers are recognised, judged by their own metrics and predicted.
func TestFitValues(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of trainings")
	}
	data, out := filepath.Join(t.TempDir(), "sinc.libsvm"), filepath.Join(t.TempDir(), "m.skm")
	must(t, "gen", "sinc", "--n", "14", "--param", "noise=0.02", "--out", data)
	r := must(t, "fit", "--max-sv", "8", "--metric", "mae", "-o", out, "--test", data, data)
	for _, want := range []string{"mae", "RMSE 0.0"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("no %q in %s", want, r.stdout)
		}
	}
	if clf, err := sparsekm.Load(out); err != nil || clf.Task() != learn.Regress || clf.NumVectors() > 8 {
		t.Errorf("%v, %v", err, clf)
	}
	for flags, want := range map[string]string{
		"--max-sv 0": "--max-sv", "--target-latency 0s": "--target-latency", "--calibrate": "integer label", "--task classify": "integer label",
		"--metric auc": "integer label",
	} {
		r := command(t, "", append([]string{"fit", data}, strings.Fields(flags)...)...)
		if r.code == 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: status %d, %s", flags, r.code, r.stderr)
		}
	}
}

// patients are rows of 12 people near one another, whose labels are drawn by person.
func patients(t *testing.T) string {
	rng := dataset.NewRand(5)
	text := "who,a,b,y\n"
	for p := range 12 {
		x, y, label := rng.NormFloat64(), rng.NormFloat64(), []string{"no", "yes"}[p%2]
		for range 8 {
			text += fmt.Sprintf("p%d,%.4f,%.4f,%s\n", p, x+0.03*rng.NormFloat64(), y+0.03*rng.NormFloat64(), label)
		}
	}
	return write(t, "patients.csv", text)
}

// TestGroup: folds that divide people know them again, and with --group they do not; cv, tune and compare agree.
func TestGroup(t *testing.T) {
	data, dir := patients(t), t.TempDir()
	kind := []string{"--method", "svc", "--gamma", "20", "--folds", "4", data}
	apart := answer[cvJSON](t, append([]string{"cv", "--drop", "who"}, kind...)...)
	group := answer[cvJSON](t, append([]string{"cv", "--group", "who", "--calibrate"}, kind...)...)
	between(t, "error with people on both sides", apart.Error, 0, 0.05)
	between(t, "error on unknown people", group.Error, 0.2, 1)
	if _, ok := group.Losses["logloss"]; !ok {
		t.Error("no log loss with probabilities")
	}
	tuned := answer[tuneJSON](t, append([]string{"tune", "--group", "who", "--metric", "logloss", "--grid", "c=1"}, kind...)...)
	testutil.Near(t, "tune's log loss", float64(tuned.Best.CVError), group.Losses["logloss"].Mean, 1e-9)
	must(t, "compare", "-m", "svc", "--group", "who", "--folds", "3", "--inner", "2", "--grid", "c=1", "--ledger",
		filepath.Join(dir, "l"), data)
	for want, args := range map[string][]string{
		"is no CSV file": {"cv", "--group", "1", ripley(t)},
		"--splits says":  {"cv", "--group", "who", "--splits", data, data},
		"12 groups":      {"cv", "--group", "who", "--folds", "13", data},
	} {
		if r := command(t, "", args...); r.code != session.Usage || !strings.Contains(r.stderr, want) {
			t.Errorf("%v: status %d, %s", args, r.code, r.stderr)
		}
	}
}

// TestFitSaysLinear: where no boundary is better than a plane, fit takes one and says so; it keeps people together, and
// fits probabilities.
func TestFitSaysLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of trainings")
	}
	rng := dataset.NewRand(5)
	text := "who,a,b,y\n"
	for i := range 60 {
		x := rng.NormFloat64()
		text += fmt.Sprintf("p%d,%.4f,%.4f,%v\n", i/2, x, rng.NormFloat64(), x+rng.NormFloat64() > 0)
	}
	data, out := write(t, "plane.csv", text), filepath.Join(t.TempDir(), "m.skm")
	r := must(t, "fit", "--time-limit", "1h", "--group", "who", "--calibrate", "--target-latency", "1ms", "-o", out, data)
	if !strings.Contains(r.stdout, "a plain linear model") {
		t.Error(r.stdout)
	}
	if clf, err := sparsekm.Load(out); err != nil || clf.Calibrated() != nil || clf.NumVectors() > 2 {
		t.Errorf("%v, probabilities: %v, %d vectors", err, clf.Calibrated(), clf.NumVectors())
	}
}

// between fails for a value outside of the bounds, and for NaN.
func between(t *testing.T, what string, v, low, high float64) {
	t.Helper()
	if !(v >= low && v <= high) {
		t.Errorf("%s is %v, want %v to %v", what, v, low, high)
	}
}

// TestCompareAndReport: runs of two methods on two sets, their table in every form, and nothing run twice.
func TestCompareAndReport(t *testing.T) {
	dir := t.TempDir()
	ledger := filepath.Join(dir, "runs.jsonl")
	args := []string{"compare", "-m", "svc,ssvc-b", "--grid", "c=1,10", "--folds", "3", "--inner", "2", "--ledger", ledger, ripley(t),
		testutil.Testdata(t, "iris.libsvm")}
	if r := must(t, args...); !strings.Contains(r.stderr, "12 runs, 12 of them new") {
		t.Error(r.stderr)
	}
	if r := must(t, args...); !strings.Contains(r.stderr, "12 runs, 0 of them new") {
		t.Error(r.stderr)
	}
	j := answer[reportJSON](t, "report", ledger)
	if len(j.Cells) != 4 || j.Baseline != "svc" {
		t.Fatalf("%+v", j)
	}
	for _, c := range j.Cells {
		if c.Splits != 3 || !(c.Mean > 0.01 && c.Mean < 0.2) || c.SV < 2 || c.Failed != "" {
			t.Errorf("%+v", c)
		}
	}
	for ending, want := range map[string][]string{
		".md":   {"| ripley | svc | ", "**", "Nadeau"},
		".csv":  {"set,setting,error", "iris,ssvc-b,"},
		".tex":  {`\begin{tabular}`, ` to `, `\textbf{`},
		".html": {"<!doctype html>", "<td>ssvc-b", "<b>"},
	} {
		name := filepath.Join(dir, "table"+ending)
		must(t, "report", "-o", name, ledger)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(string(text), w) {
				t.Errorf("%s has no %q:\n%s", ending, w, text)
			}
		}
	}
	for says, args := range map[string][]string{
		".html":       {"report", "-o", filepath.Join(dir, "table.doc"), ledger},
		"no runs of":  {"report", "--baseline", "knn", ledger},
		"--method":    {"compare", "-m", "svc,nosuch", "--ledger", ledger, ripley(t)},
		"NAME=VALUES": {"compare", "-m", "svc", "--grid", "c", "--ledger", ledger, ripley(t)},
	} {
		if r := command(t, "", args...); r.code != session.Usage || !strings.Contains(r.stderr, says) {
			t.Errorf("%v: status %d, %s", args, r.code, r.stderr)
		}
	}
	if r := command(t, "", "report", ripley(t)); r.code != session.Failed || !strings.Contains(r.stderr,
		"ripley.train.libsvm:1:") {
		t.Errorf("status %d, %s", r.code, r.stderr)
	}
}
