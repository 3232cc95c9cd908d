package dataset

import (
	"slices"
	"strings"
	"testing"
)

// Idle columns may be missing by name or by place, their cells are not read, and their features are 0.
func TestIdleColumns(t *testing.T) {
	then, err := ReadCSV(strings.NewReader("u,c,v,w,y\n1,a,2,3,0\n4,b,5,6,1\n"), "then",
		Options{Categorical: []string{"c"}})
	if err != nil {
		t.Fatal(err)
	}
	columns := then.Columns.Clone()
	columns.Need([]bool{false, false, false, true, false}) // u, c=a, c=b, v, w
	for text, want := range map[string]string{
		"u,c,v,w,y\n1,zzz,2,NA,0\n4,b,5,6,1\n": "", // the whole file, with what the columns never had
		"v,y\n2,0\n5,1\n":                      "",
		"v\n2\n5\n":                            "",
		"y,v\n0,2\n1,5\n":                      "",
		"2,0\n5,1\n":                           "", // by place
		"2\n5\n":                               "",
		"1,a,2,3,0\n4,b,5,6,1\n":               "",
		"1,a,2,3\n4,b,5,6\n":                   "",
		"u,c,w,y\n1,a,3,0\n":                   `no column "v"`,
		"v,x,y\n2,3,0\n":                       `unknown column "x"`,
		"1,2,0\n":                              "3 columns",
	} {
		set, err := ReadCSV(strings.NewReader(text), "now", Options{Columns: columns})
		switch {
		case want != "":
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %s", text, err, want)
			}
		case err != nil:
			t.Errorf("%q: %v", text, err)
		case set.D != 5 || !slices.Equal(set.X, []float64{0, 0, 0, 2, 0, 0, 0, 0, 5, 0}):
			t.Errorf("%q: %d features, %v", text, set.D, set.X)
		}
	}
	columns.Need([]bool{false, true, false, false, false})
	if columns[0].Idle != true || columns[1].Idle || !columns[2].Idle || columns[4].Idle {
		t.Errorf("columns %+v", columns)
	}
	columns = then.Columns.Clone()
	columns.Need(make([]bool, 5))
	if slices.ContainsFunc(columns, func(c Column) bool { return c.Idle }) {
		t.Error("a file without any feature would do")
	}
}
