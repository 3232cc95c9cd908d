package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/modelselect"
)

// TestPromise compares the sentence, the pictures and the sets of docs/performance/promise.md with its tables and rows.
func TestPromise(t *testing.T) {
	read := func(name ...string) string {
		text, err := os.ReadFile(filepath.Join(append([]string{testutil.Root(t)}, name...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page := read("docs", "performance", "promise.md")
	says, err := sentence(page)
	if err != nil {
		t.Fatal(err)
	}
	if says == "" || !strings.HasPrefix(page, promiseTitle+says) {
		t.Errorf("the page does not begin with what its tables say:\n%s", says)
	}
	all := make(map[string]bool)
	for line := range strings.Lines(read("docs", "results", "promise.tsv")) {
		all["| "+strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", " | ")+" |"] = true
	}
	_, sets, _ := strings.Cut(page, "## Every set\n")
	if !strings.Contains(sets, fmt.Sprintf("[All %d settings](../results/promise.tsv)", len(all)-1)) {
		t.Errorf("docs/results/promise.tsv has %d settings, the page has\n%s", len(all)-1, sets)
	}
	for line := range strings.Lines(sets) {
		if row := strings.TrimSuffix(line, "\n"); row != "" && row[0] == '|' && row[2] != '-' && !all[row] {
			t.Errorf("docs/results/promise.tsv lacks the page's row\n%s", row)
		}
	}
	number := regexp.MustCompile(`[0-9]+\.[0-9]`)
	dots, err := dotsOf(page)
	if err != nil {
		t.Fatal(err)
	}
	for name, colours := range promiseInks {
		// Processors may differ in the last bits of a logarithm.
		now, then := string(frontPicture(dots, colours)), read("docs", name)
		if number.ReplaceAllString(now, "x") != number.ReplaceAllString(then, "x") {
			t.Errorf("docs/%s is not the picture of docs/performance/promise.md", name)
			continue
		}
		want := number.FindAllString(then, -1)
		for i, v := range number.FindAllString(now, -1) {
			a, _ := strconv.ParseFloat(v, 64)
			b, _ := strconv.ParseFloat(want[i], 64)
			testutil.Near(t, name, a, b, 0.11)
		}
	}
}

// TestPromisePage makes a page of made-up runs: differences, shares, the worst set and what did not end optimal.
func TestPromisePage(t *testing.T) {
	errors := map[string][]int{"svc": {10, 20}, "direct --tune": {12, 17}, "ssvc-b --refit": {13, 24}, "kmp": {1}}
	vectors := map[string]int{"svc": 100, "direct --tune": 5, "ssvc-b --refit": 10, "kmp": 3}
	var table promiseTable
	for name, wrong := range errors {
		for k, set := range []string{"a", "b"}[:len(wrong)] {
			for split := range 2 {
				r := &modelselect.Run{Set: set, Setting: name, Split: split, Trained: 50, Points: 100, Errors: wrong[k],
					Vectors: vectors[name], Status: "optimal", Losses: map[string]float64{"error": float64(wrong[k]) / 100}}
				if name == "ssvc-b --refit" {
					r.Search = &modelselect.Searched{Trainings: 125, Limited: k}
				}
				table.runs = append(table.runs, r)
			}
		}
	}
	var err error
	if table.settings, err = promiseSettings(); err != nil {
		t.Fatal(err)
	}
	page, rest, err := table.compare()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := summaryRows(page)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]map[string]string{
		"svc":            {"error": "+0.00 ± 0.00", "support vectors": "100", "mean share": "1.000"},
		"direct --tune":  {"error": "-0.50 ± 2.50", "worst set": "+2.00 a", "median share": "0.050"},
		"ssvc-b --refit": {"error": "+3.50 ± 0.50", "worst set": "+4.00 b", "not optimal": "2 of 504"},
	} {
		for column, text := range want {
			if rows[name][column] != text {
				t.Errorf("%s: %s %q, want %q", name, column, rows[name][column], text)
			}
		}
	}
	if rows["kmp"] != nil || strings.Contains(page, "kmp") || !strings.Contains(rest, "\nkmp\t1.00 / 3\t\n") {
		t.Errorf("kmp has runs on one set and %v in the first table:\n%s\n%s", rows["kmp"], page, rest)
	}
	if says, err := sentence(page); err != nil || !strings.Contains(says, "`direct --tune` keeps 5: 5.0 %") ||
		!strings.Contains(says, "the median of 2 sets (2 splits each)") {
		t.Errorf("%s; %v", says, err)
	}
}

// TestPromiseSettings: names of their own, and a grid of 25 for whatever is tuned.
func TestPromiseSettings(t *testing.T) {
	settings, err := promiseSettings()
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, s := range settings {
		if seen[s.Name] || strings.Contains(s.Name, ",") {
			t.Errorf("setting %q: a name is for one, and in lists by comma", s.Name)
		}
		seen[s.Name] = true
		want := 25
		if slices.Contains([]string{"rvm", "rvm-fast", "spc"}, s.Name) { // γ alone
			want = 5
		}
		if s.Search != nil && len(s.Search.Settings) != want {
			t.Errorf("%s: %d settings to choose from", s.Name, len(s.Search.Settings))
		}
	}
	if !seen["direct --tune"] || !seen["ssvc-b --refit"] || !seen["svc"] {
		t.Errorf("settings %v", seen)
	}
}
