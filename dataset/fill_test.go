package dataset

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// TestFillLater reads missing cells of columns that were complete in the training, of every kind.
func TestFillLater(t *testing.T) {
	s, err := guessed(tableOf(30, "n,yes,city,day", func(i int) string {
		return fmt.Sprintf("%d,%s,%s,2024-01-%02d", i*i%17, []string{"no", "yes"}[i/2%2], []string{"Oslo", "Rome", "Bonn"}[i%3], 1+i%9)
	}), Options{Missing: MissingMark})
	if err != nil {
		t.Fatal(err)
	}
	n, day := s.Columns[0].Fill, s.Columns[3].Fill
	for _, text := range []string{
		"n,yes,city,day\n3,yes,Rome,2024-01-02\n,,,\n?,?,?,NA\n3,yes,Rome,2024-01-02\n",
		"day;city;yes;n\r2024-01-02;Rome;yes;3\r;\"\";;null\rNA;?;?;NaN\r2024-01-02;Rome;yes;3\r",
	} {
		var x []float64
		filled := map[string]int{}
		err = Batches(strings.NewReader(text), "l.csv", Options{Columns: s.Columns, Unlabelled: true}, func(b *Set) error {
			x = append(x, b.X...)
			for _, c := range b.Notes.Filled {
				filled[c.Column] += c.Cells
			}
			return nil
		})
		whole, hole := []float64{3, 1, 0, 0, 1, 19724, 2}, []float64{n, 0.5, 0, 0, 0, day, float64((int(day)+3)%7 + 1)}
		if d := cmp.Diff(x, slices.Concat(whole, hole, hole, whole)); d != "" || err != nil {
			t.Errorf("%q: %v, %v", text, err, d)
		}
		if d := cmp.Diff(filled, map[string]int{"n": 2, "yes": 2, "city": 2, "day": 2}); d != "" {
			t.Errorf("%q: %v", text, d)
		}
		_, err = Read(strings.NewReader(text), "l.csv", Options{Columns: s.Columns, Unlabelled: true, Strict: true})
		if err == nil || !strings.HasPrefix(err.Error(), "l.csv:3:1: found ") {
			t.Errorf("%q: strict: %v", text, err)
		}
	}
}

// TestMedian compares the selection with sorted numbers.
func TestMedian(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := 1; n < 200; n++ {
		v := make([]float64, n)
		for i := range v {
			v[i] = float64(r.IntN(1 + n*n/50))
		}
		sorted := slices.Sorted(slices.Values(v))
		if want := sorted[(n-1)/2]/2 + sorted[n/2]/2; median(v) != want {
			t.Fatalf("%v of %v, want %v", median(v), sorted, want)
		}
	}
}

// TestReturns reads files whose lines end with carriage returns alone, in every format and however they arrive.
func TestReturns(t *testing.T) {
	for name, text := range map[string]string{
		"t.csv":    "a,b,y\n1,2,p\n2,3,q\n\"1\",2,p\n4,3,q\n",
		"t.tsv":    strings.Repeat("1\t2.5\tp\n3\t4\tq\n", 12000),
		"t.arff":   "@relation r\n@attribute a numeric\n@attribute y {u,v}\n@data\n1,u\n2,v\n",
		"t.libsvm": "# comment\n1 1:2 2:3\n-1 1:4\n\n1 2:5\n",
		"t":        "a;b;y\n1;2;p\n2;3;q\n",
	} {
		for _, guess := range []bool{true, false} {
			want, err := Read(strings.NewReader(text), name, Options{Guess: guess})
			if err != nil {
				t.Fatal(name, err)
			}
			returns := strings.ReplaceAll(text, "\n", "\r")
			for _, r := range []io.Reader{strings.NewReader(returns), iotest.HalfReader(strings.NewReader(returns)),
				iotest.OneByteReader(strings.NewReader(returns)), strings.NewReader(strings.TrimSuffix(returns, "\r"))} {
				got, err := Read(r, name, Options{Guess: guess})
				if d := cmp.Diff(want, got); d != "" || err != nil {
					t.Errorf("%s: %v %.200s", name, err, d)
				}
			}
		}
	}
	_, err := Read(strings.NewReader("a,b,y\r1,2,p\r2,x,q\r3,4,p\r"), "t.csv", Options{})
	if err == nil || !strings.HasPrefix(err.Error(), `t.csv:3:3: found "x"`) {
		t.Errorf("the place of an error: %v", err)
	}
}
