package papers

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestNumbers holds docs/results/numbers.tsv and its sums on the page against the tables that are recorded.
func TestNumbers(t *testing.T) {
	folder := filepath.Join(testutil.Root(t), "docs", "results")
	all, err := Numbers(page(t), folder)
	if err != nil {
		t.Fatal(err)
	}
	var made, sums bytes.Buffer
	if err = WriteNumbers(&made, all); err != nil {
		t.Fatal(err)
	}
	if err = WriteSums(&sums, all); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "numbers.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	const command = "go run ./bench/reproduce --numbers docs/results/numbers.tsv --page docs/performance/papers.md"
	if made.String() != string(text) {
		was, now, _ := differ(string(text), made.String())
		t.Errorf("docs/results/numbers.tsv has\n%s\nwhere the tables give\n%s\nrun %s", was, now, command)
	}
	if section, ok := Section(page(t), "numbers"); !ok || section != "\n"+sums.String() {
		t.Errorf("the page has the sums\n%s\nwant\n%s\nrun %s", section, sums.String(), command)
	}
}

// Every cell of the papers' tables, as typed again for the other tests, is one number.
func TestNumbersAreAll(t *testing.T) {
	all, err := Numbers(page(t), filepath.Join(testutil.Root(t), "docs", "results"))
	if err != nil {
		t.Fatal(err)
	}
	count := make(map[string]int)
	for _, n := range all {
		name, _, _ := strings.Cut(n.Paper, " ")
		count[name+" "+n.Table]++
		if n.Printed == "" || n.Verdict == "" || (n.Verdict == without) != (n.Ours == "") {
			t.Errorf("%+v", n)
		}
	}
	cells := func(table string, skip int) (sum int) {
		for _, row := range linesOf(table) {
			sum += len(row) - skip
		}
		return sum
	}
	for name, want := range map[string]int{
		"Huang Table 2": cells(huangPrinted, 0) - 7, "Huang Fig. 2": 3, "Huang Fig. 3": 3, "Huang Fig. 4": 4,
		"Kobayashi Table 1": cells(kobayashiPrinted[0], 0), "Kobayashi Table 2": cells(kobayashiPrinted[1], 1),
		"Kobayashi Table 3": cells(kobayashiPrinted[2], 1), "Kobayashi Fig. 1": 1,
		"Peleg Fig. 1": 1, "Peleg Fig. 2": 8, "Peleg Table 3": 16,
		"Peleg Tables 4, 6": cells(pelegPrinted[0]+"\n"+strings.TrimSpace(pelegPrinted[2]), 0),
		"Peleg Tables 5, 7": cells(pelegPrinted[1]+"\n"+strings.TrimSpace(pelegPrinted[3]), 0),
		"Suykens Fig. 2":    1, "Suykens Fig. 3": 1,
		"Abe Table 2": cells(abePrinted[1], 1), "Abe Table 3": cells(abePrinted[2], 1), "Abe Table 4": cells(abePrinted[3], 1),
		"Abe Table 6": cells(abePrinted[5], 1), "Abe Table 7": cells(abePrinted[6], 1), "Abe Table 8": 17,
	} {
		if count[name] != want {
			t.Errorf("%s: %d numbers, the paper prints %d", name, count[name], want)
		}
		delete(count, name)
	}
	if len(count) > 0 {
		t.Errorf("tables that nobody counted: %v", count)
	}
}

// The page's notes on both choices of Kobayashi's parameters follow from its rows.
func TestKobayashiNotes(t *testing.T) {
	for name, note := range map[string]func(*Result){"kobayashi-table1": (*Result).noteFits,
		"kobayashi-fig1": (*Result).noteLost} {
		r, err := tableNamed(t, name).Recorded(page(t), filepath.Join(testutil.Root(t), "docs", "results"))
		if err != nil {
			t.Fatal(err)
		}
		again := &Result{Table: r.Table, Ours: r.Ours}
		note(again)
		for _, want := range again.Notes {
			if !slices.Contains(r.Notes, want) {
				t.Errorf("%s: the page has %q, the rows give %q", name, r.Notes, want)
			}
		}
	}
}

// TestJudge has cases of each kind, counted by hand.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		kind                     kind
		printed, ours            string
		training, test           float64
		wantApart, wantedVerdict string
	}{
		{rates, "9.7 ± 2.0", "10.7 ± 0.1", 0, 0, "0.50", inside},
		{rates, "9.7 ± 2.0", "12.0 ± 9.0", 0, 0, "1.15", outside},
		{rates, "2.67", "2.53 ± 0.14", 0, 0, "1.00", inside},
		{rates, "10.0", "12.0", 0, 900, "2.00", outside}, // √(10 · 90/900) = 1
		{vectors, "4", "7", 0, 0, "1.00", inside},
		{vectors, "100", "131", 0, 0, "1.03", outside},
		{vectors, "145", "138.1 (147 samples)", 0, 0, "0.05", inside},
		{shares, "0.2 ± 0.1", "0.5 ± 0.1", 1000, 0, "1.00", inside}, // 3 of 1000
		{exact, "198.41", "198.41", 0, 0, "0.00", inside},
		{exact, "3", "15", 0, 0, "24.00", outside},
	} {
		n := Number{Printed: c.printed, Ours: c.ours}
		n.judge(c.kind, c.training, c.test)
		if n.Apart != c.wantApart || n.Verdict != c.wantedVerdict {
			t.Errorf("%s for %s: %s %s, want %s %s", c.ours, c.printed, n.Apart, n.Verdict, c.wantApart, c.wantedVerdict)
		}
	}
	for printed, want := range map[string]bool{"30.6 ± 0.4": true, "30.6 ± 1.0": false} {
		if got := impossibleNumber("peleg-table3", &Number{Column: "error", Printed: printed}); got != want {
			t.Errorf("%s of ten sets of 2000: impossible %v", printed, got)
		}
	}
}
