package house

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestResults wants every file of rows in docs/results to have equally many cells a row, and a page that links to it.
func TestResults(t *testing.T) {
	docs := filepath.Join(testutil.Root(t), "docs")
	files, err := filepath.Glob(filepath.Join(docs, "results", "*.tsv"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	pages, err := filepath.Glob(filepath.Join(docs, "performance", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var links strings.Builder
	for _, page := range pages {
		text, failed := os.ReadFile(page)
		if failed != nil {
			t.Fatal(failed)
		}
		links.Write(text)
	}
	for _, file := range files {
		name := filepath.Base(file)
		text, failed := os.ReadFile(file)
		if failed != nil {
			t.Fatal(failed)
		}
		if !strings.Contains(links.String(), "](../results/"+name+")") {
			t.Errorf("no page of docs/performance links to docs/results/%s", name)
		}
		rows := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		for i, row := range rows {
			if strings.Count(row, "\t") != strings.Count(rows[0], "\t") {
				t.Errorf("docs/results/%s:%d: %d cells, the first row has %d", name, i+1, strings.Count(row, "\t")+1,
					strings.Count(rows[0], "\t")+1)
			}
		}
	}
}
