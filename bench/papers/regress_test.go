package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

var update = flag.Bool("update", false, "write the page again of its rows")

// TestRegressPage makes docs/performance/regress.md of its rows in docs/results.
func TestRegressPage(t *testing.T) {
	read := func(name ...string) string {
		text, err := os.ReadFile(filepath.Join(append([]string{testutil.Root(t), "docs"}, name...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	was := read("results", "regress.tsv")
	page, file, err := regressPage(regressRows(was))
	if err != nil {
		t.Fatal(err)
	}
	if file != was {
		t.Error("docs/results/regress.tsv has other columns")
	}
	now := read("performance", "regress.md")
	if !strings.HasSuffix(now, page) {
		t.Errorf("the page has\n%s\nof its rows the command makes\n%s", now, page)
	}
	if head, _, ok := strings.Cut(now, "\n\nEvery method"); ok && *update {
		file := filepath.Join(testutil.Root(t), "docs", "performance", "regress.md")
		if err = os.WriteFile(file, []byte(head+"\n"+page), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
