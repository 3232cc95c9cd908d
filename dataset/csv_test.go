package dataset

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

func TestReadCSVAccepts(t *testing.T) {
	two := Set{X: []float64{1, 2, 3, 4}, N: 2, D: 2, Y: []int{0, 1}, Labels: []string{"a", "b"}}
	named := two
	named.Features = []string{"u", "v"}
	for _, tt := range []struct {
		name, text string
		o          Options
		want       Set
	}{
		{name: "no header", text: "1,2,a\n3,4,b\n", want: two},
		{name: "header", text: "u,v,class\n1,2,a\n3,4,b\n", want: named},
		{name: "label by name", text: "class,u,v\na,1,2\nb,3,4\n", o: Options{LabelColumn: "class"}, want: named},
		{name: "label by index", text: "1,a,2\n3,b,4\n", o: Options{LabelColumn: "1"}, want: two},
		{name: "label from the end", text: "1,a,2\n3,b,4\n", o: Options{LabelColumn: "-2"}, want: two},
		{name: "first column", text: "class;u;v\na;1;2\nb;3;4\n", o: Options{LabelColumn: "0"}, want: named},
		{name: "tabs, CRLF, no final newline", text: "1\t2\ta\r\n3\t4\tb", want: two},
		{name: "quotes and spaces", text: "\"u\",\"v\",\"class\"\n 1 ,\"2\",a\n3,4, b \n", want: named},
		{name: "delimiter given", text: "1|2|a\n3|4|b\n", o: Options{Delimiter: '|'}, want: two},
		{name: "forced header", text: "1,2,3\n1,2,a\n3,4,b\n", o: Options{Header: HeaderYes}, want: Set{X: two.X, N: 2, D: 2, Y: two.Y, Labels: two.Labels, Features: []string{"1", "2"}}},
		{name: "names that are numbers in a file without header", text: "1,2,0\n3,4,1.0\n", want: Set{X: two.X, N: 2, D: 2, Y: []int{0, 1}, Labels: []string{"0", "1"}}},
		{name: "unlabelled", text: "1,2\n3,4\n", o: Options{Unlabelled: true}, want: Set{X: two.X, N: 2, D: 2}},
		{name: "byte order mark", text: "\ufeffu,v,class\n1,2,a\n3,4,b\n", want: named},
		{name: "fractions as names", text: "1,2,0.5\n3,4,1.5\n", o: Options{TextLabels: true}, want: Set{X: two.X, N: 2, D: 2, Y: []int{0, 1}, Labels: []string{"0.5", "1.5"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadCSV(strings.NewReader(tt.text), "f", tt.o)
			if err != nil {
				t.Fatal(err)
			}
			if err = got.Validate(); err != nil {
				t.Error(err)
			}
			got.Columns = nil // TestColumns looks at them
			if d := cmp.Diff(&tt.want, got, cmp.FilterValues(func(a, b []string) bool { return len(a)+len(b) == 0 },
				cmp.Ignore())); d != "" {
				t.Error(d)
			}
		})
	}
}

// Files of other kinds are called by their names, compressed once more or not.
func TestForeignFiles(t *testing.T) {
	for begin, want := range map[string]string{"BZh91AY&SY": "bzip2", "\x93NUMPY\x01": "NumPy", "PAR1\x15": "Parquet"} {
		for _, name := range []string{"f.csv", "f.libsvm", "f"} {
			_, err := Read(strings.NewReader(begin+"\n1 2 3\n"), name, Options{})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want one with %q", name, err, want)
			}
		}
	}
}

func TestReadCSVRefuses(t *testing.T) {
	for _, tt := range []struct {
		text string
		o    Options
		want string
	}{
		{text: "", want: "f: found no samples, want at least one line of numbers"},
		{text: "u,v,class\n", want: "f: found no samples, want at least one line of numbers"},
		{text: "1,2,a\n3,,b\n", want: "f:2:3: found nothing, want a finite number"},
		{text: "1,2,a\n3,NaN,b\n", want: `f:2:3: found "NaN", want a finite number`},
		{text: "1,2,a\n3,?,b\n", want: `f:2:3: found "?", want a finite number`},
		{text: "NA,NA,a\n3,4,b\n", want: `f:1:1: found "NA", want a finite number`},
		{text: "1,2,a\n3,inf,b\n", want: `f:2:3: found "inf", want a finite number`},
		{text: "1,2,a\n3,4,\n", want: "f:2:5: found nothing, want a label, an integer or a name"},
		{text: "1,2,0.5\n", want: `f:1:5: found "0.5", want a label, an integer or a name`},
		{text: "1,2,nan\n", want: `f:1:5: found "nan", want a label, an integer or a name`},
		{text: "1,2,a\n3,b\n", want: "f:2: found another number of cells than in the first line, want 3"},
		{text: "1,2,a\n3,\"4,b\n", want: "f:2:8: found a misplaced quote, want cells like 1.5 or \"1.5\""},
		{text: "1,2,a\n", o: Options{LabelColumn: "class"}, want: `f:1:1: found no column named "class", want the name or index of a label column`},
		{text: "1,2,a\n", o: Options{LabelColumn: "3"}, want: "f:1:1: found 3 columns, want a label column 3"},
		{text: "1,2,a\n", o: Options{LabelColumn: "-4"}, want: "f:1:1: found 3 columns, want a label column -4"},
		{text: "a\nb\n", want: "f:1:1: found a label column only, want at least one feature column; commas, semicolons, tabs, bars or blanks separate columns"},
		{text: "1,2,a\n", o: Options{Features: 3}, want: "f:1:1: found 2 feature columns, want 3"},
		{text: "1,2,3,4,5,6,7\n", o: Options{MaxLine: 8}, want: "f: found a row of more than 8 bytes, or as many without a row, want a shorter one"},
	} {
		_, err := ReadCSV(strings.NewReader(tt.text), "f", tt.o)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%q:\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

func TestFormatIsRecognised(t *testing.T) {
	for _, tt := range []struct {
		file, text string
		want       Format
	}{
		{"a.csv.gz", "", CSV}, {"a.CSV", "", CSV}, {"a.svm", "", LIBSVM},
		{"-", "# text, with comma\n1 1:2\n", LIBSVM},
		{"-", "1,2,3\n", CSV}, {"-", "1\t2\t3\n", CSV}, {"-", "1\t1:2\t2:3\n", LIBSVM}, {"-", "", LIBSVM},
		{"-", "1,2 1:0.5 3:1\n", LIBSVM}, {"-", "1,2 2:x\n", CSV}, {"-", "1 1:2,3\n", CSV},
	} {
		if got := sniffFormat(tt.file, []byte(tt.text), true); got != tt.want {
			t.Errorf("%s %q: format %d, want %d", tt.file, tt.text, got, tt.want)
		}
	}
}

// Several labels a row, and text in UTF-16, are refused by name.
func TestFormatsThatAreNotRead(t *testing.T) {
	for text, want := range map[string]string{
		"1,2 1:1\n2,3 1:2\n":         `f:1:1: found "1,2", want an integer label`,
		"\xff\xfea\x00,\x00\n\x00":   "found text in UTF-16",
		"a\x00,\x00y\x00\n\x001\x00": "found text in UTF-16",
		"\x00a\x00,\x00y\x00\n":      "found text in UTF-16",
	} {
		if _, err := Read(strings.NewReader(text), "f", Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func TestWriteCSVRoundTrip(t *testing.T) {
	want, err := ReadFile(testutil.Testdata(t, "iris.libsvm"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want.Features = []string{"sepal, length", "b", "c", "d"}
	var b bytes.Buffer
	if err = want.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	got, err := ReadCSV(&b, "f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	want.Columns, want.Pairs = got.Columns, false
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Error(err, d)
	}
}
