package dataset

import (
	"slices"
	"strings"
	"testing"
)

const words = `size,city,one,colour,label
1,Rome,x,red,a
2,Bonn,x,blue,b
3,Oslo,x,blue,a
`

func plainWords(t *testing.T) *Set {
	t.Helper()
	set, err := ReadCSV(strings.NewReader(words), "f", Options{Header: HeaderYes, Categorical: []string{"city", "one", "colour"}})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestNumbered: categories have numbers from 1 in place of features of 0 and 1, a column of two no second feature, and
// a column of one stays as it is.
func TestNumbered(t *testing.T) {
	set := plainWords(t)
	one, two := set.Columns.Numbered(1), set.Columns.Numbered(2)
	if one.NumFeatures() != 4 || two.NumFeatures() != 5 || one.NumPlain() != set.D || two.NumPlain() != set.D ||
		set.Columns.Valued() || !one.Valued() {
		t.Fatalf("%d and %d features of %d", one.NumFeatures(), two.NumFeatures(), set.D)
	}
	if got := one.Coded(set, 0, 3); !slices.Equal(got, []float64{1, 3, 1, 2, 2, 1, 1, 1, 3, 2, 1, 1}) {
		t.Errorf("numbers %v", got)
	}
	if got := two.Coded(set, 1, 1); !slices.Equal(got, []float64{2, 1, 1, 1, 1}) {
		t.Errorf("numbers %v", got)
	}
	if got := two.FeatureNames(); strings.Join(got, " ") != "size city.1 city.2 one=x colour" {
		t.Errorf("names %v", got)
	}
	var indices []int
	two.EachValued(func(_ *Column, feature, part int) { indices = append(indices, feature, part) })
	if !slices.Equal(indices, []int{1, 0, 2, 1, 4, 0}) {
		t.Errorf("features and parts %v", indices)
	}
	none := &Set{N: 1, D: set.D, X: make([]float64, set.D)} // of no category
	if got := one.Coded(none, 0, 1); !slices.Equal(got, []float64{0, 0, 0, 0}) {
		t.Errorf("numbers %v of no category", got)
	}
}

// TestReadValues: a later file is read with the values, and so are missing cells.
func TestReadValues(t *testing.T) {
	columns := plainWords(t).Columns.Numbered(2)
	values := []float64{10, 20, 30, -1, -2, -3, 0.5, 0.25}
	columns.EachValued(func(c *Column, _, part int) {
		n := len(c.Categories)
		values = values[copy(c.Values[part*n:(part+1)*n], values):]
	})
	columns[1].Fill, columns[1].Filled = 2, true
	set, err := ReadCSV(strings.NewReader("colour,one,size,city\nred,x,7,Oslo\nblue,x,8,\n"), "g",
		Options{Header: HeaderYes, Columns: columns})
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{7, 20, -2, 1, 0.25, 8, 30, -3, 1, 0.5}; !slices.Equal(set.X, want) || set.D != 5 {
		t.Errorf("features %v, want %v", set.X, want)
	}
	copied := columns.Clone()
	copied[1].Values[0] = 99
	if columns[1].Values[0] != 10 {
		t.Error("a clone shares the values")
	}
}

// TestValuesOfRoles: only columns of categories have learnt values.
func TestValuesOfRoles(t *testing.T) {
	c := Column{Role: RoleYesNo, Categories: []string{"no", "yes"}, Values: []float64{1, 2}}
	if err := c.validate(); err == nil {
		t.Error("values of yes and no are taken")
	}
	if c.Role = RoleCategory; c.validate() != nil || c.width() != 1 {
		t.Errorf("%v, %d features, want one", c.validate(), c.width())
	}
}
