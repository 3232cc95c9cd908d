package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestRivalsPage makes a page of made-up runs: what is within the bytes, who is near the best, and who is absent.
func TestRivalsPage(t *testing.T) {
	var runs []*rivalRun
	add := func(table string, values bool, rival string, limit, bytes int, loss float64) {
		for split := range 2 {
			runs = append(runs, &rivalRun{Table: table, Split: split, Values: values, Rival: rival, Limit: limit, Bytes: bytes,
				Loss: loss + 0.001*float64(2*split-1)})
		}
	}
	add("a", false, ownFit, 0, 1500, 0.10)
	add("a", false, ownDirect, 1024, 1000, 0.14)
	add("a", false, ownDirect, 2048, 2000, 0.13)
	add("b", true, ownDirect, 1024, 800, 0.501)
	add("a", false, "tree", 1024, 900, 0.104)
	add("a", false, "linear", 0, 1100, 0.20)
	add("a", false, rivalDefault, 0, 30000, 0.12)
	add("b", true, ownFit, 0, 500, 0.502)
	add("b", true, "tree", 1024, 900, 0.5)
	add("b", true, "tree", 2048, 1900, 0.4)
	add("b", true, rivalDefault, 0, 5000, 0.4)
	page, rows := rivalsPage(runs)
	for _, want := range []string{
		"ours is best or near the best on 1, 0, 0 of 2 tables", "`fit` is best or near the best on 1, 1, 1 of 2 tables",
		"`fit` errs on 10.00 % on average, default LightGBM on 12.00 %.",
		"Its RMSEs of values are 50.2 % on average, those of LightGBM 40.0 %.",
		"On the worst table, b, it is 10.2 pp above. Its C is 15 times smaller in the median.",
		"| tree | 10.40 | 50.0 | 2 of 2 | 1.00 | 0 |",
		"| ours | 14.00 | 50.1 | 1 of 2 | 2.00 | 0 |", // 1 kB: 501 is within 1 % of 500
		"| linear |  |  | 0 of 2 | 5.00 | 2 |",        // 1 kB: last of those without a model
		"| ours | 13.00 | 50.1 | 0 of 2 | 2.00 | 0 |", // 2 kB
		"| linear | 20.00 |  | 0 of 2 | 4.00 | 1 |",   // 2 kB: third of a, among the last of b
		"on 1 tables, farthest on a (tree, 3.6).\n", "on 2 tables, farthest on b (tree, 10.1), a (tree, 2.6).\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	for _, want := range []string{"a\t2\t10.0 / 1500\t12.0 / 30000\t", "\ttree, 3.6\ttree, 2.6\ttree, 2.6\n", "\t\ttree, 10.1\ttree, 10.1\n"} {
		if !strings.Contains(rows, want) {
			t.Errorf("no %q in\n%s", want, rows)
		}
	}
}

// TestRivalsRows compares the tables on which ours is not near the best, as docs/performance/rivals.md has them, with
// the rows of docs/results.
func TestRivalsRows(t *testing.T) {
	read := func(name ...string) string {
		text, err := os.ReadFile(filepath.Join(append([]string{testutil.Root(t), "docs"}, name...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page := read("performance", "rivals.md")
	rows := strings.Split(strings.TrimSpace(read("results", "rivals.tsv")), "\n")[1:]
	for k, limit := range byteLimits {
		var all []loss
		for _, row := range rows {
			cells := strings.Split(row, "\t")
			if best, above, ok := strings.Cut(cells[len(cells)-len(byteLimits)+k], ", "); ok {
				far, _ := strconv.ParseFloat(above, 64)
				all = append(all, loss{strings.TrimSuffix(cells[0], " (values)"), best, far})
			}
		}
		if want := lostText(all); !strings.Contains(page, fmt.Sprintf("## Within %d kB\n", limit/1024)) ||
			!strings.Contains(page, want) {
			t.Errorf("the page does not say of %d kB: %s", limit/1024, want)
		}
	}
}

func TestRivalRanks(t *testing.T) {
	if got := ranks([]float64{2, math.NaN(), 1, 2, math.NaN()}); !slices.Equal(got, []float64{2.5, 4.5, 1, 2.5, 4.5}) {
		t.Errorf("ranks %v", got)
	}
}

// TestRivalSplit: disjoint parts, classes in proportion, no category that the training part lacks, and bounds.
func TestRivalSplit(t *testing.T) {
	table := &rivalTable{header: []string{"x", "c", "target"}, category: []bool{false, true}}
	for i := range 200 {
		level := "usual"
		if i%25 == 3 {
			level = fmt.Sprint("rare ", i) // of this row alone
		}
		table.rows = append(table.rows, []string{fmt.Sprint(i), level, map[bool]string{true: "few", false: "many"}[i%10 == 0]})
	}
	for _, largest := range []int{50, 3000} {
		train, test := table.split(1, largest)
		if n := min(largest, 140); len(train) < n || len(train) > n+8 || len(train)+len(test) != 200 {
			t.Errorf("%d rows to train on and %d to test, at most %d", len(train), len(test), largest)
		}
		all := slices.Sorted(slices.Values(slices.Concat(train, test)))
		if len(slices.Compact(all)) != 200 {
			t.Error("a row is in both parts")
		}
		for _, i := range test {
			if table.rows[i][1] != "usual" {
				t.Errorf("row %d to test has a category that none to train on has", i)
			}
		}
		rare := 0
		for _, i := range train {
			if table.target(i) == "few" {
				rare++
			}
		}
		testutil.Near(t, "share of the small class", float64(rare)/float64(len(train)), 0.1, 0.02)
	}
	again, _ := table.split(1, 50)
	other, _ := table.split(2, 50)
	if first, _ := table.split(1, 50); !slices.Equal(first, again) || slices.Equal(first, other) {
		t.Error("a seed is a split")
	}
}
