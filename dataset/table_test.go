package dataset

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// cellsIn are the cells of a CSV text with a header, as text.
func cellsIn(t testing.TB, text string) (cells []Cells, n int) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for j, name := range rows[0] {
		cells = append(cells, Cells{Name: name, Text: func(row int) []byte { return []byte(rows[row+1][j]) }})
	}
	return cells, len(rows) - 1
}

// TestTable: a table in memory is read as its file is, in every form of numbers and dates, and numbers and dates that
// are given as such mean the same in its columns.
func TestTable(t *testing.T) {
	for _, d := range disguises() {
		text, _ := disguised(d)
		want, err := guessed(text, Options{Missing: MissingMark})
		if err != nil {
			t.Fatal(err)
		}
		cells, n := cellsIn(t, text)
		got, err := ReadTable(cells[:2], n, want, Options{Guess: true, Missing: MissingMark})
		if err != nil {
			t.Errorf("%s: %v", d.name, err)
			continue
		}
		if diff := cmp.Diff(want.Columns[:2], got.Columns) + cmp.Diff(want.Notes, got.Notes); diff != "" ||
			!slices.Equal(want.X, got.X) || !slices.Equal(want.Y, got.Y) {
			t.Errorf("%s: %s", d.name, diff)
		}
		typed := Cells{Name: "v", Numbers: make([]float64, n)}
		scale := 1.0
		if got.Columns[0].Role == RoleDate {
			typed.Role, scale = RoleDate, secondsOfDay
		}
		for i := range typed.Numbers {
			if typed.Numbers[i] = got.X[i*got.D] * scale; isMissing(cells[0].Text(i)) {
				typed.Numbers[i] = math.NaN()
			}
		}
		again, err := ReadTable([]Cells{cells[1], typed}, n, nil, Options{Columns: got.Columns})
		if err != nil {
			t.Errorf("%s: typed: %v", d.name, err)
			continue
		}
		for i, v := range again.X {
			if !(math.Abs(v-got.X[i]) <= 1e-12*math.Abs(v)) {
				t.Errorf("%s: typed: %v at %d, want %v", d.name, v, i, got.X[i])
				break
			}
		}
	}
}

// TestTableDoors: random tables of numbers at every scale, words, dates and holes are the same from text and memory.
func TestTableDoors(t *testing.T) {
	testutil.Scales(t, 51, func(t *testing.T, s *testutil.Scale) {
		var d testutil.Doors
		for seed := range uint64(40) {
			n := 20 + s.IntN(60)
			columns := []Cells{{Name: "a"}, {Name: "b c"}, {Name: "w"}, {Name: "d"}, {Name: "k"}}
			words := make([][2]string, n)
			rows := [][]string{{"a", "b c", "w", "d", "k"}}
			for j := range columns {
				columns[j].Numbers = make([]float64, n)
			}
			columns[3].Role = RoleDate
			for i := range n {
				row := make([]string, 5)
				for j := range 2 {
					v := s.NormFloat64() * s.Factor()
					columns[j].Numbers[i], row[j] = v, strconv.FormatFloat(v, 'g', -1, 64)
				}
				row[2] = []string{"red", `"green", dark`, "blue", ""}[s.IntN(4)]
				seconds := float64(s.IntN(1e9))
				columns[3].Numbers[i], row[3] = seconds, string(appendDate(nil, seconds))
				columns[4].Numbers[i] = float64(s.IntN(3))
				row[4] = fmt.Sprint(columns[4].Numbers[i])
				for _, j := range []int{0, 3} {
					if s.IntN(5) == 0 {
						columns[j].Numbers[i], row[j] = math.NaN(), ""
					}
				}
				words[i][0], rows = row[2], append(rows, row)
			}
			columns[2].Text = func(row int) []byte { return []byte(words[row][0]) }
			var b strings.Builder
			w := csv.NewWriter(&b)
			if err := w.WriteAll(rows); err != nil {
				t.Fatal(err)
			}
			o := Options{Guess: true, Missing: MissingMark, Unlabelled: true, Header: HeaderYes, Categorical: []string{"k"}}
			file, err := ReadCSV(strings.NewReader(b.String()), "f.csv", o)
			memory, failed := ReadTable(columns, n, nil, o)
			d.Compare(t, seed, answerOf("file", file, err), answerOf("memory", memory, failed))
			if failed == nil {
				later, err := ReadTable(columns, n, nil, Options{Columns: memory.Columns})
				if err != nil || !slices.Equal(later.X, memory.X) {
					t.Errorf("its own columns read otherwise: %v", err)
				}
			}
		}
		d.AtMost(t, 1000)
	})
}

// answerOf makes an answer of a set's features and columns.
func answerOf(door string, s *Set, err error) testutil.Answer {
	a := numbersOf(door, s, err)
	if err == nil {
		a.Status += fmt.Sprintf("%+v", s.Columns)
	}
	return a
}

// TestTableTruths: truth values are the words that a column has for them.
func TestTableTruths(t *testing.T) {
	one := func(column Column, is ...float64) (*Set, error) {
		cells := []Cells{{Name: "a", Numbers: is, Role: RoleYesNo}}
		return ReadTable(cells, len(is), nil, Options{Columns: Columns{column}})
	}
	for _, tt := range []struct {
		column Column
		want   []float64
	}{
		{Column{Name: "a", Role: RoleYesNo, Categories: []string{"FALSE", "TRUE"}}, []float64{0, 1, 0.5}},
		{Column{Name: "a", Role: RoleYesNo, Categories: []string{"no", "yes"}}, []float64{0, 1, 0.5}},
		{Column{Name: "a", Role: RoleNumber, Fill: 0.25, Filled: true}, []float64{0, 1, 0.25}},
		{Column{Name: "a", Role: RoleCategory, Categories: []string{"false", "maybe", "true"}}, []float64{1, 0, 0, 0, 0, 1, 0, 0, 0}},
	} {
		if s, err := one(tt.column, 0, 1, math.NaN()); err != nil || !slices.Equal(s.X, tt.want) {
			t.Errorf("%+v: %+v, %v, want %v", tt.column, s, err, tt.want)
		}
	}
	s, err := ReadTable([]Cells{{Numbers: []float64{0, 1, 1}, Role: RoleYesNo}}, 3, nil, Options{Guess: true})
	if err != nil || !slices.Equal(s.Columns[0].Categories, []string{"False", "True"}) {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestTableErrors: errors name rows and columns.
func TestTableErrors(t *testing.T) {
	text := func(cells ...string) func(int) []byte { return func(row int) []byte { return []byte(cells[row]) } }
	columns := Columns{{Name: "a"}, {Name: "d", Role: RoleDate, Form: "2006-1-2", Parts: 1}}
	for _, tt := range []struct {
		cells []Cells
		o     Options
		want  string
	}{
		{[]Cells{{Name: "a", Text: text("1", "x")}, {Name: "d", Text: text("2024-01-01", "2024-01-02")}}, Options{Columns: columns},
			`row 1 (from 0): found "x" in column "a", want a finite number`},
		{[]Cells{{Name: "a", Text: text("1", "2")}, {Name: "d", Numbers: []float64{1, 2}}}, Options{Columns: columns},
			`row 0 (from 0): found "1" in column "d", want a date like YYYY-M-D`},
		{[]Cells{{Name: "a", Text: text("1", "")}, {Name: "d", Text: text("2024-01-01", "2024-01-02")}}, Options{Columns: columns},
			`row 1 (from 0): found nothing in column "a", want a finite number`},
		{[]Cells{{Name: "b", Text: text("1", "2")}}, Options{Columns: columns},
			`the table: found no column "a", "d", want every column that the training had`},
		{[]Cells{{Name: "a", Text: text("1", "2")}, {Name: " a ", Text: text("1", "2")}}, Options{},
			`the table: found a second column "a", want different names for the columns`},
		{[]Cells{{Name: "a", Text: text("x", "x")}}, Options{Guess: true},
			`the table: found no column for a feature: a (constant), want numbers, dates or categories`},
		{nil, Options{}, "the table: found no column, want some"},
		{[]Cells{{Numbers: []float64{1, 2}}}, Options{Missing: MissingDrop},
			"dataset: found the rule drop for missing cells of a table in memory, want another one"},
		{[]Cells{{Name: "a", Numbers: []float64{1, math.Inf(1)}}}, Options{},
			`row 1 (from 0): found "+Inf" in column "a", want a finite number`},
	} {
		if s, err := ReadTable(tt.cells, 2, nil, tt.o); err == nil || err.Error() != tt.want {
			t.Errorf("%+v, %v, want %s", s, err, tt.want)
		}
	}
}

// FuzzTable wants a set that reads again by its own columns, or an error.
func FuzzTable(f *testing.F) {
	f.Add("id\tcity\tage\n1\tRome\t\n2\tBonn\t7\n3\tRome\tNA\n4\tBonn\t2\n", uint8(1))
	f.Add("when\tprice\n2024-01-02\t$1,234.50\n2024-02-02\t$7\n\t12\n", uint8(0))
	f.Add("a\na\n", uint8(6))
	f.Fuzz(func(t *testing.T, text string, options uint8) {
		var rows [][]string
		for line := range strings.Lines(text) {
			rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
		if len(rows) == 0 {
			return
		}
		n, cells := len(rows)-1, []Cells(nil)
		for j, name := range rows[0] {
			c := Cells{Name: name, Numbers: make([]float64, n), Role: Role(options/5) % 6}
			for i := range c.Numbers {
				c.Numbers[i] = float64(i * int(options) % 7)
			}
			if options%2 == 1 || j > 0 {
				c.Text = func(row int) []byte {
					if j < len(rows[row+1]) {
						return []byte(rows[row+1][j])
					}
					return nil
				}
			}
			cells = append(cells, c)
		}
		s, err := ReadTable(cells, n, nil, Options{Guess: options%3 > 0, Missing: Missing(options % 5), MaxBytes: 1 << 20})
		if err != nil {
			return
		}
		infinite := func(v float64) bool { return v-v != 0 }
		if len(s.X) != s.N*s.D || slices.ContainsFunc(s.X, infinite) || s.Columns.Validate(s.D) != nil {
			t.Fatalf("%+v", s)
		}
		back, err := ReadTable(cells, n, nil, Options{Columns: s.Columns, MaxBytes: 1 << 20})
		if err == nil && (back.Notes == nil || back.Notes.Unknown == 0) && s.Skipped == 0 && !slices.Equal(s.X, back.X) {
			t.Fatalf("other features by its own columns: %v, %v", s.X, back.X)
		}
	})
}
