package dataset

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// read is a set that must be read.
func read(t *testing.T, text string, o Options) *Set {
	t.Helper()
	s, err := ReadCSV(strings.NewReader(text), "f", o)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if err = s.Validate(); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return s
}

// TestHeaderRule: what passes for a header, what does not, and what must be asked.
func TestHeaderRule(t *testing.T) {
	ten := strings.Repeat("1,2,a\n3,4,b\n", 5)
	for _, tt := range []struct {
		text   string
		header bool
		asks   string
	}{
		{text: "2023,2024,y\n1,2,0\n3,4,1\n", header: true}, // TRIAL.md's: numeric names, and "y" over numbers
		{text: "age,income,y\n1,2,a\n", header: true},
		{text: "1,2,a\n3,4,b\n"},
		{text: "1,2,0\n3,4,1\n"},
		{text: ten},
		{text: "1,2,c\n3,4,c\n" + ten},
		{text: "id7,2,a\nid8,3,b\n"},
		{text: "?,2,a\n3,4,b\n"},
		{text: "age,2024,y\n1,2,a\n3,4,b\n", asks: `f:1:1: found the name "age" above numbers, next to numbers, want a header or none`},
		{text: "2023,2024,class\n" + ten, asks: `f:1:11: found the label "class" in the first line and in none of the next 10, want a header or none`},
	} {
		p := csvParser{file: "f", csvColumns: csvColumns{soleColumns: soleColumns{label: -1}}, scan: newCSVScanner(strings.NewReader(tt.text), 1<<20, csvHead)}
		p.scan.comma = ','
		rec, err := p.scan.next()
		if err != nil {
			t.Fatal(err)
		}
		header, err := p.begin(rec)
		switch {
		case tt.asks == "" && (err != nil || header != tt.header):
			t.Errorf("%.40q: header %v, %v", tt.text, header, err)
		case tt.asks != "" && (err == nil || err.Error() != tt.asks || !err.(*Error).Header):
			t.Errorf("%.40q: got %v, want %s", tt.text, err, tt.asks)
		}
		for h, n := range map[Header]int{HeaderYes: 1, HeaderNo: 0} { // said, it is not asked
			if s, err := ReadCSV(strings.NewReader(tt.text), "f", Options{Header: h}); err == nil && strings.Count(tt.text, "\n")-s.N != n {
				t.Errorf("%.40q: %d samples with header %d", tt.text, s.N, h)
			}
		}
	}
}

const people = "id,age,city,income,churn\n" +
	"u1,20,Rome,1000,yes\n" +
	"u2,,Bonn,3000,no\n" +
	"u3,40,Rome,NA,no\n" +
	"u4,90,Bonn,5000,yes\n"

func TestColumns(t *testing.T) {
	o := Options{Drop: []string{"id"}, Categorical: []string{"city"}, Missing: MissingMean}
	s := read(t, people, o)
	names := []string{"age", "city=Bonn", "city=Rome", "income"}
	x := []float64{
		20, 0, 1, 1000,
		50, 1, 0, 3000,
		40, 0, 1, 3000,
		90, 1, 0, 5000,
	}
	if s.D != 4 || !slices.Equal(s.Features, names) || !slices.Equal(s.X, x) {
		t.Errorf("%d features %v, %v", s.D, s.Features, s.X)
	}
	if d := cmp.Diff(s.Columns, Columns{{Name: "id", Role: RoleUnused}, {Name: "age", Fill: 50, Filled: true},
		{Name: "city", Role: RoleCategory, Categories: []string{"Bonn", "Rome"}, Filled: true},
		{Name: "income", Fill: 3000, Filled: true}, {Name: "churn", Role: RoleLabel}}); d != "" {
		t.Error(d)
	}
	if got := read(t, people, Options{Select: []string{"income", "1"}, Missing: MissingMedian}); !slices.Equal(got.X,
		[]float64{20, 1000, 40, 3000, 40, 3000, 90, 5000}) {
		t.Errorf("selected, filled with medians: %v", got.X)
	}
	if got := read(t, people, Options{Select: []string{"income", "age"}, Missing: MissingDrop}); got.N != 2 || got.Skipped != 2 ||
		!slices.Equal(got.X, []float64{20, 1000, 90, 5000}) || len(got.Y) != 2 || got.Columns[1].Filled {
		t.Errorf("dropped: %+v", got)
	}

	if got := read(t, "a,c,y\n,Rome,u\n1,Bonn,v\n2,Oslo,w\n", Options{Missing: MissingDrop, Categorical: []string{"c"}}); got.D != 3 ||
		!slices.Equal(got.Labels, []string{"v", "w"}) || !slices.Equal(got.Columns[1].Categories, []string{"Bonn", "Oslo"}) {
		t.Errorf("label and category of a row that is left out stay: %+v", got)
	}

	// Later files: any order, the columns that were left out or not, labels or not.
	later := Options{Columns: s.Columns}
	got := read(t, "churn,income,city,age\nno,7,Bonn,?\n", later)
	if !slices.Equal(got.X, []float64{50, 1, 0, 7}) || len(got.Y) != 1 {
		t.Errorf("another order: %+v", got)
	}
	if d := cmp.Diff(got.Columns, s.Columns); d != "" {
		t.Error(d)
	}
	got = read(t, "city,id,age,income\nRome,u9,1,\n", later)
	if !slices.Equal(got.X, []float64{1, 0, 1, 3000}) || got.Y != nil {
		t.Errorf("no labels: %+v", got)
	}
	for _, text := range []string{"u9,1,Rome,2,yes\n", "u9,1,Rome,2\n"} { // no header: places
		if got = read(t, text, later); !slices.Equal(got.X, []float64{1, 0, 1, 2}) || (got.Y == nil) != (len(text) == 12) {
			t.Errorf("%q: %+v", text, got)
		}
	}
	later.Drop, later.LabelColumn = []string{"extra"}, "truth"
	if got = read(t, "truth,extra,city,age,income\nno,x,Rome,1,2\n", later); !slices.Equal(got.X, []float64{1, 0, 1, 2}) ||
		!slices.Equal(got.Labels, []string{"no"}) {
		t.Errorf("another label and a column too many: %+v", got)
	}
}

// TestPlaces reads files without names by the columns of another one.
func TestPlaces(t *testing.T) {
	s := read(t, "7,a,1,2\n8,b,3,4\n", Options{LabelColumn: "1", Drop: []string{"0"}})
	for _, tt := range []struct {
		text string
		o    Options
		want int // labels
	}{
		{"9,b,5,6\n", Options{}, 1},
		{"9,5,6\n", Options{}, 0},
		{"9,b,5,6\n", Options{Unlabelled: true}, 0},
		{"9,5,6,b\n", Options{LabelColumn: "-1"}, 1},
		{"i,u,v\n9,5,6\n", Options{}, 0},
	} {
		tt.o.Columns = s.Columns
		if got := read(t, tt.text, tt.o); !slices.Equal(got.X, []float64{5, 6}) || len(got.Y) != tt.want {
			t.Errorf("%q: %v, %v", tt.text, got.X, got.Y)
		}
	}
}

func TestDecimalComma(t *testing.T) {
	s := read(t, "a;b;y\n1,5;\"2,25\";1,0\n-0,5;3;0\n", Options{Decimal: ','})
	if !slices.Equal(s.X, []float64{1.5, 2.25, -.5, 3}) || !slices.Equal(s.Labels, []string{"0", "1"}) {
		t.Errorf("%v %v", s.X, s.Labels)
	}
}

func TestColumnsRefuse(t *testing.T) {
	trained := read(t, people, Options{Drop: []string{"id"}, Categorical: []string{"city"}, Missing: MissingMean}).Columns
	strict := read(t, "a,b,y\n1,2,u\n3,4,v\n", Options{}).Columns
	for _, tt := range []struct {
		text string
		o    Options
		want string
	}{
		{"a,b, a ,y\n1,2,3,u\n", Options{}, `f:1:5: found a second column "a", want different names for the columns`},
		{"a,b,y\n1,,u\n", Options{}, `f:2:3: found nothing in column "b", want a finite number`},
		{"a,b,y\n1,red,u\n", Options{}, `f:2:3: found "red" in column "b", want a finite number`},
		{"a,b,y\n1,2,\n", Options{}, `f:2:5: found nothing in column "y", want a label, an integer or a name`},
		{"a,b,y\n1,\"2,5\",u\n", Options{}, `f:2:3: found "2,5" in column "b", want a finite number`},
		{"a;y\n1,2,3;u\n", Options{Decimal: ','}, `f:2:1: found "1,2,3" in column "a", want a finite number`},
		{"a,b,y\n1,2,u\n", Options{Drop: []string{"c"}}, `f:1:1: found no column named "c", want the name or index of a column to drop`},
		{"a,b,y\n1,2,u\n", Options{Drop: []string{"7"}}, `f:1:1: found 3 columns, want a column to drop 7`},
		{"a,b,y\n1,2,u\n", Options{Drop: []string{"y"}}, `f:1:1: found the column "y" as the label or left out already, want another column for unused`},
		{"a,b,y\n1,2,u\n", Options{Drop: []string{"a", "b"}}, "f:1:1: found a label column only, want at least one feature column; commas, semicolons, tabs, bars or blanks separate columns"},
		{"a,b,y\n1,?,u\n2,,v\n", Options{Missing: MissingMean}, `f: found no value at all in column "b", want one to fill it with`},
		{"a,b,y\n1,2,u\n", Options{Delimiter: ',', Decimal: ','}, `dataset: delimiter ',' with decimal mark ','`},
		{"a,b,y\n1,2,u\n", Options{Decimal: ';'}, `dataset: decimal mark ';', want a point or a comma`},
		{"a,b,y\n1,2,u\n", Options{Delimiter: '§'}, `dataset: delimiter '§' with decimal mark '\x00'`},
		{"age,city,churn\n1,Rome,no\n", Options{Columns: trained}, `f:1:1: found no column "income", want every column that the training had`},
		{"age,city,income,x,z\n1,Rome,2,3,4\n", Options{Columns: trained}, `f:1:1: found the unknown column "x", "z", want only columns that the training had`},
		{"age,city,income\n1,Oslo,2\n", Options{Columns: trained, Strict: true}, `f:2:3: found the unknown category "Oslo" in column "city", want one of "Bonn", "Rome"`},
		{"1,2,3\n", Options{Columns: trained}, "f:1:1: found 3 columns, want 4 features in the order of the training, as many as its file had without labels"},
		{"b,a\n1,\n", Options{Columns: strict, Missing: MissingMean}, `f:2:3: found nothing in column "a", want a finite number`},
	} {
		_, err := ReadCSV(strings.NewReader(tt.text), "f", tt.o)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%q:\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
	many := "c,y\n"
	for i := range maxCategories + 1 {
		many += strings.Repeat("x", i+1) + ",1\n"
	}
	if _, err := ReadCSV(strings.NewReader(many), "f", Options{Categorical: []string{"c"}}); err == nil ||
		!strings.Contains(err.Error(), "more than 1000 categories") {
		t.Errorf("an identifier as a category: %v", err)
	}
}

func TestColumnsValidate(t *testing.T) {
	good := Columns{{Name: "a"}, {Name: "b", Role: RoleCategory, Categories: []string{"u", "v"}, Fill: 1, Filled: true}, {Name: "y", Role: RoleLabel}}
	if err := good.Validate(3); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(c Columns){
		"role":             func(c Columns) { c[0].Role = 9 },
		"number of labels": func(c Columns) { c[0].Role = RoleLabel },
		"features":         func(c Columns) { c[0].Role = RoleUnused },
		"equal names":      func(c Columns) { c[1].Name = "a" },
		"no name":          func(c Columns) { c[1].Name = "" },
		"no categories":    func(c Columns) { c[1].Categories = nil },
		"equal categories": func(c Columns) { c[1].Categories[1] = "u" },
		"empty category":   func(c Columns) { c[1].Categories[1] = "" },
		"categories":       func(c Columns) { c[0].Categories = []string{"x"} },
		"fill":             func(c Columns) { c[1].Fill = 2 },
		"half a category":  func(c Columns) { c[1].Fill = .5 },
		"filled labels":    func(c Columns) { c[2].Filled = true },
	} {
		bad := good.Clone()
		if change(bad); bad.Validate(3) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
