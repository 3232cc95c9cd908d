package dataset

import (
	"slices"
	"strings"
	"testing"
)

// Cells are read back as the features that they were made of.
func TestCells(t *testing.T) {
	const table = "size,colour,ok,day,when,gap,y\n1.5,red,yes,2024-01-03,2024-01-03 10:30,1,a\n" +
		"2,green,no,2024-02-05,2024-02-05 23:59,,b\n-3e9,blue,no,2023-12-31,2024-02-05 00:00,3,a\n" +
		"2,green,yes,2024-02-06,2024-02-07 00:01,5,b\n" +
		"0.1,red,no,2024-03-06,2024-02-07 00:01,4,b\n" +
		"7,blue,yes,2024-03-06,2024-02-07 00:01,4,b\n"
	set, err := Read(strings.NewReader(table), "t.csv", Options{Guess: true, Missing: MissingMark})
	if err != nil {
		t.Fatal(err)
	}
	for i := range set.Columns { // as where missing cells say something
		if c := &set.Columns[i]; c.Name == "gap" {
			c.Marked = true
		}
	}
	set, err = Read(strings.NewReader(table), "t.csv", Options{Columns: set.Columns})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("size,colour,ok,day,when,gap\n")
	for i := range set.N {
		b.WriteString(strings.Join(set.Columns.Cells(set.Row(i)), ",") + "\n")
	}
	again, err := Read(strings.NewReader(b.String()), "t.csv", Options{Columns: set.Columns, Unlabelled: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if again.D != set.D || !slices.Equal(again.X, set.X) {
		t.Errorf("found %v, want %v\n%s", again.X, set.X, b.String())
	}
	want := []string{"size", "colour", "ok", "day", "when", "gap"}
	var names []string
	total := 0
	set.Columns.EachFeatures(func(c *Column, first, n int) {
		if first != total {
			t.Errorf("%s begins at %d, want %d", c.Name, first, total)
		}
		names, total = append(names, c.Name), total+n
	})
	if !slices.Equal(names, want) || total != set.D {
		t.Errorf("columns %v of %d features, want %v of %d", names, total, want, set.D)
	}
}
