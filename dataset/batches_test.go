package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// joined reads a text in batches and puts them together.
func joined(r io.Reader, name string, o Options) (all *Set, labels []string, err error) {
	all = &Set{}
	err = Batches(r, name, o, func(s *Set) error {
		if all.N > 0 && s.D > all.D {
			all = all.Widen(s.D)
		}
		all.N, all.D, all.Ragged = all.N+s.N, s.D, s.Ragged
		all.X = append(all.X, s.X...)
		for _, c := range s.Y {
			labels = append(labels, s.Labels[c])
		}
		return nil
	})
	return all, labels, err
}

// Batches are the samples of Read, however the bytes come.
func TestBatches(t *testing.T) {
	for _, name := range []string{"ripley.train.libsvm", "iris.libsvm", "diabetis.libsvm", "table.csv"} {
		text := []byte("age,\"in\ncome\",y\n1,2,a\n\"3\",4,\"b,c\"\n5,6,a\n")
		if name != "table.csv" {
			var err error
			if text, err = os.ReadFile(testutil.Testdata(t, name)); err != nil {
				t.Fatal(err)
			}
		}
		want, err := Read(bytes.NewReader(text), name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var wantLabels []string
		for _, c := range want.Y {
			wantLabels = append(wantLabels, want.Labels[c])
		}
		for how, r := range map[string]io.Reader{
			"whole": bytes.NewReader(text), "bytes": iotest.OneByteReader(bytes.NewReader(text)),
			"halves": iotest.HalfReader(bytes.NewReader(text)), "error with data": iotest.DataErrReader(bytes.NewReader(text)),
		} {
			got, labels, err := joined(r, name, Options{})
			if err != nil || got.N != want.N || got.D != want.D || got.Ragged != want.Ragged {
				t.Fatalf("%s, %s: %d×%d, %v; want %d×%d", name, how, got.N, got.D, err, want.N, want.D)
			}
			if d := cmp.Diff(want.X, got.X) + cmp.Diff(wantLabels, labels); d != "" {
				t.Errorf("%s, %s: %s", name, how, d)
			}
		}
	}
}

// A row is handed over before its reader waits for the next one.
func TestBatchesComeAsTheyAre(t *testing.T) {
	for _, rows := range [][]string{
		{"1 1:2\n", "-1 1:3\n", "1 1:4\n"}, {"u,v\n1,a\n", "2,b\n", "3,a\n"}, {"1,a\n", "2,b\n", "3,a\n"},
	} {
		r, w := io.Pipe()
		seen := make(chan int)
		ended := make(chan error, 1)
		go func() {
			ended <- Batches(r, "f", Options{}, func(s *Set) error {
				seen <- s.N
				return nil
			})
		}()
		for _, row := range rows {
			if _, err := io.WriteString(w, row); err != nil {
				t.Fatal(err)
			}
			if n := <-seen; n != 1 { // a reader that waits for more waits for ever
				t.Errorf("%q: %d rows", row, n)
			}
		}
		if err := errors.Join(w.Close(), <-ended); err != nil {
			t.Error(err)
		}
	}
}

// Rows before a bad line are handed over; the error is that of Read.
func TestBatchesErrors(t *testing.T) {
	for _, text := range []string{
		"", "# nothing\n", "1 1:2\n1 1:3\n1 1:x\n", "1,2,a\n3,4,b\n5,6\n", "u,v,y\n", "1 1:2\n-1 2:1 1:1\n", "1,2,a\n3,\"4,b\n",
		"BZh91AY&SY\n",
	} {
		_, want := Read(strings.NewReader(text), "f", Options{})
		got, _, err := joined(iotest.HalfReader(strings.NewReader(text)), "f", Options{})
		if err == nil || want == nil || err.Error() != want.Error() {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
		if rows := max(0, strings.Count(text, "\n")-1); strings.Contains(text, "x") && got.N != rows {
			t.Errorf("%q: %d rows before the error, want %d", text, got.N, rows)
		}
	}
	broken := errors.New("broken")
	err := Batches(strings.NewReader("1 1:2\n1 1:3\n"), "f", Options{}, func(*Set) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the function", err)
	}
	_, _, err = joined(io.MultiReader(strings.NewReader("1 1:2\n"), iotest.ErrReader(broken)), "f", Options{})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the reader", err)
	}
}

// Samples without labels are found out where a classifier's width tells.
func TestBatchesWithoutLabels(t *testing.T) {
	for _, tt := range []struct {
		text     string
		o        Options
		labelled bool
	}{
		{"1:2 2:3\n1:4 2:5\n", Options{Width: 2}, false},
		{"1 1:2 2:3\n", Options{Width: 2}, true},
		{"1,2\n3,4\n", Options{Width: 2}, false},
		{"u,v\n1,2\n3,4\n", Options{Width: 2}, false},
		{"1,2,0\n3,4,1\n", Options{Width: 2}, true},
		{"1,2,x\n3,4,y\n", Options{Width: 2, Drop: []string{"2"}}, false},
	} {
		got, labels, err := joined(strings.NewReader(tt.text), "f", tt.o)
		if err != nil || got.D != 2 || (len(labels) > 0) != tt.labelled {
			t.Errorf("%q: %d features, labels %q, %v", tt.text, got.D, labels, err)
		}
	}
	_, _, err := joined(strings.NewReader("1:2 2:3\n"), "f", Options{})
	if err == nil || !strings.Contains(err.Error(), "want a label") {
		t.Errorf("without a classifier: %v", err)
	}
}

// A batch has 4 MiB of features at most, of narrow rows and of wide ones.
func TestBatchesAreSmall(t *testing.T) {
	for name, tt := range map[string]struct {
		line  string
		width int
		max   int // rows of a batch
	}{
		"csv": {"1.5,2.5,3.5,1\n", 3, 4 << 20 / 32}, "libsvm": {"1 1:1.5 3:2\n", 3, 4 << 20 / 32},
		"libsvm, wide": {"1 1:1\n", 1 << 16, 8}, "libsvm, wide by itself": {fmt.Sprintf("1 %d:1\n", 1<<16), 1, 8},
	} {
		rows, all := 0, 1000+tt.max
		err := Batches(&repeated{text: []byte(tt.line), left: all}, "f", Options{Width: tt.width}, func(s *Set) error {
			if rows += s.N; s.N > tt.max {
				return fmt.Errorf("a batch of %d rows", s.N)
			}
			return nil
		})
		if err != nil || rows != all {
			t.Errorf("%s: %d rows, %v", name, rows, err)
		}
	}
}
