package model

import (
	"math"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// valuedParts are those of a model of four features: a number, two of one column's values, one of another's.
func valuedParts() Parts {
	p := randomParts(dataset.NewRand(31), Binary, gram.RBF(0.5), 3, 4)
	p.Columns = dataset.Columns{
		{Name: "size", Fill: 1.5, Filled: true},
		{Name: "city", Role: dataset.RoleCategory, Categories: []string{"Bonn", "Oslo", "Rome"},
			Values: []float64{0.5, 0, -2, 1, -1, 0.25}},
		{Name: "y", Role: dataset.RoleLabel},
		{Name: "colour", Role: dataset.RoleCategory, Categories: []string{"blue", "red"}, Values: []float64{3, -0.125}},
	}
	return p
}

// A file of version 9 stays readable for ever, and means the same.
func TestGoldenValues(t *testing.T) {
	c := mustNew(t, valuedParts())
	golden(t, "v9", c)
	if got := c.Columns().FeatureNames(); strings.Join(got, " ") != "size city.1 city.2 colour" {
		t.Errorf("features %v", got)
	}
}

// TestDecideSetOfPlainSamples: samples with a feature of 0 and 1 for each category have the decisions of those with
// the categories' values, and a sample without category has those of 0.
func TestDecideSetOfPlainSamples(t *testing.T) {
	c := mustNew(t, valuedParts())
	plain := &dataset.Set{N: 3, D: 6, X: []float64{
		1, 0, 1, 0, 0, 1,
		2, 0, 0, 1, 1, 0,
		3, 0, 0, 0, 0, 0}}
	coded := &dataset.Set{N: 3, D: 4, X: []float64{
		1, 0, -1, -0.125,
		2, -2, 0.25, 3,
		3, 0, 0, 0}}
	got, want := make([]float64, 3), make([]float64, 3)
	c.DecideSet(got, plain, 0, 3, 1)
	c.DecideSet(want, coded, 0, 3, 1)
	if got[0] == got[1] || !(math.Abs(got[2]) < math.Inf(1)) {
		t.Errorf("decisions %v", got)
	}
	c.DecideSet(got[1:], plain, 1, 2, 1)
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("sample %d: %v of features of 0 and 1, %v of values", i, got[i], want[i])
		}
	}
	if !c.TakesPlain(plain) || c.TakesPlain(coded) || columnModel(t).TakesPlain(plain) {
		t.Error("the wrong sets are taken as plain")
	}
}

func TestValuesRefused(t *testing.T) {
	for what, change := range map[string]func(c *dataset.Column){
		"too few":        func(c *dataset.Column) { c.Values = c.Values[:5] },
		"too many":       func(c *dataset.Column) { c.Values = make([]float64, 9) },
		"not finite":     func(c *dataset.Column) { c.Values[1] = math.NaN() },
		"of no category": func(c *dataset.Column) { c.Role, c.Categories = dataset.RoleNumber, nil },
	} {
		p := valuedParts()
		change(&p.Columns[1])
		if _, err := New(p); err == nil {
			t.Errorf("%s: values were accepted", what)
		}
	}
	var b strings.Builder
	b.Write(earlier(mustNew(t, valuedParts())))
	for _, swap := range [][2]string{{`"version":9`, `"version":7`}, {`"values":[3,-0.125]`, `"values":[3]`}} {
		bad := strings.Replace(b.String(), swap[0], swap[1], 1)
		if _, _, err := Read(strings.NewReader(bad), "f"); err == nil || bad == b.String() {
			t.Errorf("%s was read", swap[1])
		}
	}
	p := valuedParts()
	p.Submodels[0].Plane = []float64{1, 2, 3, 4} // what files of version 7 have goes on
	p.Submodels[0].Steps = []learn.Step{{Turn: []float64{0, 1, 0, 0}, Move: 1, Coef: 2}}
	c := mustNew(t, p)
	for _, f := range []Format{SKM, JSON} {
		b.Reset()
		if err := c.Write(&b, f); err != nil {
			t.Fatal(err)
		}
		if back, _, err := Read(strings.NewReader(b.String()), "f"); err != nil || sameParts(c, back) != "" {
			t.Errorf("%v: %v", f, err)
		}
	}
}
