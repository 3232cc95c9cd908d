package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestPage: the page is what the tables say.
func TestPage(t *testing.T) {
	docs := filepath.Join(testutil.Root(t), "docs")
	var made bytes.Buffer
	if err := page(&made, &tables{docs: docs, known: make(map[string]*table)}); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(docs, "performance", "claims.md"))
	if err != nil {
		t.Fatal(err)
	}
	if made.String() != string(want) {
		t.Error("docs/performance/claims.md is not what `go run ./bench/claims` writes")
	}
	if n := len(claims()); n < 20 {
		t.Errorf("%d claims", n)
	}
}

// TestVerdicts: tests of means, and what counts make of a claim.
func TestVerdicts(t *testing.T) {
	a, b := figure{10, 1}, figure{11, 1}
	if different(a, b, 4) || !different(a, b, 10) || !less(a, b, 10) || less(b, a, 10) || !more(b, a, 10) {
		t.Error("a difference of one standard deviation: t is 1.41 for 4 folds and 2.24 for 10")
	}
	if different(figure{1, 0}, figure{1, 0}, 10) || !different(figure{1, 0}, figure{2, 0}, 10) {
		t.Error("figures without a deviation")
	}
	if all(3, 3) != holds || all(2, 3) != partly || all(1, 3) != not {
		t.Error("something that should be so everywhere")
	}
	if never(0, 4) != holds || never(1, 36) != holds || never(2, 4) != partly || never(3, 4) != not {
		t.Error("something that should be so nowhere")
	}
}

// TestMissing: a row or a column that is not there is an error that names it, and so is a table.
func TestMissing(t *testing.T) {
	given := &table{columns: []string{"data", "method", "error"}, rows: [][]string{{"a", "svc", "1.5 ± 0.5"}, {"a", "skm", "x"}}}
	if f := given.at("error", "a", "svc"); f != (figure{1.5, 0.5}) || given.missing != "" {
		t.Errorf("%v, missing %q", f, given.missing)
	}
	if given.at("error", "b", "svc"); given.missing != "error of b, svc" {
		t.Errorf("missing %q", given.missing)
	}
	given.missing = ""
	if given.at("error", "a", "skm"); given.missing == "" {
		t.Error("a cell that is no number counts")
	}
	err := page(new(bytes.Buffer), &tables{docs: t.TempDir(), known: make(map[string]*table)})
	if err == nil || !strings.Contains(err.Error(), "papers.md") {
		t.Errorf("%v", err)
	}
}
