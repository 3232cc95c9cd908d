package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tableOf joins n rows of cells made by f under a header, with a label of two classes.
func tableOf(n int, header string, f func(i int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s,y\n", header)
	for i := range n {
		fmt.Fprintf(&b, "%s,%s\n", f(i), []string{"u", "v"}[i%2])
	}
	return b.String()
}

func guessed(text string, o Options) (*Set, error) {
	o.Guess = true
	return Read(strings.NewReader(text), "f.csv", o)
}

// TestKinds has a column of every kind, and one of numbers.
func TestKinds(t *testing.T) {
	const n = 40
	for _, tt := range []struct {
		what string
		cell func(i int) string
		want Notes // without the numbers of column a
		d    int   // features of the column
	}{
		{"numbers", func(i int) string { return fmt.Sprint(i * i % 7) }, Notes{Numbers: 1}, 1},
		{"numbers with gaps", func(i int) string { return []string{"NA", "1", "2", ""}[i%4] },
			Notes{Numbers: 1, Missing: []ColumnNote{{Column: "c", Cells: 20}}}, 1},
		{"yes and no", func(i int) string { return []string{"no", "yes"}[i/2%2] }, Notes{YesNo: []string{"c"}}, 1},
		{"categories", func(i int) string { return fmt.Sprint("w", i%20) }, Notes{Categories: []ColumnNote{{Column: "c", Levels: 20}}}, 20},
		{"mixed codes", func(i int) string { return []string{"1", "2", "A"}[i%3] }, Notes{Categories: []ColumnNote{{Column: "c", Levels: 3}}}, 3},
		{"NA is a word among words", func(i int) string { return []string{"x", "z", "NA"}[i%3] },
			Notes{Categories: []ColumnNote{{Column: "c", Levels: 3}}}, 3},
		{"categories with gaps", func(i int) string { return []string{"x", "z", "w", ""}[i%4] },
			Notes{Categories: []ColumnNote{{Column: "c", Levels: 3}}, Missing: []ColumnNote{{Column: "c", Cells: 10, Marked: true}}}, 4},
		{"more words than half of the cells", func(i int) string { return fmt.Sprint("w", i%21) },
			Notes{LeftOut: []ColumnNote{{Column: "c", Why: "text of 21 words"}}}, 0},
		{"all different text", func(i int) string { return fmt.Sprint("w", i) }, Notes{LeftOut: []ColumnNote{{Column: "c", Why: "all different"}}}, 0},
		{"row numbers from 0", func(i int) string { return fmt.Sprint(i) }, Notes{LeftOut: []ColumnNote{{Column: "c", Why: "all different"}}}, 0},
		{"row numbers from 1", func(i int) string { return fmt.Sprint(i + 1) }, Notes{LeftOut: []ColumnNote{{Column: "c", Why: "all different"}}}, 0},
		{"years", func(i int) string { return fmt.Sprint(1950 + i) }, Notes{Numbers: 1}, 1},
		{"a constant", func(int) string { return "3" }, Notes{LeftOut: []ColumnNote{{Column: "c", Why: "constant"}}}, 0},
		{"a constant word", func(int) string { return "x" }, Notes{LeftOut: []ColumnNote{{Column: "c", Why: "constant"}}}, 0},
		{"a constant or nothing", func(i int) string { return []string{"1", ""}[i%2] },
			Notes{Numbers: 1, Missing: []ColumnNote{{Column: "c", Cells: 20, Marked: true}}}, 2},
		{"nothing", func(int) string { return "" }, Notes{LeftOut: []ColumnNote{{Column: "c", Why: "no values"}}}, 0},
		{"NA and null", func(i int) string { return []string{"NA", "null"}[i%2] }, Notes{LeftOut: []ColumnNote{{Column: "c", Why: "no values"}}}, 0},
		{"days", func(i int) string { return fmt.Sprintf("2024-01-%02d", 1+i%7*2) },
			Notes{Dates: []ColumnNote{{Column: "c", Parts: []string{"days", "weekday"}}}}, 2},
		{"times", func(i int) string { return fmt.Sprintf("%d/%d/2024 %d:30 PM", 1+i%3, 13+i%9, 1+i%9) },
			Notes{Dates: []ColumnNote{{Column: "c", Parts: []string{"days", "month", "weekday", "hour"}}}}, 4},
		{"one date", func(int) string { return "2024-01-02" }, Notes{LeftOut: []ColumnNote{{Column: "c", Why: "constant"}}}, 0},
		{"dates with gaps", func(i int) string { return []string{"3.12.2023", "NA", "4.12.2023", ""}[i%4] },
			Notes{Dates: []ColumnNote{{Column: "c", Parts: []string{"days", "weekday"}}}, Missing: []ColumnNote{{Column: "c", Cells: 20, Marked: true}}}, 3},
	} {
		s, err := guessed(tableOf(n, "a,c", func(i int) string { return fmt.Sprintf("%v,%s", i*i%11, tt.cell(i)) }), Options{Missing: MissingMark})
		if err != nil {
			t.Errorf("%s: %v", tt.what, err)
			continue
		}
		tt.want.Numbers++
		if diff := cmp.Diff(*s.Notes, tt.want); diff != "" || s.D != 1+tt.d || s.N != n {
			t.Errorf("%s: %d samples of %d features; %s", tt.what, s.N, s.D, diff)
		}
		if err = s.Validate(); err != nil || len(s.Features) != s.D {
			t.Errorf("%s: %v, features %q", tt.what, err, s.Features)
		}
	}
}

// TestIDs are columns of whole numbers that are all different, by name.
func TestIDs(t *testing.T) {
	for name, out := range map[string]bool{"id": true, "ID": true, "user_id": true, "userId": true, "user id": true, "": true,
		"Unnamed: 0": true, "paid": false, "PAID": false, "acid": false, "area": false} {
		s, err := guessed(tableOf(9, "a,"+name, func(i int) string { return fmt.Sprint(i*i%5, ",", 100+i*7%9) }), Options{})
		if err != nil || (len(s.Notes.LeftOut) == 1) != out {
			t.Errorf("%q: %+v, %v", name, s, err)
		}
	}
	if s, err := guessed(tableOf(9, "x", func(i int) string { return fmt.Sprint(i) }), Options{}); err != nil || s.D != 1 {
		t.Errorf("the only column: %v", err)
	}
}

// TestKindsLater writes features of a later file: dates, gaps and words that are not known.
func TestKindsLater(t *testing.T) {
	text := tableOf(40, "when,sex,city,age", func(i int) string {
		return fmt.Sprintf("2024-0%d-1%dT06:00:00Z,%s,%s,%s", 1+i%3, i%5, []string{"m", "f"}[i/2%2], []string{"Oslo", "Rome", "Bonn"}[i%3],
			[]string{"", "10", "30"}[i%3*(i%2)])
	})
	s, err := guessed(text, Options{Missing: MissingMark})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"when days", "when month", "when weekday", "sex=m", "city=Bonn", "city=Oslo", "city=Rome", "age", "age missing"}
	if d := cmp.Diff(s.Features, want); d != "" {
		t.Fatal(d)
	}
	later := "city,sex,age,when\nParis,x,,2024-03-04 18:00\nRome,m,7,NA\n"
	if _, err = Read(strings.NewReader(later), "l.csv", Options{Columns: s.Columns, Strict: true}); err == nil ||
		!strings.Contains(err.Error(), `l.csv:2:1: found the unknown category "Paris"`) {
		t.Errorf("strict: %v", err)
	}
	later = strings.Replace(later, "NA", "2024-03-10", 1)
	next, err := Read(strings.NewReader(later), "l.csv", Options{Columns: s.Columns})
	if err != nil {
		t.Fatal(err)
	}
	const march4 = 19786
	x := []float64{march4 + 0.75, 3, 1, 0.5, 0, 0, 0, s.Columns[3].Fill, 1, march4 + 6, 3, 7, 1, 0, 0, 1, 7, 0}
	if d := cmp.Diff(next.X, x); d != "" || next.Notes.Unknown != 2 {
		t.Errorf("%s, %+v", d, next.Notes)
	}
	again, err := Read(strings.NewReader(text), "f.csv", Options{Columns: s.Columns})
	if err != nil || !slices.Equal(again.X, s.X) || len(again.Notes.Filled) != 1 {
		t.Errorf("the training file: other features, %v, %+v", err, again)
	}
	_, err = Read(strings.NewReader(later), "l.csv", Options{Columns: s.Columns, Strict: true})
	if err == nil || !strings.Contains(err.Error(), `unknown category "Paris"`) {
		t.Errorf("strict: %v", err)
	}
	n := 0
	err = Batches(strings.NewReader(later), "l.csv", Options{Columns: s.Columns}, func(b *Set) error {
		n += b.Notes.Unknown
		return nil
	})
	if err != nil || n != 2 {
		t.Errorf("batches: %d unknown, %v", n, err)
	}
}

// TestFaults reads a table with everything wrong: one error, which has it all.
func TestFaults(t *testing.T) {
	text := "a,b,c,y\n" + strings.Repeat("1,2,3.5,u\n2,3,4.5,v\n", 20) +
		"1,oops,3,u\n1,2\n1,2,\"7,5\",u\n1,2,3,\n1,2,3,NA\n1,2,3,4,5\n2,?,\"a\"b,u\n"
	_, err := guessed(text, Options{Missing: MissingError, Strict: true})
	faults, ok := errors.AsType[Faults](err)
	if !ok {
		t.Fatal(err)
	}
	want := []string{
		`f.csv:42:3: found "oops" (text among numbers) in column "b", want a finite number`,
		`f.csv:43: found another number of cells than in the first line, want 4 (2 of them)`,
		`f.csv:44:5: found "7,5" (numbers with commas) in column "c", want a finite number`,
		`f.csv:45:7: found nothing in column "y", want a label (2 of them)`,
		"f.csv:48:7: found a misplaced quote, want cells like 1.5 or \"1.5\"",
	}
	if d := cmp.Diff(strings.Split(faults.Error(), "\n"), want); d != "" {
		t.Error(d)
	}
	s, err := guessed(strings.Join(strings.Split(text, "\n")[:41], "\n")+"\n1,2,3,\n1,2,3,NA\n", Options{DropUnlabelled: true})
	if err != nil || s.N != 40 || s.Notes.Unlabelled != 2 {
		t.Errorf("rows without labels: %v", err)
	}
	_, err = guessed(tableOf(40, "a,b", func(i int) string { return []string{"1,", "2,3", "?,4"}[i%3] }), Options{Missing: MissingError})
	if faults, ok = errors.AsType[Faults](err); !ok || len(faults) != 2 || faults[0].Count != 14 || !faults[1].Missing {
		t.Errorf("gaps as errors: %v", err)
	}
	s, err = guessed(tableOf(40, "a,b", func(i int) string { return []string{"1,", "2,3", "?,4"}[i%3] }),
		Options{Missing: MissingDrop})
	if err != nil || s.N != 13 || s.Skipped != 27 || s.D != 2 {
		t.Errorf("rows with gaps left out: %v", err)
	}
}

// TestTwoPasses finds text far behind the first rows, of a file and of a pipe: every cell is read as the first ones.
func TestTwoPasses(t *testing.T) {
	text := tableOf(9000, "a,b", func(i int) string {
		if i > 8000 {
			return fmt.Sprint(i*i%17, ",A")
		}
		return fmt.Sprint(i*i%17, ",0", i%5) // zero in front
	})
	for what, r := range map[string]io.Reader{"file": strings.NewReader(text), "pipe": io.MultiReader(strings.NewReader(text))} {
		s, err := Read(r, "f.csv", Options{Guess: true})
		if err != nil || s.D != 7 || s.N != 9000 || !slices.Equal(s.Columns[1].Categories, []string{"00", "01", "02", "03", "04", "A"}) {
			t.Errorf("%s: %v", what, err)
		}
	}
	long := newSource(io.MultiReader(strings.NewReader(text)), int64(len(text)-1))
	if _, err := io.Copy(io.Discard, long); err != nil || long.rewind() == nil || long.copied != nil {
		t.Error("a copy beyond the budget")
	}
	skipped := bytes.NewReader([]byte("xx" + text))
	if _, err := skipped.Seek(2, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if s, err := Read(skipped, "f.csv", Options{Guess: true}); err != nil || s.N != 9000 {
		t.Errorf("from the middle of a file: %v", err)
	}
}

// TestAsked: what the options say of a column holds.
func TestAsked(t *testing.T) {
	text := tableOf(10, "id,sex,note,k", func(i int) string { return fmt.Sprintf("%d,%s,w%d,5", i, []string{"m", "f"}[i/2%2], i) })
	s, err := guessed(text, Options{Select: []string{"id", "sex"}})
	if err != nil || !slices.Equal(s.Features, []string{"id", "sex=m"}) {
		t.Errorf("%+v, %v", s, err)
	}
	s, err = guessed(text, Options{Categorical: []string{"sex", "note"}})
	if err != nil || s.D != 12 {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err = guessed(text, Options{Select: []string{"note"}}); err == nil || !strings.Contains(err.Error(), "it is all different") {
		t.Error(err)
	}
	if _, err = guessed(text, Options{Drop: []string{"sex"}}); err != nil {
		t.Error(err)
	}
}

// TestMarkTest: 1000 columns of gaps that say nothing are marked at most 3 % of the time, and one that does is.
func TestMarkTest(t *testing.T) {
	rnd := NewRand(5)
	for _, labels := range []int{0, 2, 5} { // 0 for values
		marked, n := 0, 200
		for range 1000 {
			p := &csvParser{}
			p.values, p.out = 1, Set{N: n, X: make([]float64, n)}
			for c := range labels {
				p.out.Labels = append(p.out.Labels, fmt.Sprint(c))
			}
			for i := range n {
				if rnd.Float64() < 0.2 {
					p.out.X[i] = math.NaN()
				}
				if labels == 0 {
					p.out.Targets = append(p.out.Targets, rnd.NormFloat64())
				} else {
					p.out.Y = append(p.out.Y, rnd.IntN(labels))
				}
			}
			if p.informative(0) {
				marked++
			}
		}
		if !(marked <= 30 && marked > 0) {
			t.Errorf("%d classes: %d of 1000 marked", labels, marked)
		}
	}
}

// TestDateForms reads one date in each form, with and without a time.
func TestDateForms(t *testing.T) {
	for form, date := range []string{"2024-03-04", "2024/3/4", "4.3.2024", "3/4/2024", "4/3/2024", "4 Mar 2024", "04-Mar-2024",
		"Mar 4, 2024", "4 March 2024", "March 4, 2024"} {
		for clock, part := range map[string]float64{"": 0, " 06:00": 0.25, "T6:00:00.000Z": 0.25, " 6:00 PM": 0.75, " 18:00:00+02:00": 0.75} {
			if days, ok := parseDate(strings.Split(dateForms, "|")[form+1], []byte(date+clock)); !ok || days != 19786+part {
				t.Errorf("form %d: %q is day %v (%v)", form, date+clock, days, ok)
			}
		}
		for _, bad := range []string{"", "2024-13-01", date + "x", date + " 25:00", date + " 6", "T06:00", date + "T"} {
			if days, ok := parseDate(strings.Split(dateForms, "|")[form+1], []byte(bad)); ok {
				t.Errorf("form %d: %q is day %v", form, bad, days)
			}
		}
	}
}

func TestKindsARFF(t *testing.T) {
	var b strings.Builder
	b.WriteString("@relation r\n@attribute when date 'yyyy-MM-dd'\n@attribute note string\n@attribute who string\n" +
		"@attribute x real\n@attribute y {u,v}\n@data\n")
	for i := range 20 {
		fmt.Fprintf(&b, "'2024-01-%02d','n %d',%s,%d,%s\n", 1+i%9, i, []string{"m", "f"}[i/2%2], i*i%7, []string{"u", "v"}[i%2])
	}
	s, err := Read(strings.NewReader(b.String()), "f.arff", Options{Guess: true})
	if err != nil || !slices.Equal(s.Features, []string{"when days", "when weekday", "who=m", "x"}) {
		t.Errorf("%+v, %v", s, err)
	}
	_, err = Read(strings.NewReader(b.String()+"'2024-01-01',a,m,oops,u\n'2024-01-01',a,m,1,?\n1,2\n"), "f.arff",
		Options{Guess: true, Strict: true})
	if faults, ok := errors.AsType[Faults](err); !ok || len(faults) != 3 {
		t.Error(err)
	}
}

// TestNotGuessed: arrays and LIBSVM text are numbers, constant or not.
func TestNotGuessed(t *testing.T) {
	for file, text := range map[string]string{"f.npy": string(npyFile("(3, 3)", 1, 5, 0, 2, 5, 1, 3, 5, 0)), "f.libsvm": "0 1:1 2:5\n1 1:2 2:5\n"} {
		set, err := Read(strings.NewReader(text), file, Options{Guess: true, Missing: MissingMark})
		if err != nil || set.D != 2 || set.Notes != nil {
			t.Errorf("%s: %+v, %v", file, set, err)
		}
	}
}

// TestWordsCount: words count against the budget.
func TestWordsCount(t *testing.T) {
	text := tableOf(20000, "a,b", func(i int) string {
		return fmt.Sprintf("%d,a word of forty letters or of more: %d", i%9, i)
	})
	_, err := guessed(text, Options{MaxBytes: 1 << 20})
	if err == nil || !strings.Contains(err.Error(), "more samples than fit") {
		t.Error(err)
	}
}

// A word in a row with another number of cells, among the first rows, makes no column one of words: the row alone is at
// fault.
func TestWordInAFaultyRow(t *testing.T) {
	text := "height,width,kind\n" + strings.Repeat("1,2,no\n3,4,yes\n", 12) + "8,yes\n"
	_, err := ReadCSV(strings.NewReader(text), "f", Options{Guess: true})
	if want := "f:26: found another number of cells than in the first line, want 3"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
