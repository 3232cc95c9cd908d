package dataset

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

func TestReadSplits(t *testing.T) {
	got, err := ReadSplits(strings.NewReader("0 2\n\n1 2 3\n"), "f", 4)
	want := []Split{{Train: []int{0, 2}, Test: []int{1, 3}}, {Train: []int{1, 2, 3}, Test: []int{0}}}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Error(err, d)
	}
	for text, want := range map[string]string{
		"":        "f: found no splits, want a line of row numbers for each",
		"0 4\n":   `f:1: found "4", want ascending row numbers from 0 to 3`,
		"0\n2 1":  `f:2: found "1", want ascending row numbers from 0 to 3`,
		"0 0\n":   `f:1: found "0", want ascending row numbers from 0 to 3`,
		"1 two\n": `f:1: found "two", want ascending row numbers from 0 to 3`,
		"-1\n":    `f:1: found "-1", want ascending row numbers from 0 to 3`,
	} {
		if _, err := ReadSplits(strings.NewReader(text), "f", 4); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestReadSharedSplits(t *testing.T) {
	f, err := os.Open(testutil.Shared(t, "open/iris.splits"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	splits, err := ReadSplits(f, "iris.splits", 150)
	if err != nil || len(splits) != 20 {
		t.Fatal(len(splits), err)
	}
	for _, sp := range splits {
		if len(sp.Train) != 75 || len(sp.Test) != 75 {
			t.Errorf("%d and %d rows", len(sp.Train), len(sp.Test))
		}
	}
}
