package main

import (
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/modelselect"
)

// madeUp is a table of made-up runs on two sets: errors of 100 test samples by setting, the same on so many splits.
func madeUp(t *testing.T, errors map[string][2]int, splits int) *promiseTable {
	t.Helper()
	table := new(promiseTable)
	for name, wrong := range errors {
		for k, set := range []string{"a", "b"} {
			for split := range splits {
				table.runs = append(table.runs, &modelselect.Run{Set: set, Setting: name, Split: split, Trained: 50, Points: 100,
					Errors: wrong[k], Vectors: 10, Status: "optimal", Losses: map[string]float64{"error": float64(wrong[k]) / 100}})
			}
		}
	}
	var err error
	if table.settings, err = promiseSettings(); err != nil {
		t.Fatal(err)
	}
	return table
}

// With -only, settings that are not listed keep their rows of the page; the others come in their places, ranks are
// counted anew, and the page says on how many splits a setting was run.
func TestPromiseKept(t *testing.T) {
	before := madeUp(t, map[string][2]int{"svc": {10, 20}, "kmp": {12, 16}, "rvm": {50, 50}}, 3)
	page, rows, err := before.compare()
	if err != nil {
		t.Fatal(err)
	}
	promiseFlags.only = "svc,rvm,spc"
	t.Cleanup(func() { promiseFlags.only = "" })
	now := madeUp(t, map[string][2]int{"svc": {11, 22}, "rvm": {10, 23}, "spc": {14, 24}}, 2)
	now.kept = keptOf(page, rows)
	page, rows, err = now.compare()
	if err != nil {
		t.Fatal(err)
	}
	want := "method\ta (3)\tb (3)\nsvc\t10.00 / 10\t20.00 / 10\nkmp\t12.00 / 10\t16.00 / 10\n" +
		"rvm\t10.00 / 10 (2)\t23.00 / 10 (2)\nspc\t14.00 / 10 (2)\t24.00 / 10 (2)\n"
	if rows != want {
		t.Errorf("rows\n%swant\n%s", rows, want)
	}
	all, err := summaryRows(page)
	if err != nil {
		t.Fatal(err)
	}
	// On a, moved by one: rvm 9, svc 10, kmp 12, spc 13; on b, moved by two: kmp 16, svc 20, rvm 21, spc 22.
	for name, want := range map[string][2]string{"svc": {"+0.00 ± 0.00", "2.0"}, "kmp": {"-1.00 ± 3.00", "2.0"},
		"rvm": {"+0.00 ± 1.00", "2.0"}, "spc": {"+2.50 ± 0.50", "4.0"}} {
		if got := [2]string{all[name]["error"], all[name]["rank"]}; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if len(all) != 4 || !strings.Contains(page, "[All 4 settings]") {
		t.Errorf("%d rows, want 4:\n%s", len(all), page)
	}
}

// A set that the page does not have is an error that names it.
func TestPromiseKeptSets(t *testing.T) {
	promiseFlags.only = "svc"
	t.Cleanup(func() { promiseFlags.only = "" })
	now := madeUp(t, map[string][2]int{"svc": {11, 22}}, 1)
	now.kept = &keptRows{every: [][]string{{"method", "a (3)"}, {"svc", "10.00 / 10"}}}
	if _, _, err := now.compare(); err == nil || !strings.Contains(err.Error(), "set b") {
		t.Errorf("%v", err)
	}
}
