package dataset

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Index 0 anywhere makes all indices of a file start at 0, in whatever form its rows were read until then.
func TestIndexZero(t *testing.T) {
	dense, sparse := strings.Repeat("1 1:1 2:2\n", 9), strings.Repeat("1 2:7 500:3\n", 9)
	long := strings.Repeat("1 1:0.25 2:12 3:1.5e3\n", 20000) // is read ahead, by several goroutines
	for name, text := range map[string]string{"dense": dense, "sparse": sparse, "long": long, "none": "", "empty row": "1\n"} {
		for _, late := range []string{"2 0:5\n", "2 0:5 1:6 2:0\n", "2  0:5 1:6\n2 0:1\n"} {
			for _, o := range []Options{{}, {KeepSparse: true, KeepNarrow: true}, {Threads: 3}} {
				whole := text + late + text
				got, err := Read(strings.NewReader(whole), "f", o)
				if err != nil {
					t.Fatal(name, err)
				}
				told := o
				told.ZeroBased = true
				want, err := Read(strings.NewReader(whole), "f", told)
				if err != nil {
					t.Fatal(name, err)
				}
				if !got.ZeroBased || !want.ZeroBased || got.N != want.N || got.D != want.D || got.Ragged != want.Ragged ||
					!slices.Equal(got.Y, want.Y) {
					t.Fatalf("%s, %q: %d of %d, told %d of %d", name, late, got.N, got.D, want.N, want.D)
				}
				for i := range got.N {
					if !slices.Equal(got.Row(i), want.Row(i)) {
						t.Fatalf("%s, %q: row %d is %v, told %v", name, late, i, got.Row(i), want.Row(i))
					}
				}
			}
		}
	}
}

// Samples keep their first index in a file that is written, and in subsets.
func TestIndexZeroWritten(t *testing.T) {
	set, err := Read(strings.NewReader("1 0:0 1:2 3:0\n2 0:1\n"), "f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err = set.Subset([]int{1, 0}).WriteLIBSVM(&b); err != nil || b.String() != "2 0:1 3:0\n1 1:2\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// Batches turn with the row that has index 0; a fixed number of features leaves no room for it.
func TestIndexZeroBatches(t *testing.T) {
	var got []string
	err := Batches(strings.NewReader(strings.Repeat("1 1:1 2:2\n", 40000)+"1 0:3 2:1\n1 1:4\n"), "f", Options{},
		func(s *Set) error {
			got = append(got, fmt.Sprint(s.ZeroBased, s.D))
			return nil
		})
	if err != nil || len(got) < 2 || got[0] != "false 2" || got[len(got)-1] != "true 3" {
		t.Errorf("%v, %v", got, err)
	}
	_, err = Read(strings.NewReader("1 2:1\n1 0:1\n"), "f", Options{Features: 2})
	if err == nil || err.Error() != "f:2:3: found index 0, want indices from 1 to 2, as rows before have them" {
		t.Error(err)
	}
	set, err := Read(strings.NewReader("1 1:1\n1 0:1\n"), "f", Options{Features: 2})
	if err != nil || !slices.Equal(set.X, []float64{0, 1, 1, 0}) {
		t.Errorf("%+v, %v", set, err)
	}
}
