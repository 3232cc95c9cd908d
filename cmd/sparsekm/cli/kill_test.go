package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sparsekm/sparsekm/dataset"
)

// argsOfChild has the arguments of a command that a process of this test binary is to be.
const argsOfChild = "SPARSEKM_TEST_ARGS"

// TestChild is the command in a process of its own, for TestKilled.
func TestChild(t *testing.T) {
	args := os.Getenv(argsOfChild)
	if args == "" {
		t.Skip("no arguments")
	}
	os.Exit(run(context.Background(), strings.Split(args, "\n"), strings.NewReader(""), os.Stdout, os.Stderr))
}

// TestKilled kills a search 25 times at random moments: the table is that of an undisturbed one, and the ledger has
// every run once.
func TestKilled(t *testing.T) {
	t.Parallel() // processes of their own
	if testing.Short() {
		t.Skip("25 processes")
	}
	const kills, settings, splits = 25, 8, 40
	ledger := filepath.Join(t.TempDir(), "runs.jsonl")
	args := []string{"tune", "-m", "svc", "--grid", "c=0.1,1,10,100", "--grid", "gamma=1,10", "--folds", "4", "--repeat", "10",
		"--threads", "2", ripley(t)}
	want := answer[tuneJSON](t, args...)
	args = append(args, "--ledger", ledger)
	rng := dataset.NewRand(uint64(time.Now().UnixNano()))
	size := func() int64 {
		info, err := os.Stat(ledger)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	cut := 0
	for range kills {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$")
		child.Env = append(os.Environ(), argsOfChild+"="+strings.Join(args, "\n"))
		start, more := size(), int64(rng.IntN(1600)) // bytes, of some 280 a run
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		for begin := time.Now(); size() <= start+more && time.Since(begin) < time.Second; {
			time.Sleep(time.Duration(rng.IntN(300)) * time.Microsecond)
		}
		_ = child.Process.Kill()
		_ = child.Wait()
		text, err := os.ReadFile(ledger)
		if err == nil && len(text) > 0 && text[len(text)-1] != '\n' {
			cut++
		}
		if runs := bytes.Count(text, []byte("\n")); runs == settings*splits {
			t.Skip("the search was done before it was killed 25 times") // a very fast host
		}
	}
	got := answer[tuneJSON](t, args...)
	want.Best, got.Best = nil, nil
	same := []cmp.Option{cmp.AllowUnexported(scored{}), cmpopts.IgnoreFields(scored{}, "Seconds"),
		cmp.AllowUnexported(tuneJSON{})}
	if d := cmp.Diff(want, got, same...); d != "" {
		t.Error(d)
	}
	text, err := os.ReadFile(ledger)
	if err != nil {
		t.Fatal(err)
	}
	keys := make(map[string]int)
	for line := range strings.Lines(string(text)) {
		var r struct{ Key string }
		if err = json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		keys[r.Key]++
	}
	if n := strings.Count(string(text), "\n"); n != settings*splits || len(keys) != n {
		t.Errorf("%d runs of %d keys, want %d", n, len(keys), settings*splits)
	}
	t.Logf("%d lines were cut", cut)
}
