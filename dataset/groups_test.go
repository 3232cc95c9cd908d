package dataset

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGroupFolds: no group is divided, every row is tested once, sizes differ by a group at most.
func TestGroupFolds(t *testing.T) {
	var group []string
	for i := range 60 {
		group = append(group, string(rune('a'+i%13)))
	}
	splits, err := (&Set{N: len(group), Groups: group}).Folds(4, 7)
	if err != nil {
		t.Fatal(err)
	}
	tested := make([]int, len(group))
	for _, sp := range splits {
		if len(sp.Test) < 11 || len(sp.Test) > 19 || len(sp.Test)+len(sp.Train) != 60 {
			t.Errorf("%d rows to test on, %d to train on", len(sp.Test), len(sp.Train))
		}
		for _, i := range sp.Test {
			tested[i]++
			if slices.ContainsFunc(sp.Train, func(j int) bool { return group[j] == group[i] }) {
				t.Fatalf("group %s is divided", group[i])
			}
		}
	}
	if slices.Min(tested) != 1 || slices.Max(tested) != 1 {
		t.Error(tested)
	}
	if _, err := (&Set{N: len(group), Groups: group}).Folds(14, 7); err == nil {
		t.Error("14 folds of 13 groups")
	}
}

// TestReadGroups: the column of groups is no feature, with and without quotes, and rows that are left out have none.
func TestReadGroups(t *testing.T) {
	text := "who,a,y\np1,1,no\np2,,yes\n\"p 3\",3,yes\n"
	s, err := ReadCSV(strings.NewReader(text), "f", Options{Group: "who", Missing: MissingDrop})
	if err != nil {
		t.Fatal(err)
	}
	if s.D != 1 || s.N != 2 || !cmp.Equal(s.Groups, []string{"p1", "p 3"}) || s.Columns[0].Role != RoleUnused {
		t.Errorf("%d features, groups %q, columns %+v", s.D, s.Groups, s.Columns)
	}
	if sub := s.Subset([]int{1}); !cmp.Equal(sub.Groups, []string{"p 3"}) {
		t.Errorf("groups of a part: %q", sub.Groups)
	}
	for column, want := range map[string]string{"y": "label already", "whom": `no column named "whom"`} {
		if _, err = ReadCSV(strings.NewReader(text), "f", Options{Group: column}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", column, err, want)
		}
	}
	if _, err = ReadCSV(strings.NewReader("who,a,y\n,1,no\n"), "f", Options{Group: "who"}); err == nil ||
		!strings.Contains(err.Error(), "f:2:1: found nothing") {
		t.Errorf("error %v", err)
	}
}
