package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

const weather = `% a comment
@RELATION 'the weather'

@attribute temp real
@ATTRIBUTE "wind speed" NUMERIC % in knots
@attribute outlook {sunny, 'over cast',rain}
@attribute play {yes, no}
@data
% another one
30, 2.5, sunny, no
21	1e1 'over cast' yes % blanks separate too

-3,0,rain,no
{0 4, 2 rain}
{}
`

func TestARFF(t *testing.T) {
	s, err := Read(strings.NewReader(weather), "f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{
		30, 2.5, 0, 0, 1,
		21, 10, 1, 0, 0,
		-3, 0, 0, 1, 0,
		4, 0, 0, 1, 0,
		0, 0, 0, 0, 1, // what is left out is 0, and of values the first one
	}
	if d := cmp.Diff(want, s.X); d != "" || s.D != 5 || s.N != 5 {
		t.Errorf("%d×%d: %s", s.N, s.D, d)
	}
	if !cmp.Equal(s.Labels, []string{"no", "yes"}) || !cmp.Equal(s.Y, []int{0, 1, 0, 1, 1}) {
		t.Errorf("labels %q, %v", s.Labels, s.Y)
	}
	names := []string{"temp", "wind speed", "outlook=over cast", "outlook=rain", "outlook=sunny"}
	if d := cmp.Diff(names, s.Features); d != "" {
		t.Error(d)
	}
	if err = s.Validate(); err != nil {
		t.Error(err)
	}
	// A later file has columns in another order, and text for CSV.
	later := "outlook,temp,wind speed\nrain,1,2\n"
	next, err := Read(strings.NewReader(later), "later.csv", Options{Columns: s.Columns})
	if err != nil || !cmp.Equal(next.X, []float64{1, 2, 0, 1, 0}) || next.Y != nil {
		t.Errorf("a later file: %+v, %v", next, err)
	}
	turned := "@relation r\n" +
		"@attribute 'wind speed' real\n@attribute outlook {rain,snow}\n@attribute temp real\n@data\n2,rain,1\n"
	next, err = Read(strings.NewReader(turned), "later.arff", Options{Columns: s.Columns})
	if err != nil || !cmp.Equal(next.X, []float64{1, 2, 0, 1, 0}) || next.Y != nil {
		t.Errorf("a later ARFF file: %+v, %v", next, err)
	}
	_, err = Read(strings.NewReader(turned+"3,snow,1\n"), "later.arff", Options{Columns: s.Columns, Strict: true})
	const says = `later.arff:7:3: found the unknown category "snow" in column "outlook"`
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Error(err)
	}
}

// TestARFFColumns reads what the options say of columns, labels and missing values.
func TestARFFColumns(t *testing.T) {
	const text = "@relation r\n@attribute id string\n@attribute a real\n@attribute k {u,v}\n@attribute y real\n@data\n" +
		"'it\\'s', 1, u, 0.5\nb, ?, v, 2\nc, 3, ?, 1\nb, 5, v, 1\n"
	median := Options{Drop: []string{"id"}, Targets: TargetValues, Missing: MissingMedian}
	s, err := Read(strings.NewReader(text), "x.arff", median)
	if err != nil || !cmp.Equal(s.X, []float64{1, 1, 0, 3, 0, 1, 3, 0, 1, 5, 0, 1}) ||
		!cmp.Equal(s.Targets, []float64{0.5, 2, 1, 1}) {
		t.Errorf("%+v, %v", s, err)
	}
	s, err = Read(strings.NewReader(text), "x.arff", Options{Categorical: []string{"id"}, Select: []string{"id"}, LabelColumn: "k",
		Missing: MissingDrop})
	if err != nil || s.Skipped != 1 || !cmp.Equal(s.X, []float64{0, 1, 1, 0, 1, 0}) || !cmp.Equal(s.Labels, []string{"u", "v"}) {
		t.Errorf("%+v, %v", s, err)
	}
	s, err = Read(strings.NewReader(text), "x.arff", Options{Group: "id", Select: []string{"k"}, Missing: MissingDrop,
		Targets: TargetGuess})
	if err != nil || !cmp.Equal(s.Groups, []string{"it's", "b", "b"}) || !cmp.Equal(s.Targets, []float64{0.5, 2, 1}) {
		t.Errorf("%+v, %v", s, err)
	}
	// Numbers are names where they are declared.
	s, err = Read(strings.NewReader("@attribute a real\n@attribute c {1.5,2.5}\n@data\n1,2.5\n2,1.5\n"), "x.arff", Options{Targets: TargetGuess})
	if err != nil || !cmp.Equal(s.Labels, []string{"1.5", "2.5"}) {
		t.Errorf("%+v, %v", s, err)
	}
	s, err = Read(strings.NewReader("@attribute a real\n@data\n1\n2\n"), "x.arff", Options{Width: 1})
	if err != nil || s.Y != nil || s.D != 1 {
		t.Errorf("without labels: %+v, %v", s, err)
	}
}

func TestARFFRefused(t *testing.T) {
	const head = "@relation r\n@attribute a real\n@attribute b {u,v}\n@attribute y {no,yes}\n@data\n"
	for _, c := range []struct{ text, want string }{
		{head, "f.arff: found no samples"},
		{"@relation r\n", "f.arff:2:1: found the end of the file, want @data"},
		{"@relation r\n@data\n", "f.arff:2:1: found @data, want an @attribute"},
		{"@data x\n", "want an @attribute"},
		{"a,b\n1,2\n", `f.arff:1:1: found "a,b", want @relation, @attribute, @data`},
		{"@attributes a real\n", "f.arff:1:1: found"},
		{"@attribute\n", "f.arff:1:11: found the end of the line, want the name"},
		{"@attribute a\n", "f.arff:1:13: found an attribute without a type"},
		{"@attribute a relational\n", `f.arff:1:14: found an attribute of type "relational", want numeric`},
		{"@attribute a real 3\n", `f.arff:1:19: found "3", want the end of the line`},
		{"@attribute a {u,v\n", "f.arff:1:18: found the end of the line, want a closing brace"},
		{"@attribute a {u,,v}\n", "f.arff:1:17: found nothing after a comma"},
		{"@attribute a {u,u}\n", `f.arff:1:17: found the value "u"`},
		{"@attribute a {'',u}\n", `f.arff:1:15: found the value ""`},
		{"@attribute 'a real\n", "f.arff:1:12: found a quote that is not closed"},
		{"@attribute 'a'b real\n", "f.arff:1:15: found text after a closing quote"},
		{"@attribute a real\n@attribute a real\n@data\n", `f.arff:2:12: found a second column "a"`},
		{"@attribute a string\n@attribute y {u}\n@data\n", `f.arff:1:12: found an attribute of text or dates in column "a"`},
		{"@attribute a date yyyy\n@attribute y {u}\n@data\n", `f.arff:1:12: found an attribute of text or dates in column "a"`},
		{head + "1,u\n", "f.arff:6: found 2 values, want 3"},
		{head + "1,u,no,2\n", "f.arff:6: found 4 values, want 3"},
		{head + "1,,no\n", "f.arff:6:3: found nothing after a comma"},
		{head + "1,u,\n", "f.arff:6: found 2 values, want 3"},
		{head + "x,u,no\n", `f.arff:6:1: found "x" in column "a", want a finite number`},
		{head + "1,u,no\n1e999,u,no\n", `f.arff:7:1: found "1e999" (beyond float64) in column "a"`},
		{head + "?,u,no\n", `f.arff:6:1: found "?" in column "a"`},
		{head + "1,?,no\n", `f.arff:6:3: found "?" in column "b", want a category`},
		{head + "1,w,no\n", `f.arff:6:3: found the unknown category "w" in column "b", want one of "u", "v"`},
		{head + "1,u,?\n", `f.arff:6:5: found no label in column "y"`},
		{head + "1,u,maybe\n", `f.arff:6:5: found "maybe" in column "y", want one of "no", "yes"`},
		{head + "1,u,no, {-2}\n", `f.arff:6:9: found "{-2}", want a weight in braces, a finite number >= 0`},
		{head + "1,u,no, {2\n", `f.arff:6:9: found "{2", want a weight in braces`},
		{head + "{0 1}, {2} 3\n", `f.arff:6:12: found "3", want the end of the line`},
		{head + "{0 1\n", "f.arff:6:5: found the end of the line, want a closing brace"},
		{head + "{3 1}\n", `f.arff:6:2: found the index "3", want ascending integers from 0 to 2`},
		{head + "{0 1, 0 2}\n", `f.arff:6:7: found the index "0"`},
		{head + "{1}\n", `f.arff:6:3: found "}", want a value`},
		{head + "1,it's,no\n", "f.arff:6:5: found a quote within a value"},
		{"@attribute a real\n@attribute y real\n@data\n1,x\n", `f.arff:4:3: found "x" in column "y", want a number`},
	} {
		_, err := Read(strings.NewReader(c.text), "f.arff", Options{})
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	_, err := Read(strings.NewReader(weather), "f", Options{Header: HeaderNo})
	if err == nil || !strings.Contains(err.Error(), "found an ARFF file") {
		t.Error(err)
	}
}

// TestARFFHostile reads small files that ask for much memory.
func TestARFFHostile(t *testing.T) {
	var wide strings.Builder
	for j := range 3000 {
		fmt.Fprintf(&wide, "@attribute a%d real\n", j)
	}
	declared := wide.String() + "@data\n"
	var many strings.Builder
	for v := range 1001 {
		fmt.Fprintf(&many, "%d,", v)
	}
	for name, c := range map[string]struct{ text, want string }{
		"columns": {declared, "more samples than fit"},
		"rows":    {declared[strings.Index(declared, "@attribute a1500"):] + strings.Repeat("{}\n", 1000), "more samples than fit"},
		"values":  {"@attribute k {" + strings.TrimSuffix(many.String(), ",") + "}\n@attribute y real\n@data\n", "1001 values"},
		"line":    {"@attribute a real % " + strings.Repeat("x", 100<<10), "bytes"},
		"empty":   {strings.Repeat("\n", 100<<10), "bytes without a row"},
	} {
		_, err := Read(strings.NewReader(c.text), "f.arff", Options{MaxBytes: 1 << 20})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestARFFAsCSV reads a set from ARFF, dense and sparse, and in batches.
func TestARFFAsCSV(t *testing.T) {
	want, err := ReadFile(testutil.Testdata(t, "iris.libsvm"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, sparse := range []bool{false, true} {
		var b bytes.Buffer
		b.WriteString("@relation iris\n@attribute a real\n@attribute b real\n@attribute c real\n@attribute d real\n")
		b.WriteString("@attribute class {")
		b.WriteString(strings.Join(want.Labels, ",") + "}\n@data\n")
		for i := range want.N {
			for j, v := range want.Row(i) {
				if sparse {
					fmt.Fprintf(&b, "%s%d %v, ", strings.Repeat("{", max(0, 1-j)), j, v)
				} else {
					fmt.Fprintf(&b, "%v,", v)
				}
			}
			if sparse {
				fmt.Fprintf(&b, "4 %s}\n", want.Labels[want.Y[i]])
			} else {
				fmt.Fprintf(&b, "%s\n", want.Labels[want.Y[i]])
			}
		}
		got, err := Read(bytes.NewReader(b.Bytes()), "iris.arff.gz", Options{}) // the ending says what is in it
		if err != nil || !cmp.Equal(got.X, want.X) || !cmp.Equal(got.Y, want.Y) {
			t.Errorf("sparse %v: %v", sparse, err)
		}
		rows := 0
		err = Batches(bytes.NewReader(b.Bytes()), "-", Options{}, func(s *Set) error {
			if !cmp.Equal(s.X, want.X[rows*4:(rows+s.N)*4]) {
				t.Errorf("rows from %d differ", rows)
			}
			rows += s.N
			return nil
		})
		if err != nil || rows != want.N {
			t.Errorf("sparse %v: batches of %d rows, %v", sparse, rows, err)
		}
	}
}

func FuzzReadARFF(f *testing.F) {
	f.Add([]byte(weather), uint8(0))
	f.Add([]byte("@attribute a real\n@attribute b string\n@attribute k {u,v}\n@data\n"+
		"1,x,u\n?,'y z',?\n{0 2, 1 q}\n"), uint8(7))
	f.Add([]byte("@attribute a integer\n@attribute y {1,0.5}\n@data\n{0 3}\n2\t0.5\n"), uint8(2))
	if b, err := os.ReadFile("arff_test.go"); err == nil {
		f.Add(b, uint8(1))
	}
	f.Fuzz(func(t *testing.T, b []byte, flags uint8) {
		o := Options{MaxBytes: 1 << 20, Missing: Missing(flags % 4)}
		if flags/4%2 == 1 {
			o.Categorical = []string{"1"}
		}
		s, err := readARFF(bytes.NewReader(b), "f", o)
		if err != nil {
			return
		}
		check(t, s)
		if err = s.Validate(); err != nil {
			t.Fatal(err)
		}
		if s.Skipped > 0 {
			return
		}
		again := o // the same file by the columns of its own
		again.Columns, again.Categorical = s.Columns, nil
		back, err := readARFF(bytes.NewReader(b), "f", again)
		if err != nil {
			t.Fatalf("its own columns do not fit: %v", err)
		}
		back.Notes = nil // of filled cells
		if d := cmp.Diff(s, back); d != "" {
			t.Fatal(d)
		}
	})
}

// TestARFFOfOthers reads what Weka, MOA and KEEL write.
func TestARFFOfOthers(t *testing.T) {
	const data = "@data\n1,u,no\n2,v,yes\n1,u,no\n3,v,yes\n"
	for what, text := range map[string]string{
		"a comma at the end of rows":  "@relation r\n@attribute a real\n@attribute b {u,v}\n@attribute y {no,yes}\n" + strings.ReplaceAll(strings.ReplaceAll(data, "no\n", "no,\n"), "yes\n", "yes ,\n"),
		"ranges":                      "@relation r\n@attribute a integer [1,10]\n@attribute b{u,v}\n@attribute y {no,yes}\n@inputs a, b\n@outputs y\n" + data,
		"ranges without a blank":      "@relation r\n@attribute a real[1.0, 10.0]\n@attribute b {u,v}\n@attribute y{no,yes}\n@input a, b\n@output y\n" + data,
		"a question mark as a value":  "@relation r\n@attribute a real\n@attribute b {?,u,v}\n@attribute y {no,yes,?}\n" + data,
		"values in the next line":     "@relation r\n@attribute a\nreal\n@attribute b\n{u,v}\n@attribute y {no,\nyes\n}\n" + data,
		"an attribute without values": "@relation r\n@attribute e {}\n@attribute a real\n@attribute b {u,v}\n@attribute y {no,yes}\n" + strings.NewReplacer("\n1", "\n?,1", "\n2", "\n?,2", "\n3", "\n?,3").Replace(data),
		"weights of 1":                "@relation r\n@attribute a real\n@attribute b {u,v}\n@attribute y {no,yes}\n" + strings.ReplaceAll(data, "\n3,v,yes", ",{1}\n3,v,yes, {1.0}"),
	} {
		for _, guess := range []bool{false, true} {
			s, err := Read(strings.NewReader(text), "f.arff", Options{Guess: guess})
			if err != nil {
				t.Errorf("%s, guess %v: %v", what, guess, err)
				continue
			}
			a := make([]float64, 0, 4)
			for i := range s.N {
				a = append(a, s.Row(i)[0])
			}
			if !slices.Equal(a, []float64{1, 2, 1, 3}) || !slices.Equal(s.Labels, []string{"no", "yes"}) || s.D != 3 {
				t.Errorf("%s, guess %v: %+v", what, guess, s)
			}
			if weighs := what == "weights of 1"; weighs != slices.Equal(s.Weights, []float64{1, 1, 1, 1}) {
				t.Errorf("%s, guess %v: weights %v", what, guess, s.Weights)
			}
		}
	}
	s, err := Read(strings.NewReader("@relation w\n@attribute a numeric\n@attribute y {p,q}\n@data\n1.5,p\n{0 2, 1 q}, {5}\n3,q\n1,p,{0.5}\n"), "w.arff", Options{})
	if err != nil || !slices.Equal(s.Weights, []float64{1, 5, 1, 0.5}) || s.Subset([]int{3, 1}).Weights[0] != 0.5 {
		t.Errorf("weights: %+v, %v", s, err)
	}
}

// TestWeightColumn reads weights from a column of a table.
func TestWeightColumn(t *testing.T) {
	text := "a,w,b,y\n7,2,3,u\n2,0.5,4,v\n3,0,?,u\n4,1,6,v\n"
	s, err := Read(strings.NewReader(text), "f.csv", Options{Weight: "w", Guess: true, Missing: MissingDrop})
	if err != nil || !slices.Equal(s.Weights, []float64{2, 0.5, 1}) || !slices.Equal(s.Features, []string{"a", "b"}) {
		t.Errorf("%+v, %v", s, err)
	}
	later, err := Read(strings.NewReader(text), "later.csv", Options{Columns: s.Columns, Missing: MissingDrop})
	if err != nil || later.Weights != nil || later.D != 2 {
		t.Errorf("later: %+v, %v", later, err)
	}
	for _, bad := range []string{"-1", "x", "", "NaN", "inf"} {
		_, err = Read(strings.NewReader(text+"5,"+bad+",1,u\n"), "f.csv", Options{Weight: "1", Guess: true})
		if err == nil || !strings.Contains(err.Error(), "want a weight, a finite number >= 0") {
			t.Errorf("weight %q: %v", bad, err)
		}
	}
}
