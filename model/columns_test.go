package model

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
)

// columnsOfThree make three features: a number and two categories.
func columnsOfThree() dataset.Columns {
	return dataset.Columns{
		{Name: "id", Role: dataset.RoleUnused},
		{Name: "größe", Fill: 1.5, Filled: true},
		{Name: "city", Role: dataset.RoleCategory, Categories: []string{"Bonn", "Rome"}, Fill: 1, Filled: true},
		{Name: "y", Role: dataset.RoleLabel},
	}
}

func columnModel(t *testing.T) *Classifier {
	p := randomParts(dataset.NewRand(20), Binary, gram.RBF(0.5), 3, 3)
	p.Columns = columnsOfThree()
	return mustNew(t, p)
}

// Files of version 2 stay readable for ever, and mean the same.
func TestGoldenColumns(t *testing.T) {
	if *update {
		for _, f := range []Format{SKM, JSON} {
			if err := os.WriteFile("testdata/v2."+string(f), asOnce(t, columnModel(t), f), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, f := range []Format{SKM, JSON} {
		c, err := Load("testdata/v2." + string(f))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.Columns(), columnsOfThree()); d != "" {
			t.Errorf("%v: %s", f, d)
		}
		if d := sameParts(c, columnModel(t)); d != "" {
			t.Errorf("%v: %s", f, d)
		}
		want, err := os.ReadFile("testdata/v2." + string(f))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(asOnce(t, c, f), want) {
			t.Errorf("%v is written differently now", f)
		}
	}
}

// TestDamagedColumns changes every byte of a file with columns and wants an error or a sound model.
func TestDamagedColumns(t *testing.T) {
	for name, c := range map[string]*Classifier{"größe": columnModel(t), "when": laterModel(t)} {
		damageColumns(t, c, name)
	}
}

func damageColumns(t *testing.T, c *Classifier, name string) {
	b, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	d := c.NumFeatures()
	begin := bytes.Index(b, []byte(name)) - 30
	for at := begin; at < len(b)-4; at++ {
		for _, to := range []string{"\xff\xff\xff\x7f", "\x00\x00\x00\x00", "\x09"} {
			bad := bytes.Clone(b)
			copy(bad[at:len(bad)-4], to)
			c, err := Parse(reseal(bad))
			if err != nil {
				continue
			}
			if err = c.Columns().Validate(d); err != nil {
				t.Errorf("byte %d: %v", at, err)
			}
		}
		if _, err := Parse(reseal(append(bytes.Clone(b[:at]), 0, 0, 0, 0))); err == nil {
			t.Errorf("columns cut at byte %d make a model", at)
		}
	}
}

func TestColumnsInJSONRefuse(t *testing.T) {
	text := earlier(columnModel(t))
	for _, tt := range []struct{ old, new, want string }{
		{`"version":2`, `"version":1`, "JSON of version 1 with what version 2 has"},
		{`"role":"category"`, `"role":"colour"`, `unknown role "colour"`},
		{`"role":"category"`, `"role":"unused"`, "categories in a column of role unused"},
		{`"Bonn","Rome"`, `"Bonn"`, "category 1 for missing cells, want 0 to 0"},
		{`"name":"id"`, `"name":"y"`, `name "y" is empty or not the first of its kind`},
	} {
		bad := strings.Replace(string(text), tt.old, tt.new, 1)
		if bad == string(text) {
			t.Fatalf("%s is not in the file", tt.old)
		}
		if _, _, err := Read(strings.NewReader(bad), "f"); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v", tt.new, err)
		}
	}
}

// laterModel has columns that only files of version 8 know.
func laterModel(t *testing.T) *Classifier {
	p := randomParts(dataset.NewRand(21), Binary, gram.RBF(0.5), 3, 9)
	p.Columns = dataset.Columns{
		{Name: "when", Role: dataset.RoleDate, Form: "1/2/2006", Parts: 1 | 4 | 8,
			Fill: 19786.25, Filled: true, Marked: true},
		{Name: "sex", Role: dataset.RoleYesNo, Categories: []string{"f", "m"}},
		{Name: "city", Role: dataset.RoleCategory, Categories: []string{"Bonn", "Rome"}, Fill: 1, Filled: true, Marked: true},
		{Name: "age", Role: dataset.RoleNumber, Fill: 40, Filled: true},
		{Name: "id", Role: dataset.RoleUnused},
		{Name: "y", Role: dataset.RoleLabel},
	}
	return mustNew(t, p)
}

// Files of version 8 stay readable for ever, and mean the same.
func TestGoldenLaterColumns(t *testing.T) {
	c := laterModel(t)
	golden(t, "v8", c)
	for _, f := range []Format{SKM, JSON} {
		back, err := Load("testdata/v8." + string(f))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(back.Columns(), c.Columns()); d != "" {
			t.Errorf("%v: %s", f, d)
		}
	}
}

func TestLaterColumnsRefuse(t *testing.T) {
	text := earlier(laterModel(t))
	for _, tt := range []struct{ old, new, want string }{
		{`"version":8`, `"version":7`, "with what version 8 has"},
		{`"role":"yes-no"`, `"role":"yes"`, `unknown role "yes"`},
		{`["f","m"]`, `["f"]`, "no categories"},
		{`"date":"1/2/2006"`, `"date":"06"`, "with what version 14 has"},
		{`"hour"`, `"minute"`, `unknown part "minute" of a date`},
		{`"parts":["days","weekday","hour"]`, `"parts":[]`, "dates or a mark that cannot be"},
		{`"fill":1,`, "", "dates or a mark that cannot be"},
	} {
		bad := strings.Replace(string(text), tt.old, tt.new, 1)
		if bad == string(text) {
			t.Fatalf("%s is not in the file", tt.old)
		}
		if _, _, err := Read(strings.NewReader(bad), "f"); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v", tt.new, err)
		}
	}
}

// writtenModel has columns that only files of version 14 know.
func writtenModel(t *testing.T) *Classifier {
	p := randomParts(dataset.NewRand(22), Binary, gram.RBF(0.5), 3, 5)
	p.Columns = dataset.Columns{
		{Name: "income", Role: dataset.RoleNumber, Form: "$1,234.5", Absent: []string{"-999", "oops"}, Fill: 40, Filled: true},
		{Name: "when", Role: dataset.RoleDate, Form: "2/1/06", Parts: 1 | 2},
		{Name: "city", Role: dataset.RoleCategory, Categories: []string{"Bonn", "Rome"}, Form: "other"},
		{Name: "y", Role: dataset.RoleLabel},
	}
	return mustNew(t, p)
}

// Files of version 14 stay readable for ever, and mean the same. JSON of version 13 does not have their columns.
func TestGoldenWrittenColumns(t *testing.T) {
	c := writtenModel(t)
	golden(t, "v14", c)
	for _, f := range []Format{SKM, JSON} {
		back, err := Load("testdata/v14." + string(f))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(back.Columns(), c.Columns()); d != "" {
			t.Errorf("%v: %s", f, d)
		}
	}
	text := string(earlier(c))
	for _, version := range []string{"8", "12", "13"} {
		bad := strings.Replace(text, `"version":14`, `"version":`+version, 1)
		_, _, err := Read(strings.NewReader(bad), "f")
		if bad == text || err == nil || !strings.Contains(err.Error(), "with what version 14 has") {
			t.Errorf("version %s: %v", version, err)
		}
	}
}
