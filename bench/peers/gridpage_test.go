package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestGridPage compares the cells that docs/performance/grid.md sums up with those of docs/results.
func TestGridPage(t *testing.T) {
	docs := filepath.Join(testutil.Root(t), "docs")
	file, err := os.ReadFile(filepath.Join(docs, "results", "grid.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(docs, "performance", "grid.md"))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(file)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	var again bytes.Buffer
	summariseFailed(&again, rows[1:])
	if !strings.HasPrefix(string(page), gridIntroduction) ||
		!strings.HasSuffix(string(page), again.String()+"[These cells](../results/grid.tsv)\n") {
		t.Errorf("the page has\n%s\nof its rows the command makes\n%s", page, again.String())
	}
}

// TestGridFiles writes the page of a good cell and of one that was cancelled.
func TestGridFiles(t *testing.T) {
	docs := t.TempDir()
	for _, folder := range []string{"results", "performance"} {
		if err := os.Mkdir(filepath.Join(docs, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	violation := 0.5
	cells := []cell{{Set: "german", Factor: 1, C: 1, Method: "svc", Status: "optimal", Seconds: 0.1},
		{Set: "german", Factor: 10, C: 1000, Method: "pfsals", Status: "cancelled", Message: "late", Seconds: 10,
			Violation: &violation}}
	if err := writeGrid(docs, cells); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		filepath.Join("results", "grid.tsv"):    "pfsals\tgerman\t10\t1000\tcancelled: late\t10000\t\t5e-01\t\t0\t0.0 %\n",
		filepath.Join("performance", "grid.md"): "| pfsals | cancelled | 1 | 1 | 1000 | 5e-01 |  |\n\n[These",
	} {
		if text, err := os.ReadFile(filepath.Join(docs, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, no %q in\n%s", name, err, want, text)
		}
	}
}
