package dataset

import (
	"bytes"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// head returns the first bytes of a file in testdata.
func head(f *testing.F, name string) []byte {
	b, err := os.ReadFile(testutil.Testdata(f, name))
	if err != nil {
		f.Fatal(err)
	}
	return b[:min(len(b), 500)]
}

// check holds a set that was read to what readers promise.
func check(t *testing.T, s *Set) {
	if len(s.X) != s.N*s.D || len(s.Y) != s.N {
		t.Fatalf("%d values and %d labels for %d×%d", len(s.X), len(s.Y), s.N, s.D)
	}
	for _, v := range s.X {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatal("a value that is not finite")
		}
	}
	for _, n := range s.Counts() {
		if n == 0 {
			t.Fatal("a class without rows")
		}
	}
}

func FuzzReadLIBSVM(f *testing.F) {
	f.Add(head(f, "ionosphere.libsvm"), false)
	f.Add([]byte("# c\n+1 qid:1 1:0x1p3 2: 5 # e\r\n-1\n2 1:1e-400"), false)
	f.Add([]byte("cat 0:1 1:-.5\ndog"), true)
	f.Add([]byte("0\n0 0:1"), true)
	f.Fuzz(func(t *testing.T, b []byte, zeroBased bool) {
		o := Options{ZeroBased: zeroBased, TextLabels: zeroBased, MaxBytes: 1 << 20}
		s, err := readLIBSVM(bytes.NewReader(b), "f", o)
		if err != nil {
			return
		}
		check(t, s)
		var out bytes.Buffer
		if err = s.WriteLIBSVM(&out); err != nil {
			return // a label that a file cannot hold
		}
		o.ZeroBased = false
		o.MaxBytes *= 2
		back, err := readLIBSVM(&out, "f", o)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		back.Ragged = s.Ragged // of the text, not of the samples: zeros may be written out or not
		if s.D == 0 {
			back.ZeroBased = s.ZeroBased // without features no index tells
		}
		if d := cmp.Diff(s, back); d != "" {
			t.Fatal(d)
		}
	})
}

func FuzzReadCSV(f *testing.F) {
	f.Add([]byte("u,v,class\n1,2,a\n3,4,b\n"), "", uint8(0))
	f.Add([]byte("\ufeff\"a b\";class;c\r\n\"1\";x;2\r\n"), "class", uint8(0))
	f.Add([]byte("1\t2\t3\n"), "-1", uint8(2))
	f.Add([]byte("id,city,age,y\n1,Rome,,u\n2,Bonn,7,v\n"), "y", uint8(12+3))
	f.Add([]byte("a;y\n1,5;0\n?;1\n"), "", uint8(24+9))
	f.Fuzz(func(t *testing.T, b []byte, column string, header uint8) {
		o := Options{LabelColumn: column, Header: Header(header % 3), MaxBytes: 1 << 20, Missing: Missing(header / 3 % 4)}
		if header/12%2 == 1 {
			o.Categorical = []string{"1"}
		}
		if header/24%2 == 1 {
			o.Decimal = ','
		}
		s, err := ReadCSV(bytes.NewReader(b), "f", o)
		if err != nil {
			return
		}
		check(t, s)
		if s.Features != nil && len(s.Features) != s.D {
			t.Fatalf("%d names for %d features", len(s.Features), s.D)
		}
		if err = s.Validate(); err != nil {
			t.Fatal(err)
		}
		if s.Skipped > 0 {
			return // categories of rows that were left out are unknown
		}
		again := o // the same file by the columns of its own
		again.Columns, again.Categorical = s.Columns, nil
		back, err := ReadCSV(bytes.NewReader(b), "f", again)
		if err != nil {
			t.Fatalf("its own columns do not fit: %v", err)
		}
		back.Notes = nil // of filled cells
		if d := cmp.Diff(s, back); d != "" {
			t.Fatal(d)
		}
	})
}

// FuzzGuess wants an answer for any table: a set, which reads again by its own columns, or one error.
func FuzzGuess(f *testing.F) {
	f.Add([]byte("id,city,age,y\n1,Rome,,u\n2,Bonn,7,v\n3,Rome,NA,u\n4,Bonn,2,v\n"), uint8(4))
	f.Add([]byte("when,sex,y\n2024-01-02,m,u\n2024-02-02,f,v\n,m,v\n"), uint8(1))
	f.Add([]byte("@relation r\n@attribute a date\n@attribute y {u,v}\n@data\n2024-01-02,u\n2025-01-02,?\n"), uint8(9))
	f.Add([]byte("age,pay,t,y\n18-24,$0-$9K,1:30,u\n65+,\"(1, 2]\",0:10,v\n"+
		"<18,$9K to $20K,2:00,u\n[25-34),9,1:02,v\n"), uint8(4))
	f.Fuzz(func(t *testing.T, b []byte, options uint8) {
		o := Options{Guess: true, MaxBytes: 1 << 20, Missing: Missing(options % 5), DropUnlabelled: options/5%2 == 1}
		s, err := Read(bytes.NewReader(b), "f.csv", o)
		if options/10%2 == 1 {
			s, err = Read(bytes.NewReader(b), "f", o)
		}
		if err != nil {
			return
		}
		check(t, s)
		if err = s.Validate(); err != nil {
			t.Fatal(err)
		}
		if s.Skipped > 0 || s.Columns == nil || s.Notes != nil && s.Notes.Unlabelled > 0 {
			return // words of rows that were left out are unknown, and their labels are words for a later file
		}
		again := Options{Columns: s.Columns, MaxBytes: 1 << 20, DropUnlabelled: o.DropUnlabelled}
		back, err := ReadCSV(bytes.NewReader(b), "f.csv", again)
		if err == nil && (back.Notes == nil || back.Notes.Unknown == 0) && !slices.Equal(s.X, back.X) {
			t.Fatal("other features by its own columns")
		}
	})
}
