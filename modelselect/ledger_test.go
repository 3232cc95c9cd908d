package modelselect

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	sharedRuns = 60
	writerEnv  = "SPARSEKM_TEST_LEDGER" // the ledger, and the name of the process that writes to it
)

// sharedRun is a run that names the process that made it.
func sharedRun(key int, writer string) *Run {
	return &Run{Setting: writer, Key: fmt.Sprintf("%032x", key), Tested: 10, Errors: 1, Losses: map[string]float64{"error": 0.1},
		Status: "optimal", Failed: strings.Repeat("x", 300)}
}

// TestLedgerWriter is a process of TestSharedLedger. It prints the keys of the lines that it wrote.
func TestLedgerWriter(t *testing.T) {
	name, writer, ok := strings.Cut(os.Getenv(writerEnv), "|")
	if !ok {
		t.Skip("no process of TestSharedLedger")
	}
	l, err := OpenLedger(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range rand.Perm(sharedRuns) {
		r := sharedRun(key, writer)
		if l.find(r.Key) == nil {
			if err := l.add(r); err != nil {
				t.Fatal(err)
			}
			if l.find(r.Key).Setting == writer {
				fmt.Fprintln(os.Stdout, "wrote", r.Key, writer)
			}
		}
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
	}
}

// TestSharedLedger kills processes that share a ledger, and starts others: no line is lost, broken or doubled.
func TestSharedLedger(t *testing.T) {
	kills := 30
	if testing.Short() {
		kills = 8
	}
	for _, processes := range []int{3, 8} {
		t.Run(fmt.Sprint(processes), func(t *testing.T) { share(t, processes, kills) })
	}
}

func share(t *testing.T, processes, kills int) {
	name := filepath.Join(t.TempDir(), "ledger")
	said, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	started := 0
	start := func() *exec.Cmd {
		started++
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLedgerWriter$")
		c.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%d", writerEnv, name, started))
		c.Stdout, c.Stderr = said, said
		if err := c.Start(); err != nil {
			t.Skipf("the test cannot start itself: %v", err)
		}
		return c
	}
	all := make([]*exec.Cmd, processes)
	for i := range all {
		all[i] = start()
	}
	for range kills {
		time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
		i := rand.IntN(processes)
		_ = all[i].Process.Kill() // which fails after the end
		_ = all[i].Wait()
		all[i] = start()
	}
	for _, c := range all {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	checkShared(t, name, said.Name())
}

// checkShared wants each run once, by the process that says so.
func checkShared(t *testing.T, name, said string) {
	t.Helper()
	words, err := os.ReadFile(said)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := ReadRuns(bytes.NewReader(text), name)
	if err != nil || len(runs) != sharedRuns || bytes.Count(text, []byte{'\n'}) != sharedRuns || !bytes.HasSuffix(text, []byte{'\n'}) {
		t.Errorf("%d runs in %d lines, want %d: %v\n%s", len(runs), bytes.Count(text, []byte{'\n'}), sharedRuns, err, words)
	}
	writer := make(map[string]string)
	for _, r := range runs {
		writer[r.Key] = r.Setting
	}
	for line := range strings.Lines(string(words)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "wrote" && writer[f[1]] != f[2] {
			t.Errorf("process %s wrote run %s, and the ledger has that of %q", f[2], f[1], writer[f[1]])
		}
	}
}

// TestLedgersOfOneFile: each sees the lines of the other, cuts off a line without an end, and writes no key twice.
func TestLedgersOfOneFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "ledger")
	var l [2]*Ledger
	for i := range l {
		var err error
		if l[i], err = OpenLedger(name); err != nil {
			t.Fatal(err)
		}
		defer l[i].Close()
	}
	if err := l[0].add(sharedRun(1, "a")); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"setting":"killed`)
	f.Close()
	for key, writer := range map[int]string{1: "b", 2: "b"} {
		if err := l[1].add(sharedRun(key, writer)); err != nil {
			t.Fatal(err)
		}
	}
	if r := l[0].find(sharedRun(2, "").Key); r == nil || r.Setting != "b" {
		t.Errorf("the first does not see the second's run: %v", r)
	}
	if r := l[1].find(sharedRun(1, "").Key); r.Setting != "a" {
		t.Errorf("run 1 is by %s, want a", r.Setting)
	}
	if text, err := os.ReadFile(name); err != nil || bytes.Count(text, []byte{'\n'}) != 2 || bytes.Contains(text, []byte("killed")) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestLedgerNonsense refuses numbers that no run has, by file and line.
func TestLedgerNonsense(t *testing.T) {
	const good = `{"key":"a","points":4,"errors":1,"losses":{"error":0.25,"loglik":-3,"newer":-1}}` + "\n"
	for text, want := range map[string]string{
		`{"key":"b","samples":4,"errors":-1}`:                        `f:2: found "errors" of -1, want 0 or more`,
		`{"key":"b","samples":4,"errors":5}`:                         "f:2: found 5 errors of 4 samples, want 0 to as many",
		`{"key":"b","samples":-4}`:                                   `f:2: found "samples" of -4`,
		`{"key":"b","sv":-1}`:                                        `f:2: found "sv" of -1`,
		`{"key":"b","losses":{"error":NaN}}`:                         "f:2: found \"{",
		`{"key":"b","losses":{"error":1e999}}`:                       "f:2: found \"{",
		`{"key":"b","losses":{"error":-0.5}}`:                        `f:2: found the loss "error" of -0.5`,
		`{"key":"b","losses":{"auc":1.5}}`:                           `f:2: found the loss "auc" of 1.5`,
		`{"key":"b","losses":{"rmse":-2}}`:                           `f:2: found the loss "rmse" of -2`,
		`{"key":"b","seconds":{"train":-1}}`:                         "f:2: found -1 seconds",
		`{"key":"b","fitted":-0.5}`:                                  `f:2: found "fitted" of -0.5`,
		`{"key":"b","search":{"trainings":2,"limited":3}}`:           "f:2: found 3 limited of 2 trainings",
		`{"key":"b","samples":4` + "\n" + `{"key":"c","samples":4}`:  "f:2: found",
		`{"losses":{"rmse":2}}`:                                      "want a run as a JSON object with a key",
		`{"key":"b","losses":{"rmse":3,"mae":2,"r2":7,"logloss":9}}`: "",
	} {
		_, err := ReadRuns(strings.NewReader(good+text+"\n"), "f")
		if err == nil != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestLedgerTail refuses text that no run begins with, even without an end of line, and leaves it.
func TestLedgerTail(t *testing.T) {
	name := filepath.Join(t.TempDir(), "letter.txt")
	if err := os.WriteFile(name, []byte("Good morning"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLedger(name); err == nil ||
		!strings.Contains(err.Error(), `letter.txt:1: found "Good morning", want a run`) {
		t.Errorf("error %v", err)
	}
	if now, err := os.ReadFile(name); err != nil || string(now) != "Good morning" {
		t.Errorf("%q is left, %v", now, err)
	}
}
