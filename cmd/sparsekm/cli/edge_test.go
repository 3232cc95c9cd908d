package cli

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// tinyFile has two classes of small features, for whose linear models the usual C are far too small.
func tinyFile(t *testing.T) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 3))
	var b strings.Builder
	for i := range 150 {
		x, y := rng.NormFloat64(), rng.NormFloat64()
		label := 1
		if i%3 == 0 {
			label = -1
			x += 3
		}
		fmt.Fprintf(&b, "%d 1:%g 2:%g\n", label, 1e-3*x, 1e-3*y)
	}
	return write(t, "tiny.libsvm", b.String())
}

func tuneTiny(file string, more ...string) []string {
	return append([]string{"tune", "-m", "svc", "--kernel", "linear", "--scale", "none", "--folds", "3", "--prefer-sparse",
		"no", file}, more...)
}

const (
	atEnd   = "is at the end of its grid"
	largerC = "larger c may be better (--grid c=...)"
)

// TestGridGrows: a grid of the command's own goes on beyond an end at which its choice lies, whatever the search, and
// the choice there is better (rMVPA, issue 87: the usual values end at 100, the best is 10,000).
func TestGridGrows(t *testing.T) {
	file := tinyFile(t)
	for name, more := range map[string][]string{"grid": nil, "random": {"--search", "random", "--trials", "4"},
		"halving": {"--search", "halving"}} {
		j := answer[tuneJSON](t, tuneTiny(file, more...)...)
		if c := j.Best.Params["c"]; c <= 1000 || j.Best.CVError > 0.1 {
			t.Errorf("%s: C = %v, error %v", name, c, j.Best.CVError)
		}
		for _, g := range j.Grid {
			if g.Params["c"] <= 1000 && g.CVError <= j.Best.CVError {
				t.Errorf("%s: C = %v errs no more than the choice", name, g.Params["c"])
			}
		}
	}
}

// TestGridAsked: a grid that was asked for stays as it is. A choice at its end says once where better values may be,
// and names the other axes, which another grid varies too (caret, issue 892; scikit-learn, issue 16398).
func TestGridAsked(t *testing.T) {
	file := tinyFile(t)
	r := must(t, tuneTiny(file, "--grid", "c=100,1000,10000", "--json")...)
	if strings.Count(r.stderr, atEnd) != 1 || !strings.Contains(r.stderr, "the choice c=10000 "+atEnd+": "+largerC) {
		t.Error(r.stderr)
	}
	if !strings.Contains(r.stdout, `"edges":[{"name":"c","value":10000,"least":false}]`) || strings.Count(r.stdout,
		`"name":"svc `) != 4 {
		t.Error(r.stdout)
	}
	r = must(t, "tune", "-m", "svc", "--folds", "3", "--grid", "c=1e-3,1", "--grid", "gamma=0.1,1,10,100", ripley(t))
	want := "c=1 " + atEnd + ": larger c may be better (--grid c=... --grid gamma=...)"
	if !strings.Contains(r.stderr, want) {
		t.Errorf("%s, want %s", r.stderr, want)
	}
	r = must(t, tuneTiny(file, "--grid", "c=1000")...)
	if strings.Contains(r.stderr, atEnd) {
		t.Error("one value is no grid:", r.stderr)
	}
}

// TestGridGrowsInLedger: a search that grows goes on from a ledger, from one of shards too.
func TestGridGrowsInLedger(t *testing.T) {
	file, dir := tinyFile(t), t.TempDir()
	whole, parts := filepath.Join(dir, "whole"), filepath.Join(dir, "parts")
	want := answer[tuneJSON](t, tuneTiny(file, "--ledger", whole)...)
	before := readFile(t, whole)
	again := answer[tuneJSON](t, tuneTiny(file, "--ledger", whole)...)
	if d := cmp.Diff(want.Best, again.Best, cmp.AllowUnexported(gridBest{}, scored{})); d != "" {
		t.Error(d)
	}
	if n := strings.Count(before, "\n"); n != 3*9 || before != readFile(t, whole) {
		t.Errorf("%d runs, want 27; the same after another search: %v", n, before == readFile(t, whole))
	}
	for i := range 2 {
		r := must(t, tuneTiny(file, "--ledger", parts, "--shard", fmt.Sprintf("%d/2", i))...)
		if strings.Contains(r.stderr, atEnd) {
			t.Error(r.stderr)
		}
	}
	if n := strings.Count(readFile(t, parts), "\n"); n != 3*5 {
		t.Errorf("%d runs of shards, want 15", n)
	}
	joined := answer[tuneJSON](t, tuneTiny(file, "--ledger", parts)...)
	if d := cmp.Diff(want.Best, joined.Best, cmp.AllowUnexported(gridBest{}, scored{}),
		cmpopts.IgnoreFields(scored{}, "Seconds")); d != "" {
		t.Error(d)
	}
}

// TestNestedGrows: searches within splits grow as well, and say in how many the choice stays at an end.
func TestNestedGrows(t *testing.T) {
	file, ledger := tinyFile(t), filepath.Join(t.TempDir(), "runs")
	own := answer[tuneJSON](t, tuneTiny(file, "--outer", "3")...)
	if own.Outer == nil || own.Outer.Error > 0.12 {
		t.Errorf("%+v", own.Outer)
	}
	asked := must(t, tuneTiny(file, "--outer", "3", "--grid", "c=1,10", "--json")...)
	if !strings.Contains(asked.stderr, "--outer: in 3 of 3 splits the choice "+atEnd+": ") ||
		!strings.Contains(asked.stdout, `"edges":3`) {
		t.Error(asked.stderr, asked.stdout)
	}
	r := must(t, "compare", "-m", "svc,nu-svc", "--scale", "none", "--folds", "3", "--inner", "3", "--ledger", ledger,
		"--grid", "gamma=1,10", file)
	for _, method := range []string{"svc", "nu-svc"} {
		if !strings.Contains(r.stderr, "sparsekm: "+method+": in ") {
			t.Errorf("%s: %s", method, r.stderr)
		}
	}
	if runs := readFile(t, ledger); strings.Count(runs, `"edges":[{"name":"gamma"`) == 0 {
		t.Error(runs)
	}
}
