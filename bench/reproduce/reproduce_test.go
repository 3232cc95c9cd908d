package main

import (
	"bytes"

	"github.com/sparsekm/sparsekm/dataset"

	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/bench/internal/papers"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// result is what a run of the command left behind.
type result struct {
	code           int
	stdout, stderr string
}

// runIn runs the command in this process.
func runIn(ctx context.Context, args ...string) result {
	var out, err bytes.Buffer
	code := run(ctx, args, session.Streams{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err})
	return result{code, out.String(), err.String()}
}

// must fails the test unless the command did its work.
func must(t *testing.T, args ...string) result {
	t.Helper()
	r := runIn(t.Context(), args...)
	if r.code != session.Done {
		t.Fatalf("reproduce %s: exit status %d, standard error:\n%s", strings.Join(args, " "), r.code, r.stderr)
	}
	return r
}

// write puts text into a file of the test's own.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Without a name the command lists every table, and the data with where they are and their checksums.
func TestReproduceList(t *testing.T) {
	text := must(t).stdout
	for _, want := range append(papers.Names(), "ripley.train.libsvm: ", "german.libsvm: not there",
		"twonorm.libsvm: not there: drawn",
		"76261a8f36e042c592363528be87aa4727ffb04f9173365cd0807c8adf4bd680", "Statlog heart") {
		if !strings.Contains(text, want) {
			t.Errorf("nothing like %q in\n%s", want, text)
		}
	}
	var j struct{ Tables []reproducedJSON }
	err := json.Unmarshal([]byte(must(t, "--json").stdout), &j)
	if err != nil || len(j.Tables) != len(papers.All()) {
		t.Fatalf("%d tables, %v", len(j.Tables), err)
	}
	for _, table := range j.Tables {
		if table.Name != "huang-fig3" {
			continue
		}
		if len(table.Data) != 2 || !strings.HasSuffix(table.Data[0].Path, "ripley.train.libsvm") {
			t.Errorf("%+v", table.Data)
		}
	}
}

// --numbers writes what docs/results has, from a copy of the folder and of the page, and its sums.
func TestReproduceNumbers(t *testing.T) {
	docs, folder := filepath.Join(testutil.Root(t), "docs"), t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(docs, "results"))); err != nil {
		t.Fatal(err)
	}
	recorded, err := os.ReadFile(filepath.Join(docs, "performance", "papers.md"))
	if err != nil {
		t.Fatal(err)
	}
	page, file := write(t, "papers.md", string(recorded)), filepath.Join(folder, "numbers.tsv")
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := must(t, "--numbers", file, "--page", page, "--json")
	var j struct{ Numbers []papers.Number }
	if err = json.Unmarshal([]byte(r.stdout), &j); err != nil || len(j.Numbers) != bytes.Count(want, []byte("\n"))-1 {
		t.Errorf("%d numbers, %v", len(j.Numbers), err)
	}
	for name, text := range map[string][]byte{file: want, page: recorded} {
		if got, failed := os.ReadFile(name); failed != nil || !bytes.Equal(got, text) {
			t.Errorf("%s is another one; %v", name, failed)
		}
	}
	for _, wrong := range [][]string{{"huang-fig2", "--numbers", file}, {"--quick", "--numbers", file}} {
		if r = runIn(t.Context(), wrong...); r.code != session.Usage {
			t.Errorf("%v: exit status %d", wrong, r.code)
		}
	}
}

// A table is printed, and written as Markdown, tab-separated values and pictures, and between its marks of a page.
func TestReproduce(t *testing.T) {
	out := filepath.Join(t.TempDir(), "new", "out")
	page := write(t, "page.md", "before\n<!--huang-fig2-->\n<!--/huang-fig2-->\nafter\n")
	const row = "| ssvc-a | 2 | 2 | 0 |"
	printed := must(t, "huang-fig2", "-o", out, "--page", page).stdout
	for name, wants := range map[string][]string{
		filepath.Join(out, "huang-fig2.md"):       {row, "](huang-fig2.svg)", "variance 1/2"},
		filepath.Join(out, "huang-fig2.tsv"):      {"method\tvectors, paper", "ssvc-a\t2\t2\t0"},
		filepath.Join(out, "huang-fig2.svg"):      {"ssvc-a keeps 2 of 40", "#000000"},
		filepath.Join(out, "huang-fig2-dark.svg"): {"ssvc-a keeps 2 of 40", "#E0E0E0"},
		page: {"before\n<!--huang-fig2-->\n### Fig. 2", row, "](", "/out/huang-fig2.svg)", "<!--/huang-fig2-->\nafter\n"},
	} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: nothing like %q in %d bytes", name, want, len(text))
			}
		}
	}
	if !strings.Contains(printed, row) {
		t.Errorf("printed\n%s", printed)
	}
	var j struct{ Tables []reproducedJSON }
	r := must(t, "--json", "huang-fig4", "-o", out)
	if err := json.Unmarshal([]byte(r.stdout), &j); err != nil || len(j.Tables) != 1 || len(j.Tables[0].Rows) != 2 {
		t.Fatalf("%s, %v", r.stdout, err)
	}
	svg, err := os.ReadFile(filepath.Join(out, "huang-fig4.svg"))
	if err != nil || !strings.Contains(string(svg), ">rounds<") || !strings.Contains(string(svg), ">ssvc-b<") {
		t.Errorf("%d bytes, %v", len(svg), err)
	}
}

func TestReproduceRefuses(t *testing.T) {
	for says, args := range map[string][]string{
		"no table \"huang-fig9\"": {"huang-fig9"},
		"--quick: no table":       {"--quick"},
		"--threads: found":        {"huang-fig2", "--threads", "-1"},
		"huang-fig5 needs --out":  {"huang-fig5", "--page", "page.md"},
	} {
		if r := runIn(t.Context(), args...); r.code != session.Usage || !strings.Contains(r.stderr, says) {
			t.Errorf("%v: status %d, %s", args, r.code, r.stderr)
		}
	}
	page := write(t, "page.md", "no marks\n")
	r := runIn(t.Context(), "huang-fig2", "--page", page)
	if r.code != session.Failed || !strings.Contains(r.stderr, "no lines") {
		t.Errorf("a page without marks: status %d, %s", r.code, r.stderr)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	r = runIn(stopped, "huang-fig2", "--page", page)
	if r.code != session.Failed || !strings.Contains(r.stderr, "interrupted") {
		t.Errorf("stopped: status %d, %s", r.code, r.stderr)
	}
}

// What a stopped search has run, the next one need not.
func TestReproduceGoesOn(t *testing.T) {
	t.Chdir(t.TempDir()) // where no folder testdata is near
	out, data := t.TempDir(), t.TempDir()
	for _, name := range []string{"waveform-1000.libsvm", "ringnorm-1000.libsvm"} {
		var samples bytes.Buffer
		if err := dataset.TwoGaussians(40, 0.5, 0.25, 2, 1).WriteLIBSVM(&samples); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(data, name), samples.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"huang-table2", "--quick", "--data", data, "-o", out}
	first := runIn(t.Context(), append(args, "--time-limit", "100ms")...)
	if first.code != session.Limit && first.code != session.Failed && first.code != session.Done {
		t.Fatalf("status %d, %s", first.code, first.stderr)
	}
	must(t, args...)
	before, err := os.ReadFile(filepath.Join(out, "runs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	again := must(t, args...).stdout
	after, err := os.ReadFile(filepath.Join(out, "runs.jsonl"))
	if err != nil || len(before) == 0 || string(before) != string(after) {
		t.Errorf("the ledger had %d bytes, has %d, %v", len(before), len(after), err)
	}
	fresh := must(t, "huang-table2", "--quick", "--data", data, "-o", t.TempDir(), "--threads", "1").stdout
	if again != fresh {
		t.Errorf("with the ledger\n%s\nwithout\n%s", again, fresh)
	}
}
